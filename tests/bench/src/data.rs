//! Generated inputs, identical on every machine.

use lift_analysis::hir::Scalar;
use lift_codegen::run::device::HostData;

/// The content of an input buffer, and its shape, which is empty for a scalar.
#[derive(Debug, Clone)]
pub struct Input {
    pub shape: Vec<usize>,
    pub data: HostData,
}

impl Input {
    fn new(shape: &[usize], data: HostData) -> Input {
        debug_assert_eq!(shape.iter().product::<usize>(), data.len());
        Input { shape: shape.to_vec(), data }
    }
    /// Pseudorandom numbers of 24 bits in `low..high`.
    pub fn floats(shape: &[usize], seed: u64, low: f32, high: f32) -> Input {
        let number = |i: u64| low + (high - low) * ((mix(i.wrapping_add(seed << 40)) >> 40) as f32 / 16_777_216.0);
        Input::new(shape, HostData::Float(filled(shape, number)))
    }
    /// The same numbers as doubles.
    pub fn doubles(shape: &[usize], seed: u64, low: f64, high: f64) -> Input {
        let number = |i: u64| low + (high - low) * ((mix(i.wrapping_add(seed << 40)) >> 40) as f64 / 16_777_216.0);
        Input::new(shape, HostData::Double(filled(shape, number)))
    }
    /// Pseudorandom numbers in `0..below`.
    pub fn ints(shape: &[usize], seed: u64, below: u64) -> Input {
        Input::new(shape, HostData::Int(filled(shape, |i| (mix(i.wrapping_add(seed << 40)) % below) as i32)))
    }
    /// Pseudorandom Booleans, of which every third is true.
    pub fn bools(shape: &[usize], seed: u64) -> Input {
        Input::new(
            shape,
            HostData::Bool(filled(shape, |i| u8::from(mix(i.wrapping_add(seed << 40)).is_multiple_of(3)))),
        )
    }
    /// Pseudorandom numbers around 0, up to a thousand.
    pub fn numbers(element: Scalar, len: usize, seed: u64) -> Result<Input, String> {
        let integer = |i: u64| (mix(i.wrapping_add(seed << 40)) % 2001) as i64 - 1000;
        let real = |i: u64| (mix(i.wrapping_add(seed << 40)) >> 40) as f64 / 8388.608 - 1000.0;
        let data = match element {
            Scalar::Int => HostData::Int(filled(&[len], |i| integer(i) as i32)),
            Scalar::Float => HostData::Float(filled(&[len], |i| real(i) as f32)),
            Scalar::Double => HostData::Double(filled(&[len], real)),
            other => return Err(format!("there are no inputs of {other} here")),
        };
        Ok(Input::new(&[len], data))
    }
    pub fn float(value: f32) -> Input {
        Input::new(&[], HostData::Float(vec![value]))
    }
    pub fn double(value: f64) -> Input {
        Input::new(&[], HostData::Double(vec![value]))
    }
    pub fn int(value: i32) -> Input {
        Input::new(&[], HostData::Int(vec![value]))
    }
    pub fn from_ints(values: Vec<i32>) -> Input {
        Input::new(&[values.len()], HostData::Int(values))
    }
    /// The same numbers in another shape.
    pub fn shaped(self, shape: &[usize]) -> Input {
        Input::new(shape, self.data)
    }
}

/// Fills an array in parallel.
fn filled<T: Copy + Default + Send>(shape: &[usize], value: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let len = shape.iter().product::<usize>();
    let mut all = vec![T::default(); len];
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    let part = len.div_ceil(workers).max(1);
    std::thread::scope(|scope| {
        for (nth, chunk) in all.chunks_mut(part).enumerate() {
            let value = &value;
            scope.spawn(move || {
                for (i, element) in chunk.iter_mut().enumerate() {
                    *element = value((nth * part + i) as u64);
                }
            });
        }
    });
    all
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood 2014).
pub fn mix(i: u64) -> u64 {
    let z = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
