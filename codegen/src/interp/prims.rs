//! Evaluates primitives. Those that only move elements are in [`super::views`], sorting and searching in
//! [`super::order`].

use super::eval::{Interp, checked_index, nth, number};
use super::repr::{Array, Val, argument, malformed};
use super::views;
use super::{Result, RunError, RunErrorKind};
use crate::core::{Lambda, Prim, PrimCall};
use crate::failure::Message;
use lift_analysis::ty::{ArrayTy, Ty, TyKind};

impl<'k> Interp<'k> {
    /// Evaluates a call with a result of type `result`.
    pub fn prim(&mut self, call: &'k PrimCall, result: &'k Ty) -> Result<Val> {
        // A primitive hides only the length of its outermost array.
        if let TyKind::Exists(vars, body) = result.kind()
            && matches!(call.prim, Prim::Filter(_) | Prim::Iota | Prim::Generate | Prim::Fill)
        {
            let array = self.array_of(call, body)?;
            if vars.len() != 1 {
                return Err(malformed(format!("`{}` hides one length", call.prim.name())));
            }
            return Ok(Val::packed(vec![array.len() as i64], Val::Array(array)));
        }
        match call.prim {
            Prim::Aref => {
                let (xs, i) = (self.array(call, 0)?, self.arg(call, 1)?.int()?);
                nth(&xs, checked_index(i64::from(i), xs.len())?)
            }
            Prim::Head | Prim::Last => {
                let xs = self.array(call, 0)?;
                let end = if call.prim == Prim::Head { 0 } else { xs.len().saturating_sub(1) };
                let empty = || RunError::failed(&Message::of_an_empty_array(&call.prim.name()), 0, 0);
                xs.get(end).ok_or_else(empty)
            }
            Prim::Length => number(self.array(call, 0)?.len() as i64),
            Prim::Search => self.search(call),
            Prim::LSearch => self.linear_search(call),
            Prim::Unzip => self.unzip(call, result),
            Prim::Vectorize => self.vectorize(call),
            Prim::IterateWhile => self.iterate_while(call),
            Prim::Iterate => self.iterate(call),
            _ => Ok(Val::Array(self.array_of(call, result)?)),
        }
    }

    /// Evaluates a call that makes an array of type `ty`.
    fn array_of(&mut self, call: &'k PrimCall, ty: &'k Ty) -> Result<Array> {
        let result = ty
            .as_array()
            .ok_or_else(|| malformed(format!("`{}` makes an array, but the result is `{ty}`", call.prim.name())))?;
        let element = &result.element;
        match call.prim {
            Prim::Map(_) => self.map(call, element),
            Prim::Filter(_) => self.filter(call, element),
            Prim::Reduce(_) => self.reduce(call, element),
            Prim::PartRed => self.reduce_pieces(call, element),
            Prim::ReduceByKey(_) => self.reduce_by_key(call, element),
            Prim::ReduceWhileSeq => self.reduce_while(call, element),
            Prim::Scan(_) | Prim::ScanExcl(_) => self.scan(call, element),
            Prim::Generate => self.generate(call, element),
            Prim::Iota => {
                let n = self.count(call, 0)?;
                let mut out = self.collector(element, n)?;
                (0..n).try_for_each(|i| out.push(number(i as i64)?))?;
                Ok(out.finish())
            }
            Prim::Fill => {
                let n = self.count(call, 0)?;
                let v = self.arg(call, call.args.len().saturating_sub(1))?;
                let mut out = self.collector(element, n)?;
                (0..n).try_for_each(|_| out.push(v.clone()))?;
                Ok(out.finish())
            }
            Prim::Gather => self.gather(call, element),
            Prim::Scatter => self.scatter(call, element),
            Prim::Update => self.update(call, element),
            Prim::Sort => {
                let xs = self.array(call, 0)?;
                let order = self.sorted_order(self.fun(call, 0)?, &xs)?;
                views::gather(&self.meter, element, &xs, order)
            }
            Prim::Argsort => {
                let xs = self.array(call, 0)?;
                let order = self.sorted_order(self.fun(call, 0)?, &xs)?;
                let mut out = self.collector(element, xs.len())?;
                order.into_iter().try_for_each(|i| out.push(number(i as i64)?))?;
                Ok(out.finish())
            }
            Prim::Partition => self.partition(call, element),
            _ => self.view(call, result),
        }
    }

    /// Evaluates a call that only moves elements, by a rule that depends on no element.
    fn view(&mut self, call: &'k PrimCall, result: &'k ArrayTy) -> Result<Array> {
        let element = &result.element;
        match call.prim {
            Prim::Zip => {
                let arrays = (0..call.args.len()).map(|i| self.array(call, i)).collect::<Result<Vec<_>>>()?;
                views::zip(&self.meter, element, &arrays)
            }
            Prim::Split => {
                let (xs, k) = (self.array(call, 0)?, self.size(call, 0)?);
                let rows = match k {
                    // Only the type says how many empty rows there are (`partRed` of an empty array).
                    0 if xs.len() == 0 => self.length(&result.len)?.unsigned_abs() as usize,
                    _ => views::exact_quotient(xs.len(), k, "split")?,
                };
                views::split(&self.meter, element, &xs, k, rows)
            }
            Prim::Slide => {
                let (size, step) = (self.size(call, 0)?, self.size(call, 1)?);
                views::slide(&self.meter, element, &self.array(call, 0)?, size, step)
            }
            Prim::Join => views::join(&self.meter, element, &self.array(call, 0)?),
            Prim::Concat => {
                let arrays = (0..call.args.len()).map(|i| self.array(call, i)).collect::<Result<Vec<_>>>()?;
                views::concat(&self.meter, element, &arrays)
            }
            Prim::Pad(mode) => {
                let (l, r) = (self.size(call, 0)?, self.size(call, 1)?);
                views::pad(&self.meter, element, &self.array(call, 0)?, l, r, mode)
            }
            Prim::PadConstant => {
                let (l, r) = (self.size(call, 0)?, self.size(call, 1)?);
                views::pad_constant(&self.meter, element, &self.array(call, 1)?, l, r, &self.arg(call, 0)?)
            }
            Prim::Transpose => {
                let xss = self.array(call, 0)?;
                // Without rows, their length is known only from the type.
                let width = match xss.get(0) {
                    Some(row) => row.array()?.len(),
                    None => self.length(&result.len)? as usize,
                };
                views::transpose(&self.meter, element, &xss, width)
            }
            Prim::Reverse => {
                let xs = self.array(call, 0)?;
                views::gather(&self.meter, element, &xs, (0..xs.len()).rev())
            }
            Prim::Stride => {
                let (xs, s) = (self.array(call, 0)?, self.size(call, 0)?);
                let m = views::exact_quotient(xs.len(), s, "stride")?;
                views::gather(&self.meter, element, &xs, (0..xs.len()).map(|i| i % m * s + i / m))
            }
            Prim::Take => views::window(&self.array(call, 0)?, 0, self.size(call, 0)?, call.prim),
            Prim::Drop => {
                let (xs, k) = (self.array(call, 0)?, self.size(call, 0)?);
                views::window(&xs, k, xs.len().saturating_sub(k), call.prim)
            }
            Prim::Slice => views::window(&self.array(call, 0)?, self.size(call, 0)?, self.size(call, 1)?, call.prim),
            Prim::Tail => {
                let xs = self.array(call, 0)?;
                views::window(&xs, 1, xs.len().saturating_sub(1), call.prim)
            }
            Prim::AsVector => views::as_vector(&self.meter, element, &self.array(call, 0)?, self.size(call, 0)?),
            Prim::AsScalar => views::as_scalar(&self.meter, element, &self.array(call, 0)?),
            _ => Err(malformed(format!("`{}` makes no array", call.prim.name()))),
        }
    }

    fn map(&mut self, call: &'k PrimCall, element: &Ty) -> Result<Array> {
        let (f, xs) = (self.fun(call, 0)?, self.array(call, 0)?);
        let mut out = self.collector(element, xs.len())?;
        for i in 0..xs.len() {
            self.at(f, i)?;
            out.push(self.call(f, [nth(&xs, i)?])?)?;
        }
        Ok(out.finish())
    }

    fn filter(&mut self, call: &'k PrimCall, element: &Ty) -> Result<Array> {
        let (p, xs) = (self.fun(call, 0)?, self.array(call, 0)?);
        let mut out = self.collector(element, xs.len())?;
        for i in 0..xs.len() {
            self.at(p, i)?;
            let x = nth(&xs, i)?;
            if self.call(p, [x.clone()])?.bool()? {
                match call.funs.get(1) {
                    Some(_) => out.push(self.call(self.fun(call, 1)?, [x])?)?,
                    None => out.push(x)?,
                }
            }
        }
        Ok(out.finish())
    }

    fn reduce(&mut self, call: &'k PrimCall, element: &Ty) -> Result<Array> {
        let (f, xs) = (self.fun(call, 0)?, self.array(call, 1)?);
        let mut accumulator = self.arg(call, 0)?;
        for i in 0..xs.len() {
            self.at(f, i)?;
            accumulator = self.call(f, [accumulator, nth(&xs, i)?])?;
        }
        self.singleton(element, accumulator)
    }

    /// The fold of each piece, each from the initial value: `partRed`.
    fn reduce_pieces(&mut self, call: &'k PrimCall, element: &Ty) -> Result<Array> {
        let (f, m, z, xs) = (self.fun(call, 0)?, self.size(call, 0)?, self.arg(call, 0)?, self.array(call, 1)?);
        let piece = views::exact_quotient(xs.len(), m, "partRed")?;
        let mut out = self.collector(element, m)?;
        for k in 0..m {
            let mut accumulator = z.clone();
            for i in 0..piece {
                accumulator = self.call(f, [accumulator, nth(&xs, k * piece + i)?])?;
            }
            out.push(accumulator)?;
        }
        Ok(out.finish())
    }

    fn reduce_while(&mut self, call: &'k PrimCall, element: &Ty) -> Result<Array> {
        let (test, f, xs) = (self.fun(call, 0)?, self.fun(call, 1)?, self.array(call, 1)?);
        let mut accumulator = self.arg(call, 0)?;
        for i in 0..xs.len() {
            if !self.call(test, [accumulator.clone()])?.bool()? {
                break;
            }
            self.at(f, i)?;
            accumulator = self.call(f, [accumulator, nth(&xs, i)?])?;
        }
        self.singleton(element, accumulator)
    }

    fn scan(&mut self, call: &'k PrimCall, element: &Ty) -> Result<Array> {
        let (f, z, xs) = (self.fun(call, 0)?, self.arg(call, 0)?, self.array(call, 1)?);
        let inclusive = matches!(call.prim, Prim::Scan(_));
        let mut out = self.collector(element, xs.len())?;
        let mut accumulator = z;
        for i in 0..xs.len() {
            let next = self.call(f, [accumulator.clone(), nth(&xs, i)?])?;
            out.push(if inclusive { next.clone() } else { accumulator })?;
            accumulator = next;
        }
        Ok(out.finish())
    }

    fn generate(&mut self, call: &'k PrimCall, element: &Ty) -> Result<Array> {
        let f = self.fun(call, 0)?;
        let n = self.count(call, 0)?;
        let mut out = self.collector(element, n)?;
        for i in 0..n {
            self.at(f, i)?;
            out.push(self.call(f, [number(i as i64)?])?)?;
        }
        Ok(out.finish())
    }

    fn gather(&mut self, call: &'k PrimCall, element: &Ty) -> Result<Array> {
        let (f, xs) = (self.fun(call, 0)?, self.array(call, 0)?);
        let mut out = self.collector(element, xs.len())?;
        for i in 0..xs.len() {
            out.push(nth(&xs, self.image(f, i, xs.len())?)?)?;
        }
        Ok(out.finish())
    }

    fn scatter(&mut self, call: &'k PrimCall, element: &Ty) -> Result<Array> {
        let (f, xs) = (self.fun(call, 0)?, self.array(call, 0)?);
        let mut source = vec![None; xs.len()];
        for i in 0..xs.len() {
            let to = self.image(f, i, xs.len())?;
            if source[to].replace(i).is_some() {
                return Err(RunError::failed(&Message::no_permutation(), to as i64, 0));
            }
        }
        let mut out = self.collector(element, xs.len())?;
        source.into_iter().flatten().try_for_each(|i| out.push(nth(&xs, i)?))?;
        Ok(out.finish())
    }

    /// The array with one other element; the same array if an index is out of range.
    fn update(&mut self, call: &'k PrimCall, element: &Ty) -> Result<Array> {
        let xs = self.array(call, 0)?;
        let mut indices = Vec::new();
        for at in 1..call.args.len().saturating_sub(1) {
            indices.push(self.arg(call, at)?.int()?);
        }
        let value = self.arg(call, call.args.len().saturating_sub(1))?;
        Ok(self.updated(element, &xs, &indices, &value)?.unwrap_or(xs))
    }

    fn partition(&mut self, call: &'k PrimCall, element: &Ty) -> Result<Array> {
        let (xs, n) = (self.array(call, 0)?, self.size(call, 0)?);
        let rule = self.fun(call, 0)?;
        let mut lengths = Vec::new();
        for i in 0..n {
            self.at(rule, i)?;
            let len = self.call(rule, [])?.int()?;
            let negative = |_| argument(format!("`partition`: the length of piece {i} is negative: {len}"));
            lengths.push(usize::try_from(len).map_err(negative)?);
        }
        views::partition(&self.meter, element, &xs, &lengths)
    }

    fn reduce_by_key(&mut self, call: &'k PrimCall, element: &Ty) -> Result<Array> {
        let (f, n, z) = (self.fun(call, 0)?, self.size(call, 0)?, self.arg(call, 0)?);
        let (keys, xs) = (self.array(call, 1)?, self.array(call, 2)?);
        let columns = match element.as_array() {
            Some(row) => Some((&row.element, self.length(&row.len)?.unsigned_abs() as usize)),
            None => None,
        };
        let width = columns.map_or(1, |(_, width)| width);
        let cells = n.checked_mul(width).ok_or_else(|| malformed("`reduceByKey` makes too much".into()))?;
        let mut folded = vec![z; cells];
        for i in 0..keys.len() {
            let Some(key) = usize::try_from(nth(&keys, i)?.int()?).ok().filter(|key| *key < n) else { continue };
            let x = nth(&xs, i)?;
            let row = columns.map(|_| x.clone().array()).transpose()?;
            for (j, cell) in folded[key * width..(key + 1) * width].iter_mut().enumerate() {
                let x = row.as_ref().map_or(Ok(x.clone()), |row| nth(row, j))?;
                *cell = self.call(f, [cell.clone(), x])?;
            }
        }
        let mut out = self.collector(element, n)?;
        let mut folded = folded.into_iter();
        for _ in 0..n {
            match columns {
                None => folded.next().map_or(Ok(()), |x| out.push(x))?,
                Some((column, width)) => {
                    let mut row = self.collector(column, width)?;
                    folded.by_ref().take(width).try_for_each(|x| row.push(x))?;
                    out.push(Val::Array(row.finish()))?;
                }
            }
        }
        Ok(out.finish())
    }

    fn iterate(&mut self, call: &'k PrimCall) -> Result<Val> {
        let rounds = self.size(call, 0)?;
        let mut x = self.arg(call, 0)?;
        if call.funs.len() != 1 && call.funs.len() != rounds {
            return Err(malformed(format!("`iterate #{rounds}` has {} functions", call.funs.len())));
        }
        for round in 0..rounds {
            let f = self.fun(call, round.min(call.funs.len() - 1))?;
            x = self.call(f, [x])?;
        }
        Ok(x)
    }

    fn iterate_while(&mut self, call: &'k PrimCall) -> Result<Val> {
        let (test, f) = (self.fun(call, 0)?, self.fun(call, 1)?);
        let mut x = self.arg(call, 0)?;
        for _ in 0..self.limits.iterations {
            if !self.call(test, [x.clone()])?.bool()? {
                return Ok(x);
            }
            x = self.call(f, [x])?;
        }
        let message = format!("`iterateWhile` was stopped after {} rounds", self.limits.iterations);
        Err(RunError::new(RunErrorKind::Limit, message))
    }

    fn unzip(&mut self, call: &'k PrimCall, result: &Ty) -> Result<Val> {
        let xs = self.array(call, 0)?;
        let TyKind::Tuple(types) = result.kind() else {
            return Err(malformed(format!("`unzip` makes a tuple, but the result is `{result}`")));
        };
        let mut parts = Vec::new();
        for (k, ty) in types.iter().enumerate() {
            let element = &ty.as_array().ok_or_else(|| malformed("`unzip` makes arrays".into()))?.element;
            let mut out = self.collector(element, xs.len())?;
            for x in xs.iter() {
                let part = x.tuple()?.get(k).cloned();
                out.push(part.ok_or_else(|| malformed(format!("a tuple has no component {}", k + 1)))?)?;
            }
            parts.push(Val::Array(out.finish()));
        }
        Ok(Val::Tuple(parts.into()))
    }

    fn vectorize(&mut self, call: &'k PrimCall) -> Result<Val> {
        let (f, width) = (self.fun(call, 0)?, self.size(call, 0)?);
        let vectors = (0..call.args.len()).map(|i| self.arg(call, i)?.vec()).collect::<Result<Vec<_>>>()?;
        if f.params.len() != vectors.len() || vectors.iter().any(|v| v.len() != width) {
            return Err(malformed("`vectorize` has other arguments than its function".into()));
        }
        let lane = |i: usize| vectors.iter().map(move |v| v[i].clone());
        let lanes = (0..width).map(|i| self.call_many(f, lane(i)));
        Ok(Val::Vec(lanes.collect::<Result<_>>()?))
    }

    /// The array with another element at these indices, of its axes from the outermost on; `None` if one is out of range.
    fn updated(&self, element: &Ty, xs: &Array, indices: &[i32], value: &Val) -> Result<Option<Array>> {
        let Some((first, rest)) = indices.split_first() else { return Ok(None) };
        let Some(at) = usize::try_from(*first).ok().filter(|at| *at < xs.len()) else { return Ok(None) };
        let value = match (rest, element.as_array()) {
            ([], _) => Some(value.clone()),
            (_, Some(row)) => self.updated(&row.element, &nth(xs, at)?.array()?, rest, value)?.map(Val::Array),
            _ => return Err(malformed("`update` has more indices than axes".into())),
        };
        let Some(value) = value else { return Ok(None) };
        let mut out = self.collector(element, xs.len())?;
        for i in 0..xs.len() {
            out.push(if i == at { value.clone() } else { nth(xs, i)? })?;
        }
        Ok(Some(out.finish()))
    }

    fn singleton(&self, element: &Ty, x: Val) -> Result<Array> {
        let mut out = self.collector(element, 1)?;
        out.push(x)?;
        Ok(out.finish())
    }

    /// The index to which `f` maps index `i` of an array of length `len`.
    fn image(&mut self, f: &'k Lambda, i: usize, len: usize) -> Result<usize> {
        let to = self.call(f, [number(i as i64)?])?.int()?;
        checked_index(i64::from(to), len)
    }

    /// The length argument of `iota`, `generate` and `fill`: a size, or a number computed by the program.
    fn count(&self, call: &PrimCall, arg: usize) -> Result<usize> {
        if !call.sizes.is_empty() {
            return self.size(call, 0);
        }
        let n = self.arg(call, arg)?.int()?;
        usize::try_from(n).map_err(|_| RunError::failed(&Message::impossible_length(), n.into(), 0))
    }

    pub fn size(&self, call: &PrimCall, i: usize) -> Result<usize> {
        let size = call.sizes.get(i).ok_or_else(|| malformed(format!("`{}` lacks a size", call.prim.name())))?;
        Ok(self.length(size)?.unsigned_abs() as usize)
    }

    pub fn fun(&self, call: &'k PrimCall, i: usize) -> Result<&'k Lambda> {
        call.funs.get(i).ok_or_else(|| malformed(format!("`{}` lacks a function", call.prim.name())))
    }

    fn arg(&self, call: &PrimCall, i: usize) -> Result<Val> {
        match call.args.get(i) {
            Some(a) => self.atom(a),
            None => Err(malformed(format!("`{}` lacks an argument", call.prim.name()))),
        }
    }

    pub fn array(&self, call: &PrimCall, i: usize) -> Result<Array> {
        self.arg(call, i)?.array()
    }

    /// Binds the index variable of a function.
    fn at(&mut self, f: &'k Lambda, i: usize) -> Result<()> {
        f.position.as_ref().map_or(Ok(()), |p| self.bind(p, i as i64))
    }
}
