//! Parts as JSON, for hosts that carry out the steps themselves (`server/python/lift/dask.py`).

use super::{Each, Number, Output, Pad, Parts, Read, Step, Yields};
use crate::core::PadMode;
use crate::plan::json_size::Names;
use lift_analysis::origin::Origin;
use lift_analysis::size::Var;
use lift_analysis::ty::{Ty, TyKind};
use serde_json::{Value, json};

/// The version of the format; incremented whenever a reader of the old one could misunderstand the new one.
pub const VERSION: u32 = 1;

/// Writes parts as JSON; `place` formats a source location, as `3:5`.
pub fn to_json(parts: &Parts, place: &dyn Fn(&Origin) -> String) -> Value {
    let printer = Printer { names: Names::default() };
    let sizes: Vec<String> = parts.sizes.iter().map(|v| printer.names.of(v)).collect();
    let check = |(assumption, origin): &(lift_analysis::size::Assumption, Origin)| {
        json!({
            "condition": assumption.to_string(),
            "parts": serde_json::to_value(printer.names.condition(assumption)).unwrap_or_default(),
            "at": place(origin),
        })
    };
    let values = parts.values.iter().map(|v| {
        let mut value = printer.about(&v.ty);
        value["name"] = json!(&*v.name);
        value["spread"] = json!(v.spread);
        value
    });
    let inputs = parts.inputs.iter();
    let inputs = inputs.map(|i| json!({ "name": &*i.name, "type": i.ty.to_string(), "value": i.value.0 }));
    let told =
        parts.told.iter().map(|t| json!({ "what": t.what, "how": t.how, "notice": t.notice, "at": place(&t.origin) }));
    json!({
        "version": VERSION,
        "kernel": &*parts.kernel,
        "sizes": sizes,
        "checks": parts.checks.iter().map(check).collect::<Vec<_>>(),
        "inputs": inputs.collect::<Vec<_>>(),
        "values": values.collect::<Vec<_>>(),
        "steps": printer.steps(&parts.steps),
        "result": output(&parts.result),
        "type": parts.result_ty.to_string(),
        "told": told.collect::<Vec<_>>(),
    })
}

fn output(result: &Output) -> Value {
    match result {
        Output::Value(v) => json!(v.0),
        Output::Tuple(parts) => json!(parts.iter().map(output).collect::<Vec<_>>()),
    }
}

struct Printer {
    names: Names,
}

impl Printer {
    /// A type: its text, the lengths of an array with its element type, and the components of a tuple.
    fn about(&self, ty: &Ty) -> Value {
        let (shape, element) = self.layout(ty);
        let inside = if let TyKind::Exists(_, body) = ty.kind() { body } else { ty };
        let parts = match inside.kind() {
            TyKind::Tuple(parts) => parts.iter().map(|part| self.about(part)).collect(),
            _ => Value::Null,
        };
        json!({ "type": ty.to_string(), "shape": shape, "element": element, "parts": parts })
    }

    /// The lengths of an array, outermost first, and its element type: the name of a scalar, or a list for a tuple;
    /// null if rows have different lengths. A vector counts as one more dimension.
    fn layout(&self, ty: &Ty) -> (Vec<Value>, Value) {
        let mut shape = Vec::new();
        let mut inside = ty;
        if let TyKind::Exists(_, body) = ty.kind() {
            inside = body;
        }
        while let Some(array) = inside.as_array() {
            if array.position.is_some() {
                return (shape, Value::Null);
            }
            shape.push(self.names.size(&array.len));
            inside = &array.element;
        }
        if let TyKind::Vec(of, width) = inside.kind() {
            shape.push(self.names.size(width));
            inside = of;
        }
        (shape, element(inside))
    }

    fn steps(&self, steps: &[Step]) -> Value {
        json!(steps.iter().map(|step| self.step(step)).collect::<Vec<_>>())
    }

    fn step(&self, step: &Step) -> Value {
        match step {
            Step::Each(each) => json!({ "each": self.each(each) }),
            Step::Whole { kernel, inputs, sizes, out } => {
                let inputs: Vec<u32> = inputs.iter().map(|v| v.0).collect();
                json!({ "whole": { "kernel": kernel.0, "inputs": inputs, "sizes": self.numbers(sizes), "out": out.0 } })
            }
            Step::Fold { kernel, wholes, sizes, of, out } => {
                let wholes: Vec<u32> = wholes.iter().map(|v| v.0).collect();
                let sizes = self.numbers(sizes);
                json!({ "fold": { "kernel": kernel.0, "wholes": wholes, "sizes": sizes, "of": of.0, "out": out.0 } })
            }
            Step::Gather { of, out } => json!({ "gather": { "of": of.0, "out": out.0 } }),
            Step::Length { of, size } => json!({ "length": { "of": of.0, "size": self.names.of(size) } }),
            Step::Sort(sort) => {
                let ids = |all: &[super::ValueId]| all.iter().map(|v| v.0).collect::<Vec<_>>();
                json!({ "sort": {
                    "sort": sort.sort.0,
                    "before": sort.before.0,
                    "wholes": ids(&sort.wholes),
                    "sizes": self.numbers(&sort.sizes),
                    "beforeWholes": ids(&sort.before_wholes),
                    "beforeSizes": self.numbers(&sort.before_sizes),
                    "of": sort.of.0,
                    "out": sort.out.0,
                } })
            }
            Step::Reverse { kernel, sizes, of, out } => {
                let sizes = self.numbers(sizes);
                json!({ "reverse": { "kernel": kernel.0, "sizes": sizes, "of": of.0, "out": out.0 } })
            }
            Step::Concat { of, out } => {
                json!({ "concat": { "of": of.iter().map(|v| v.0).collect::<Vec<_>>(), "out": out.0 } })
            }
            Step::Repeat { count, start, state, steps, next, out } => json!({ "repeat": {
                "count": self.names.size(count),
                "start": start.0,
                "state": state.0,
                "steps": self.steps(steps),
                "next": next.0,
                "out": out.0,
            } }),
        }
    }

    fn each(&self, each: &Each) -> Value {
        json!({
            "kernel": each.kernel.0,
            "reads": each.reads.iter().map(|read| self.read(read)).collect::<Vec<_>>(),
            "wholes": each.wholes.iter().map(|v| v.0).collect::<Vec<_>>(),
            "picks": each.picks.iter().map(|v| v.0).collect::<Vec<_>>(),
            "sizes": self.numbers(&each.sizes),
            "over": self.names.size(&each.over),
            "yields": match each.yields {
                Yields::Elements => "elements",
                Yields::Some => "some",
                Yields::One => "one",
            },
            "like": each.like.map(|v| v.0),
            "out": each.out.0,
        })
    }

    fn read(&self, read: &Read) -> Value {
        let range = &read.range;
        if range.is_aligned() {
            return json!({ "value": read.value.0 });
        }
        let size = |s| self.names.size(s);
        let pad = range.pad.as_ref().map(|Pad { mode, left, right }| {
            let mode = match mode {
                PadMode::Clamp => "clamp",
                PadMode::Mirror => "mirror",
                PadMode::Wrap => "wrap",
            };
            json!({ "mode": mode, "left": size(left), "right": size(right) })
        });
        let (scale, offset, more) = (size(&range.scale), size(&range.offset), size(&range.more));
        json!({ "value": read.value.0, "range": { "scale": scale, "offset": offset, "more": more, "pad": pad } })
    }

    /// The names of a kernel's sizes, with their values.
    fn numbers(&self, sizes: &[(Var, Number)]) -> Value {
        let number = |(own, number): &(Var, Number)| {
            let value = match number {
                Number::Block => json!("block"),
                Number::First => json!("first"),
                Number::Of(v) => json!({ "of": self.names.of(v) }),
                Number::Derived(v) => json!({ "derived": self.names.of(v) }),
            };
            json!([&*own.name, value])
        };
        json!(sizes.iter().map(number).collect::<Vec<_>>())
    }
}

fn element(ty: &Ty) -> Value {
    match ty.kind() {
        TyKind::Scalar(s) => json!(s.to_string()),
        TyKind::Tuple(parts) => {
            let parts: Vec<Value> = parts.iter().map(element).collect();
            if parts.contains(&Value::Null) { Value::Null } else { json!(parts) }
        }
        _ => Value::Null,
    }
}
