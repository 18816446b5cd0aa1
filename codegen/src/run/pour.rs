//! Marshals the values of arguments: one flat array per buffer, as the layout requires.

use super::device::HostData;
use super::failure::RunFailure;
use super::layout::Lengths;
use crate::plan::{BufferId, BufferRole, DynamicLength, Layout, Plan};
use crate::sizes::SizeValues;
use crate::value::{ArrayValue, Value};
use lift_analysis::size::{Size, Var};

/// The contents of the input buffers.
pub fn pour(plan: &Plan, inputs: &[Value], sizes: &SizeValues) -> Result<Vec<(BufferId, HostData)>, RunFailure> {
    if inputs.len() != plan.inputs.len() {
        let (takes, given) = (plan.inputs.len(), inputs.len());
        let message = format!("`{}` takes {takes} inputs, {given} are given", plan.kernel);
        return Err(RunFailure::Input { message });
    }
    let data = plan.buffers.iter().map(|b| (b.role == BufferRole::Input).then(|| HostData::new(b.element))).collect();
    let mut pouring = Pouring { data, lengths: Lengths::new(sizes) };
    for (input, value) in plan.inputs.iter().zip(inputs) {
        pouring.value(&input.layout, value).map_err(|problem| match problem {
            Problem::Value(text) => {
                RunFailure::Input { message: format!("the input `{}` is not of type {}: {text}", input.name, input.ty) }
            }
            Problem::Plan(text) => RunFailure::plan(format!("input `{}`: {text}", input.name)),
        })?;
    }
    let filled = pouring.data.into_iter().enumerate();
    Ok(filled.filter_map(|(i, data)| Some((BufferId(i as u32), data?))).collect())
}

/// `sizes`, and the maximum of each length that the inputs hide.
pub fn with_lengths(plan: &Plan, inputs: &[Value], sizes: &SizeValues) -> SizeValues {
    let mut longest: Vec<(Var, usize)> = plan.input_lengths().into_iter().map(|v| (v, 0)).collect();
    if !longest.is_empty() {
        plan.inputs.iter().zip(inputs).for_each(|(input, value)| measure(&input.layout, value, &mut longest));
    }
    let mut sizes = sizes.clone();
    for (var, length) in longest {
        sizes.insert(var, i64::try_from(length).unwrap_or(i64::MAX));
    }
    sizes
}

fn measure(layout: &Layout, value: &Value, longest: &mut [(Var, usize)]) {
    match (layout, value) {
        (Layout::Tuple(parts), Value::Tuple(values)) => {
            parts.iter().zip(values).for_each(|(part, value)| measure(part, value, longest));
        }
        (Layout::Array { element, .. } | Layout::Packed { element, .. }, Value::Array(ArrayValue::Values(values))) => {
            values.iter().for_each(|value| measure(element, value, longest));
        }
        (Layout::Exists { lengths, body }, value) => {
            for l in lengths {
                let found = find_length(body, value, &l.var).unwrap_or(0);
                if let Some((_, most)) = longest.iter_mut().find(|(v, _)| l.at_most.as_var() == Some(v)) {
                    *most = found.max(*most);
                }
            }
            measure(body, value, longest);
        }
        _ => {}
    }
}

struct Pouring {
    /// By buffer; `None` for buffers other than inputs.
    data: Vec<Option<HostData>>,
    lengths: Lengths,
}

enum Problem {
    Value(String),
    Plan(String),
}

fn wrong<T>(text: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::Value(text.into()))
}

impl Pouring {
    fn buffer(&mut self, id: BufferId) -> Result<&mut HostData, Problem> {
        match self.data.get_mut(id.0 as usize) {
            Some(Some(data)) => Ok(data),
            _ => Err(Problem::Plan(format!("buffer {} is not an input", id.0))),
        }
    }

    fn value(&mut self, layout: &Layout, value: &Value) -> Result<(), Problem> {
        match layout {
            Layout::Scalar(id) => push_scalar(self.buffer(*id)?, value),
            Layout::Vec { buffer, width } => match value {
                Value::Vec(lanes) if lanes.len() == usize::from(*width) => {
                    let data = self.buffer(*buffer)?;
                    lanes.iter().try_for_each(|lane| push_scalar(data, lane))
                }
                _ => wrong(format!("a vector of {width} is needed, not {}", describe(value))),
            },
            Layout::Tuple(parts) => match value {
                Value::Tuple(values) if values.len() == parts.len() => {
                    parts.iter().zip(values).try_for_each(|(part, value)| self.value(part, value))
                }
                _ => wrong(format!("a tuple of {} is needed, not {}", parts.len(), describe(value))),
            },
            Layout::Array { len, element } => self.array(len, element, value),
            Layout::Packed { len, position, element } => self.rows(len, position, element, value),
            Layout::Exists { lengths, body } => self.exists(lengths, body, value),
        }
    }

    fn array(&mut self, len: &Size, element: &Layout, value: &Value) -> Result<(), Problem> {
        let Value::Array(array) = value else {
            return wrong(format!("an array is needed, not {}", describe(value)));
        };
        let extent = self.lengths.extent(len).map_err(Problem::Plan)?;
        if array.len() != extent {
            return wrong(match len.as_const() {
                Some(_) => format!("an array of {extent} elements is needed, not of {}", array.len()),
                None => format!("an array of {len} = {extent} elements is needed, not of {}", array.len()),
            });
        }
        match (element, array) {
            (_, ArrayValue::Values(values)) => values.iter().try_for_each(|value| self.value(element, value))?,
            (Layout::Scalar(id), flat) => push_flat(self.buffer(*id)?, flat)?,
            // Scalars where arrays or tuples are expected: the first one gives the error.
            (_, flat) => flat.get(0).map_or(Ok(()), |value| self.value(element, &value))?,
        }
        let stride = self.lengths.stride(len).map_err(Problem::Plan)?;
        self.pad(element, stride.saturating_sub(extent))
    }

    /// Rows of different lengths, concatenated.
    fn rows(&mut self, len: &Size, position: &Var, element: &Layout, value: &Value) -> Result<(), Problem> {
        let Value::Array(array) = value else {
            return wrong(format!("an array is needed, not {}", describe(value)));
        };
        let extent = self.lengths.extent(len).map_err(Problem::Plan)?;
        if array.len() != extent {
            return wrong(format!("an array of {len} = {extent} rows is needed, not of {}", array.len()));
        }
        for i in 0..extent {
            self.lengths.open(position, i, i);
            match array {
                ArrayValue::Values(rows) => self.value(element, &rows[i])?,
                flat => flat.get(i).map_or(Ok(()), |row| self.value(element, &row))?,
            }
        }
        self.lengths.close(position);
        Ok(())
    }

    fn exists(&mut self, lengths: &[DynamicLength], body: &Layout, value: &Value) -> Result<(), Problem> {
        for dynamic in lengths {
            // The length is known only where it is the length of an array; a hidden length that occurs only in a larger
            // expression cannot be read off a value.
            let Some(found) = find_length(body, value, &dynamic.var) else {
                return Err(Problem::Plan(format!("the length {} cannot be read off a value", dynamic.var)));
            };
            let at_most = self.lengths.stride(&dynamic.at_most).map_err(Problem::Plan)?;
            if found > at_most {
                return wrong(format!("its length is {found}; at most {} = {at_most} is allowed", dynamic.at_most));
            }
            self.lengths.open(&dynamic.var, found, at_most);
            push_scalar(self.buffer(dynamic.buffer)?, &Value::Int(found as i32))?;
        }
        let result = self.value(body, value);
        lengths.iter().for_each(|dynamic| self.lengths.close(&dynamic.var));
        result
    }

    /// Space for `count` instances that do not exist.
    fn pad(&mut self, layout: &Layout, count: usize) -> Result<(), Problem> {
        if count == 0 {
            return Ok(());
        }
        match layout {
            Layout::Scalar(id) => lengthen(self.buffer(*id)?, count),
            Layout::Vec { buffer, width } => lengthen(self.buffer(*buffer)?, count * usize::from(*width)),
            Layout::Tuple(parts) => parts.iter().try_for_each(|part| self.pad(part, count))?,
            Layout::Array { len, element } => {
                let stride = self.lengths.stride(len).map_err(Problem::Plan)?;
                self.pad(element, count.saturating_mul(stride))?;
            }
            Layout::Packed { len, position, element } => {
                for _ in 0..count {
                    for i in 0..self.lengths.stride(len).map_err(Problem::Plan)? {
                        self.lengths.open(position, i, i);
                        self.pad(element, 1)?;
                    }
                }
                self.lengths.close(position);
            }
            Layout::Exists { lengths, body } => {
                for dynamic in lengths {
                    let at_most = self.lengths.stride(&dynamic.at_most).map_err(Problem::Plan)?;
                    self.lengths.open(&dynamic.var, 0, at_most);
                    lengthen(self.buffer(dynamic.buffer)?, count);
                }
                let result = self.pad(body, count);
                lengths.iter().for_each(|dynamic| self.lengths.close(&dynamic.var));
                result?;
            }
        }
        Ok(())
    }
}

fn lengthen(data: &mut HostData, by: usize) {
    data.resize(data.len().saturating_add(by));
}

/// The length of the first array in `value` whose length is `var`; `None` if there is no such array.
fn find_length(layout: &Layout, value: &Value, var: &Var) -> Option<usize> {
    match (layout, value) {
        (Layout::Array { len, element } | Layout::Packed { len, element, .. }, Value::Array(array)) => {
            if len.as_var() == Some(var) {
                return Some(array.len());
            }
            match array {
                ArrayValue::Values(values) => values.iter().find_map(|value| find_length(element, value, var)),
                _ => None,
            }
        }
        (Layout::Tuple(parts), Value::Tuple(values)) => {
            parts.iter().zip(values).find_map(|(part, value)| find_length(part, value, var))
        }
        (Layout::Exists { body, .. }, value) => find_length(body, value, var),
        _ => None,
    }
}

fn push_scalar(data: &mut HostData, value: &Value) -> Result<(), Problem> {
    match value.number() {
        Some(number) if data.push(number) => Ok(()),
        _ => wrong(format!("{} is needed, not {}", data.element(), describe(value))),
    }
}

fn push_flat(data: &mut HostData, array: &ArrayValue) -> Result<(), Problem> {
    match array.get(0) {
        Some(first) if !data.extend(array) => wrong(format!("{} is needed, not {}", data.element(), describe(&first))),
        _ => Ok(()),
    }
}

fn describe(value: &Value) -> String {
    match value {
        Value::Tuple(parts) => format!("a tuple of {}", parts.len()),
        Value::Vec(lanes) => format!("a vector of {}", lanes.len()),
        Value::Array(array) => format!("an array of {} elements", array.len()),
        scalar => scalar.number().map_or(String::new(), |number| number.scalar().to_string()),
    }
}
