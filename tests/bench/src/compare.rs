//! Comparison of two results.

use lift_codegen::run::device::HostData;

/// Allowed difference of two correct results.
#[derive(Debug, Clone, Copy)]
pub enum Check {
    Exact,
    /// Maximal norm of the difference, relative to the norm of our result: for sums in another order.
    Relative(f64),
    /// Maximal fraction of differing elements: where rounding decides between two branches.
    Mostly(f64),
}

impl Check {
    /// Compares two results; an error describes the difference.
    pub fn compare(self, ours: &[HostData], theirs: &[HostData]) -> Result<(), String> {
        if ours.len() != theirs.len() {
            return Err(format!("{} arrays, not {}", theirs.len(), ours.len()));
        }
        ours.iter().zip(theirs).try_for_each(|(a, b)| self.array(a, b))
    }

    fn array(self, a: &HostData, b: &HostData) -> Result<(), String> {
        if a.len() != b.len() {
            return Err(format!("{} elements, not {}", b.len(), a.len()));
        }
        match (a, b) {
            (HostData::Float(a), HostData::Float(b)) => self.numbers(a, b, f64::from),
            (HostData::Int(a), HostData::Int(b)) => self.numbers(a, b, f64::from),
            (HostData::Double(a), HostData::Double(b)) => self.numbers(a, b, |x| x),
            (a, b) if a.element() == b.element() && a == b => Ok(()),
            (a, b) => Err(format!("{} and {} that are not the same", a.element(), b.element())),
        }
    }

    fn numbers<T: Copy + PartialEq>(self, a: &[T], b: &[T], number: impl Fn(T) -> f64) -> Result<(), String> {
        let differ = || a.iter().zip(b).filter(|(a, b)| a != b).count();
        match self {
            Check::Exact => match a.iter().zip(b).position(|(a, b)| a != b) {
                None => Ok(()),
                Some(i) => {
                    let (x, y) = (number(a[i]), number(b[i]));
                    Err(format!("{} of {} elements differ, the first is {i}: {y}, not {x}", differ(), a.len()))
                }
            },
            Check::Mostly(part) => match differ() as f64 / a.len().max(1) as f64 {
                found if found <= part => Ok(()),
                found => Err(format!("{:.2} % of the elements differ", 100.0 * found)),
            },
            Check::Relative(bound) => {
                let (mut distance, mut length) = (0.0, 0.0);
                for (a, b) in a.iter().zip(b) {
                    let (a, b) = (number(*a), number(*b));
                    distance += (a - b) * (a - b);
                    length += a * a;
                }
                let error = if distance == 0.0 { 0.0 } else { (distance / length).sqrt() };
                // NaN agrees with nothing.
                if error <= bound { Ok(()) } else { Err(format!("they differ by {error:.2e}")) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(values: &[f32]) -> Vec<HostData> {
        vec![HostData::Float(values.to_vec())]
    }

    #[test]
    fn results_agree_as_far_as_the_check_says() {
        let a = floats(&[1.0, 2.0, 3.0]);
        assert_eq!(Check::Exact.compare(&a, &a), Ok(()));
        let near = floats(&[1.0, 2.0, 3.0001]);
        assert_eq!(
            Check::Exact.compare(&a, &near),
            Err("1 of 3 elements differ, the first is 2: 3.0000998973846436, not 3".to_owned())
        );
        assert_eq!(Check::Relative(1e-3).compare(&a, &near), Ok(()));
        assert!(Check::Relative(1e-6).compare(&a, &near).is_err());
        assert_eq!(Check::Mostly(0.5).compare(&a, &near), Ok(()));
        assert!(Check::Mostly(0.1).compare(&a, &near).is_err());
        assert_eq!(Check::Exact.compare(&a, &floats(&[1.0])), Err("1 elements, not 3".to_owned()));
        assert!(Check::Exact.compare(&a, &[HostData::Int(vec![1, 2, 3])]).is_err(), "other types");
    }

    #[test]
    fn what_is_no_number_agrees_with_nothing() {
        let nan = floats(&[f32::NAN, 2.0, 3.0]);
        let a = floats(&[1.0, 2.0, 3.0]);
        assert!(Check::Relative(1.0).compare(&a, &nan).is_err());
        assert!(Check::Relative(1.0).compare(&nan, &nan).is_err());
        assert!(Check::Exact.compare(&nan, &nan).is_err());
    }
}
