//! The primitives: numbers, pairs, arrays and programs.

use super::collective::{self, Collective};
use super::scalar::{binary, unary};
use super::value::{Ev, Int, Res, Value, fail};
use super::{arrays, loops, store};
use lift_syntax::SyntaxErrorCode::FclName;
use std::rc::Rc;

/// The value of a name that the language has.
pub fn named(ev: &mut Ev, name: &Rc<str>, levels: &[u32]) -> Res<Value> {
    let level = levels.first().copied().unwrap_or(0);
    let at = ev.at;
    let own = name.clone();
    Ok(match &**name {
        "fst" => Value::function(1, |ev, args| Ok(args[0].pair(ev)?.0.clone())),
        "snd" => Value::function(1, |ev, args| Ok(args[0].pair(ev)?.1.clone())),
        "negatei" | "absi" | "signi" | "clz" | "popc" | "negated" | "absd" | "sqrtd" | "expd" | "logd" | "d2i"
        | "i2d" | "b2i" | "not" => Value::function(1, move |ev, args| unary(ev, &own, &args[0])),
        "addi" | "subi" | "muli" | "divi" | "modi" | "mini" | "maxi" | "powi" | "eqi" | "neqi" | "lti" | "andi"
        | "ori" | "xor" | "sll" | "srl" | "addd" | "addr" | "subd" | "muld" | "divd" | "ltd" => {
            Value::function(2, move |ev, args| binary(ev, &own, &args[0], &args[1]))
        }
        "generate" => Value::function(2, |ev, args| arrays::generate(ev, &args[0], &args[1])),
        "index" => Value::function(2, |ev, args| {
            let (xs, i) = (args[0].pull(ev)?, args[1].int(ev)?);
            arrays::index(ev, &xs, &i)
        }),
        "lengthPull" => Value::function(1, |ev, args| Ok(Value::Int(Int { of_length: true, ..args[0].pull(ev)?.len }))),
        "mapPull" => Value::function(2, |ev, args| arrays::map(ev, &args[0], &args[1])),
        "push" => Value::function(1, move |ev, args| arrays::push(ev, level, at, &args[0])),
        "mapPush" => Value::function(2, move |ev, args| arrays::map_push(ev, &args[0], &args[1])),
        "lengthPush" => Value::function(1, |ev, args| {
            let push = args[0].push(ev)?;
            Ok(Value::Int(arrays::length(ev, &push)?))
        }),
        "force" => Value::function(1, move |ev, args| {
            let push = args[0].push(ev)?;
            Ok(Value::Program(Rc::new(move |ev| {
                ev.unused = false;
                ev.at = at;
                Ok(Value::Pull(store::force(ev, &push)?))
            })))
        }),
        "interleave" => Value::function(3, move |ev, args| arrays::interleave(ev, level + 1, false, at, args)),
        "interleaveSeq" => Value::function(3, move |ev, args| arrays::interleave(ev, level, true, at, args)),
        "seqfor" => Value::function(3, move |ev, args| arrays::seqfor(ev, at, args)),
        "return" => Value::function(1, |_, args| {
            let value = args[0].clone();
            Ok(Value::Program(Rc::new(move |ev| {
                ev.unused = false;
                Ok(value.clone())
            })))
        }),
        "bind" => Value::function(2, |ev, args| {
            let (first, then) = (args[0].program(ev)?, args[1].fun(ev)?);
            Ok(Value::Program(Rc::new(move |ev| {
                let unused = std::mem::take(&mut ev.unused);
                let value = first(ev)?;
                let next = then(ev, value)?.program(ev)?;
                ev.unused = unused;
                next(ev)
            })))
        }),
        "power" => loops::power(level, at),
        "while" => loops::while_array(level, at),
        "reduceGrid" => Value::function(3, move |ev, args| collective::program(ev, Collective::Reduce, at, args)),
        "scanGrid" => Value::function(3, move |ev, args| collective::program(ev, Collective::Scan, at, args)),
        "whileSeq" => loops::while_seq(at),
        "readIntCSV" => Value::function(1, move |ev, args| store::read(ev, at, &args[0])),
        "forceAndPrint" | "forceAndPrintDouble" => {
            Value::function(2, move |ev, args| store::print(ev, at, &args[0], &args[1]))
        }
        "benchmark" => Value::function(2, move |ev, args| {
            let program = args[1].program(ev)?;
            Ok(Value::Program(Rc::new(move |ev| {
                ev.unused = false;
                // It is checked, not run.
                ev.probe(|ev| program(ev).map(|_| ()))?;
                Ok(Value::Unit)
            })))
        }),
        _ => return fail(FclName, at, format!("`{name}` has no meaning here")),
    })
}
