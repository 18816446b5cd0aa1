//! Executes the steps of [`Parts`] on values: the bounds of blocks, the elements they read, and their arguments.
//!
//! A [`Runner`] runs the kernels: the interpreter in tests, several devices in a run.

use super::{Each, KernelId, Number, Output, Parts, Range, Sort, Step, ValueId};
use crate::core::PadMode;
use crate::sizes::SizeValues;
use crate::value::{ArrayValue, Value};
use lift_analysis::size::{Size, Var};
use rustc_hash::FxHashMap;

/// Runs kernels on the inputs of several blocks; results are in the same order.
pub trait Runner {
    type Error;
    fn run(&self, kernel: KernelId, inputs: Vec<Call>) -> Result<Vec<Value>, Self::Error>;
    /// Makes an error of the execution itself.
    fn wrong(&self, message: String) -> Self::Error;
}

/// The inputs and sizes of one run of a kernel.
pub struct Call {
    pub inputs: Vec<Value>,
    pub sizes: Vec<(Var, i64)>,
}

/// How inputs are divided: the number of blocks, and each block's share of the elements.
#[derive(Debug, Clone)]
pub struct Cut {
    pub shares: Vec<f64>,
}

impl Cut {
    pub fn even(blocks: usize) -> Cut {
        Cut { shares: vec![1.0; blocks.max(1)] }
    }

    /// The bounds of the blocks of an array of length `len`.
    pub fn bounds(&self, len: usize) -> Vec<usize> {
        let all: f64 = self.shares.iter().sum();
        let mut before = 0.0;
        let mut bounds = vec![0];
        for share in &self.shares {
            before += share;
            let to = if all > 0.0 { (len as f64 * before / all).round() as usize } else { 0 };
            bounds.push(to.clamp(bounds.last().copied().unwrap_or(0), len));
        }
        if let Some(last) = bounds.last_mut() {
            *last = len;
        }
        bounds
    }
}

enum Held {
    Whole(Value),
    Blocks(Vec<ArrayValue>),
}

/// Runs a kernel in parts. `sizes` are the values of its size parameters.
pub fn run<R: Runner>(
    parts: &Parts,
    runner: &R,
    inputs: Vec<Value>,
    sizes: &SizeValues,
    cut: &Cut,
) -> Result<Value, R::Error> {
    let mut run = Run { runner, cut, sizes: sizes.clone(), held: FxHashMap::default() };
    for (input, value) in parts.inputs.iter().zip(inputs) {
        let held = match value {
            Value::Array(array) if parts.values[input.value.0 as usize].spread => Held::Blocks(run.cut_up(array)),
            value => Held::Whole(value),
        };
        run.held.insert(input.value, held);
    }
    run.steps(&parts.steps)?;
    run.output(&parts.result)
}

struct Run<'r, R> {
    runner: &'r R,
    cut: &'r Cut,
    sizes: SizeValues,
    held: FxHashMap<ValueId, Held>,
}

impl<R: Runner> Run<'_, R> {
    fn cut_up(&self, array: ArrayValue) -> Vec<ArrayValue> {
        let bounds = self.cut.bounds(array.len());
        bounds.windows(2).map(|b| slice(&array, b[0], b[1])).collect()
    }

    fn number(&self, size: &Size) -> Result<i64, R::Error> {
        size.eval_int(&|v| self.sizes.get(v)).map_err(|_| self.runner.wrong(format!("the size {size} has no value")))
    }

    fn steps(&mut self, steps: &[Step]) -> Result<(), R::Error> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &Step) -> Result<(), R::Error> {
        match step {
            Step::Each(each) => {
                let blocks = self.each(each)?;
                self.held.insert(each.out, Held::Blocks(blocks));
            }
            Step::Whole { kernel, inputs, sizes, out } => {
                let inputs = inputs.iter().map(|v| self.whole(*v)).collect::<Result<Vec<_>, _>>()?;
                let block = inputs.first().and_then(|v| v.as_array()).map_or(0, ArrayValue::len) as i64;
                let call = Call { inputs, sizes: self.numbers(sizes, block, 0) };
                let value = self.one(*kernel, call)?;
                self.held.insert(*out, Held::Whole(value));
            }
            Step::Fold { kernel, wholes, sizes, of, out } => {
                let mut parts = self.blocks(*of)?;
                let wholes = wholes.iter().map(|v| self.whole(*v)).collect::<Result<Vec<_>, _>>()?;
                while parts.len() > 1 {
                    let mut calls = Vec::new();
                    for several in parts.chunks(FOLDED) {
                        let partials = Value::Array(concat(several.iter()));
                        let inputs = [partials].into_iter().chain(wholes.iter().cloned()).collect();
                        calls.push(Call { inputs, sizes: self.numbers(sizes, several.len() as i64, 0) });
                    }
                    parts = self.arrays(*kernel, calls)?;
                }
                let value = parts.pop().map(Value::Array).ok_or_else(|| self.runner.wrong("no blocks".into()))?;
                self.held.insert(*out, Held::Whole(value));
            }
            Step::Gather { of, out } => {
                let value = self.whole(*of)?;
                self.held.insert(*out, Held::Whole(value));
            }
            Step::Length { of, size } => {
                let len = match self.held.get(of) {
                    Some(Held::Blocks(blocks)) => blocks.iter().map(ArrayValue::len).sum(),
                    Some(Held::Whole(Value::Array(array))) => array.len(),
                    _ => 0,
                };
                self.sizes.insert(size.clone(), len as i64);
            }
            Step::Sort(sort) => {
                let blocks = self.sort(sort)?;
                self.held.insert(sort.out, Held::Blocks(blocks));
            }
            Step::Reverse { kernel, sizes, of, out } => {
                let call = |b: ArrayValue| {
                    let sizes = self.numbers(sizes, b.len() as i64, 0);
                    Call { sizes, inputs: vec![Value::Array(b)] }
                };
                let calls = self.blocks(*of)?.into_iter().rev().map(call).collect();
                let reversed = self.arrays(*kernel, calls)?;
                self.held.insert(*out, Held::Blocks(reversed));
            }
            Step::Concat { of, out } => {
                let mut blocks = Vec::new();
                for v in of {
                    match self.held.get(v) {
                        Some(Held::Blocks(more)) => blocks.extend(more.iter().cloned()),
                        Some(Held::Whole(Value::Array(array))) => blocks.push(array.clone()),
                        _ => {}
                    }
                }
                self.held.insert(*out, Held::Blocks(blocks));
            }
            Step::Repeat { count, start, state, steps, next, out } => {
                let mut now = self.blocks(*start)?;
                for _ in 0..self.number(count)? {
                    self.held.insert(*state, Held::Blocks(now));
                    self.steps(steps)?;
                    now = self.blocks(*next)?;
                }
                self.held.insert(*out, Held::Blocks(now));
            }
        }
        Ok(())
    }

    fn numbers(&self, sizes: &[(Var, Number)], block: i64, first: i64) -> Vec<(Var, i64)> {
        let number = |(own, number): &(Var, Number)| {
            let value = match number {
                Number::Block => Some(block),
                Number::First => Some(first),
                Number::Of(v) | Number::Derived(v) => self.sizes.get(v),
            };
            value.map(|n| (own.clone(), n))
        };
        sizes.iter().filter_map(number).collect()
    }

    fn one(&self, kernel: KernelId, call: Call) -> Result<Value, R::Error> {
        let mut results = self.runner.run(kernel, vec![call])?;
        results.pop().ok_or_else(|| self.runner.wrong("a kernel gave no result".into()))
    }

    fn arrays(&self, kernel: KernelId, calls: Vec<Call>) -> Result<Vec<ArrayValue>, R::Error> {
        let array = |value| match value {
            Value::Array(array) => Ok(array),
            _ => Err(self.runner.wrong("a block is an array".into())),
        };
        self.runner.run(kernel, calls)?.into_iter().map(array).collect()
    }

    fn blocks(&self, v: ValueId) -> Result<Vec<ArrayValue>, R::Error> {
        match self.held.get(&v) {
            Some(Held::Blocks(blocks)) => Ok(blocks.clone()),
            Some(Held::Whole(Value::Array(array))) => Ok(vec![array.clone()]),
            _ => Err(self.runner.wrong("a step uses a value that no step makes".into())),
        }
    }

    fn whole(&self, v: ValueId) -> Result<Value, R::Error> {
        match self.held.get(&v) {
            Some(Held::Whole(value)) => Ok(value.clone()),
            Some(Held::Blocks(blocks)) => Ok(Value::Array(concat(blocks.iter()))),
            None => Err(self.runner.wrong("a step uses a value that no step makes".into())),
        }
    }

    fn output(&self, output: &Output) -> Result<Value, R::Error> {
        match output {
            Output::Value(v) => self.whole(*v),
            Output::Tuple(parts) => Ok(Value::Tuple(parts.iter().map(|p| self.output(p)).collect::<Result<_, _>>()?)),
        }
    }

    fn each(&mut self, each: &Each) -> Result<Vec<ArrayValue>, R::Error> {
        let bounds = self.bounds(each)?;
        let wholes = each.wholes.iter().map(|v| self.whole(*v)).collect::<Result<Vec<_>, _>>()?;
        let mut sources = Vec::new();
        for read in &each.reads {
            sources.push((Source::new(self.blocks(read.value)?), &read.range));
        }
        let mut calls = Vec::new();
        for (i, bound) in bounds.windows(2).enumerate() {
            let (from, to) = (bound[0], bound[1]);
            let mut inputs = Vec::new();
            for (source, range) in &sources {
                inputs.push(Value::Array(self.read(source, range, from, to)?));
            }
            inputs.extend(wholes.iter().cloned());
            for pick in &each.picks {
                let picked = self.whole(*pick)?;
                let element = picked.as_array().and_then(|a| a.get(i));
                inputs.push(element.ok_or_else(|| self.runner.wrong("there is nothing for a block".into()))?);
            }
            calls.push(Call { inputs, sizes: self.numbers(&each.sizes, (to - from) as i64, from as i64) });
        }
        self.arrays(each.kernel, calls)
    }

    /// The bounds of a step's blocks: those of the values it reads, shifted with the reads.
    fn bounds(&self, each: &Each) -> Result<Vec<usize>, R::Error> {
        let mut most: Option<(Vec<usize>, &Range)> = None;
        let plain = Range::elements();
        let like = each.like.iter().map(|v| (*v, &plain));
        for (value, range) in like.chain(each.reads.iter().map(|read| (read.value, &read.range))) {
            let bounds = Source::new(self.blocks(value)?).bounds;
            if most.as_ref().is_none_or(|(known, _)| known.len() < bounds.len()) {
                most = Some((bounds, range));
            }
        }
        let Some((bounds, range)) = most else {
            let over = self.number(&each.over)?;
            return Ok(self.cut.bounds(usize::try_from(over).unwrap_or(0)));
        };
        if each.reads.iter().all(|read| read.range.is_aligned()) {
            return Ok(bounds);
        }
        let over = self.number(&each.over)?;
        let scale = self.number(&range.scale)?.max(1);
        // Elements padded on the left belong to the first block.
        let lead = self.number(&range.offset)?;
        let mut moved: Vec<usize> =
            bounds.iter().map(|b| (*b as i64 - lead).div_euclid(scale).clamp(0, over.max(0)) as usize).collect();
        if let [first, .., last] = moved.as_mut_slice() {
            (*first, *last) = (0, usize::try_from(over).unwrap_or(0));
        }
        // A block may be too short to read any window.
        moved.dedup();
        if moved.len() == 1 {
            moved.push(moved[0]);
        }
        Ok(moved)
    }

    fn read(&self, source: &Source, range: &Range, from: usize, to: usize) -> Result<ArrayValue, R::Error> {
        if range.is_aligned() {
            return Ok(source.slice(from as i64, to as i64));
        }
        let (scale, offset, more) =
            (self.number(&range.scale)?, self.number(&range.offset)?, self.number(&range.more)?);
        let (from, to) = (from as i64 * scale + offset, to as i64 * scale + offset + more);
        let Some(pad) = &range.pad else { return Ok(source.slice(from, to.max(from))) };
        let left = self.number(&pad.left)?;
        let len = source.len() as i64;
        if len == 0 && to > from {
            return Err(self.runner.wrong("an empty array cannot be padded: it has no elements at its edges".into()));
        }
        let (inner, outer) = ((from - left).clamp(0, len), (to - left).clamp(0, len));
        let mut pieces = Vec::new();
        for at in (from - left)..0.min(to - left) {
            pieces.push(source.slice(edge(pad.mode, at, len), edge(pad.mode, at, len) + 1));
        }
        pieces.push(source.slice(inner, outer.max(inner)));
        for at in len.max(from - left)..(to - left) {
            pieces.push(source.slice(edge(pad.mode, at, len), edge(pad.mode, at, len) + 1));
        }
        Ok(concat(pieces.iter()))
    }

    fn sort(&mut self, sort: &Sort) -> Result<Vec<ArrayValue>, R::Error> {
        let blocks = self.blocks(sort.of)?;
        let wholes = sort.wholes.iter().map(|v| self.whole(*v)).collect::<Result<Vec<_>, _>>()?;
        let count = blocks.len();
        let call = |run: &Self, block: ArrayValue| {
            let sizes = run.numbers(&sort.sizes, block.len() as i64, 0);
            Call { inputs: [Value::Array(block)].into_iter().chain(wholes.iter().cloned()).collect(), sizes }
        };
        let sorted = self.arrays(sort.sort, blocks.into_iter().map(|b| call(self, b)).collect())?;
        let sampled: Vec<ArrayValue> = sorted.iter().map(|b| every(b, SAMPLES)).collect();
        let samples = self.one(sort.sort, call(self, concat(sampled.iter())))?;
        let Value::Array(samples) = samples else { return Err(self.runner.wrong("samples are an array".into())) };
        let cuts = every(&samples, count - 1);
        let cut_count = cuts.len();
        let before_wholes = sort.before_wholes.iter().map(|v| self.whole(*v)).collect::<Result<Vec<_>, _>>()?;
        let calls = sorted.iter().map(|block| {
            let inputs = [Value::Array(block.clone()), Value::Array(cuts.clone())];
            let sizes = self.numbers(&sort.before_sizes, block.len() as i64, 0);
            Call { inputs: inputs.into_iter().chain(before_wholes.iter().cloned()).collect(), sizes }
        });
        let counts = self.arrays(sort.before, calls.collect())?;
        let mut exchanged: Vec<Vec<ArrayValue>> = (0..=cut_count).map(|_| Vec::new()).collect();
        for (block, counts) in sorted.iter().zip(&counts) {
            let ArrayValue::Int(counts) = counts else { continue };
            let mut from = 0;
            for (i, pieces) in exchanged.iter_mut().enumerate() {
                let to = counts.get(i).map_or(block.len(), |n| *n as usize).max(from);
                pieces.push(slice(block, from, to));
                from = to;
            }
        }
        let calls = exchanged.iter().map(|pieces| call(self, concat(pieces.iter())));
        self.arrays(sort.sort, calls.collect())
    }
}

/// Partial results that are folded at once.
pub const FOLDED: usize = 8;
/// Elements of each block that determine the cuts of a sort.
pub const SAMPLES: usize = 64;

/// The index that replaces an index outside an array of length `len`.
fn edge(mode: PadMode, at: i64, len: i64) -> i64 {
    match mode {
        PadMode::Clamp => at.clamp(0, len - 1),
        PadMode::Wrap => at.rem_euclid(len),
        PadMode::Mirror => {
            let at = at.rem_euclid(2 * len);
            if at < len { at } else { 2 * len - 1 - at }
        }
    }
}

/// Blocks with their bounds.
struct Source {
    blocks: Vec<ArrayValue>,
    bounds: Vec<usize>,
}

impl Source {
    fn new(blocks: Vec<ArrayValue>) -> Source {
        let mut bounds = vec![0];
        for block in &blocks {
            bounds.push(bounds.last().copied().unwrap_or(0) + block.len());
        }
        Source { blocks, bounds }
    }

    fn len(&self) -> usize {
        self.bounds.last().copied().unwrap_or(0)
    }

    fn slice(&self, from: i64, to: i64) -> ArrayValue {
        let len = self.len() as i64;
        let (from, to) = (from.clamp(0, len) as usize, to.clamp(0, len) as usize);
        let mut pieces = Vec::new();
        for (block, bound) in self.blocks.iter().zip(self.bounds.windows(2)) {
            let (start, end) = (from.max(bound[0]), to.min(bound[1]));
            if start < end {
                pieces.push(slice(block, start - bound[0], end - bound[0]));
            }
        }
        if pieces.is_empty() {
            return self.blocks.first().map_or(ArrayValue::Values(Vec::new()), |b| slice(b, 0, 0));
        }
        concat(pieces.iter())
    }
}

fn slice(array: &ArrayValue, from: usize, to: usize) -> ArrayValue {
    array.slice(from.min(array.len())..to.min(array.len()))
}

/// At most `count` evenly spaced elements, without the first and last if there are more.
fn every(array: &ArrayValue, count: usize) -> ArrayValue {
    let len = array.len();
    let count = count.min(len);
    let mut some = array.slice(0..0);
    for i in 0..count {
        let at = (i + 1) * len / (count + 1);
        if at < len {
            some.extend_from(array, at..at + 1);
        }
    }
    some
}

/// Arrays of the same elements, one after another.
fn concat<'a>(arrays: impl Iterator<Item = &'a ArrayValue>) -> ArrayValue {
    let mut all: Option<ArrayValue> = None;
    for array in arrays {
        let extended = all.as_mut().is_some_and(|all| all.extend_from(array, 0..array.len()));
        if !extended && all.as_ref().is_none_or(ArrayValue::is_empty) {
            all = Some(array.clone());
        }
    }
    all.unwrap_or(ArrayValue::Values(Vec::new()))
}
