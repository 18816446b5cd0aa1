//! Names of generated variables: taken from the source, made legal in OpenCL C, unique in a function.

use lift_analysis::hir::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// The names in use in a function or a text.
#[derive(Debug, Clone, Default)]
pub struct Names {
    used: FxHashSet<Name>,
    /// By what a name begins with, the first number behind it that was not tried: all before are in use.
    next: FxHashMap<Name, u32>,
}

impl Names {
    /// A fresh legal name that resembles `wish`.
    pub fn fresh(&mut self, wish: &str) -> Name {
        let stem = sanitize(wish);
        // Some names are reserved by how they begin, so that no number behind them would help.
        let stem = if is_reserved(&stem) { format!("v_{stem}") } else { stem };
        let separator = if stem.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
        let stem: Name = stem.as_str().into();
        let mut name = stem.clone();
        if self.used.contains(&name) {
            let next = self.next.entry(stem.clone()).or_insert(1);
            while self.used.contains(&name) || is_reserved(&name) {
                name = format!("{stem}{separator}{next}").into();
                *next += 1;
            }
        }
        self.used.insert(name.clone());
        name
    }
    pub fn reserve(&mut self, name: &str) {
        self.used.insert(name.into());
    }
}

/// Letters, digits and `_` only, not starting with a digit or two underscores.
fn sanitize(wish: &str) -> String {
    let mut out = String::with_capacity(wish.len());
    for c in wish.chars() {
        match c {
            c if c.is_ascii_alphanumeric() || c == '_' => out.push(c),
            '\'' => out.push_str("_p"),
            'λ' => out.push_str("lambda"),
            '?' => out.push_str("_p"),
            _ => {
                if !out.ends_with('_') {
                    out.push('_');
                }
            }
        }
    }
    let trimmed = out.trim_matches('_');
    match trimmed.chars().next() {
        None => "v".into(),
        Some(c) if c.is_ascii_digit() => format!("v{trimmed}"),
        Some(_) => trimmed.chars().take(40).collect(),
    }
}

/// Words that mean something in OpenCL C, or that a helper or a macro of a driver is called.
fn is_reserved(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "auto",
        "break",
        "case",
        "char",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "float",
        "for",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "register",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "typedef",
        "union",
        "unsigned",
        "void",
        "volatile",
        "while",
        "bool",
        "uchar",
        "ushort",
        "uint",
        "ulong",
        "size_t",
        "ptrdiff_t",
        "intptr_t",
        "uintptr_t",
        "half",
        "quad",
        "complex",
        "imaginary",
        "kernel",
        "global",
        "local",
        "constant",
        "private",
        "generic",
        "pipe",
        "read_only",
        "write_only",
        "read_write",
        "true",
        "false",
        "event_t",
        "image2d_t",
        "image3d_t",
        "sampler_t",
        "queue_t",
        "NULL",
        "INFINITY",
        "NAN",
        "HUGE_VAL",
        "MAXFLOAT",
        "M_PI",
        "M_E",
        "abs",
        "min",
        "max",
        "clamp",
        "sqrt",
        "exp",
        "log",
        "sin",
        "cos",
        "tan",
        "pow",
        "floor",
        "ceil",
        "fmin",
        "fmax",
        "fabs",
        "barrier",
        "select",
        "any",
        "all",
        "dot",
        "length",
        "distance",
        "normalize",
        "cross",
        "sign",
        "step",
        "mix",
        "round",
        "rint",
        "trunc",
        "fma",
        "sincos",
        "mad",
        "hypot",
        "remainder",
        "printf",
        "shuffle",
        "prefetch",
        "popcount",
        "rotate",
        "clz",
        "isnan",
        "isinf",
        "isequal",
        "vload2",
        "vstore2",
        "as_int",
        "as_uint",
        "as_float",
        "main",
        "defined",
        "typeof",
        "class",
        "template",
        "this",
        "new",
        "delete",
        "operator",
        "namespace",
        "wait_group_events",
        "erf",
        "gamma",
        "tgamma",
        "lgamma",
        "ldexp",
        "modf",
        "fract",
        "fdim",
        "fmod",
        "exp2",
        "exp10",
        "expm1",
        "log2",
        "log10",
        "log1p",
        "logb",
        "cbrt",
        "acos",
        "asin",
        "atan",
        "atan2",
        "cosh",
        "sinh",
        "tanh",
        "rsqrt",
        "pown",
        "powr",
        "rootn",
        "degrees",
        "radians",
        "mad24",
        "mul24",
        "mul_hi",
        "hadd",
        "rhadd",
        "add_sat",
        "sub_sat",
        "upsample",
        "bitselect",
        "nan",
        "ilogb",
        "frexp",
        "nextafter",
        "maxmag",
        "minmag",
        "copysign",
        "signbit",
        "mem_fence",
        "linux",
        "unix",
        "assert",
        "quadratic",
        "near",
        "far",
        "I",
        "asm",
    ];
    WORDS.contains(&name)
        || name.starts_with("lift_")
        || name.starts_with("get_")
        || name.starts_with("convert_")
        || name.starts_with("atomic_")
        || name.starts_with("CL_")
        || name.starts_with("CLK_")
        || name.starts_with("cl_")
        || name.starts_with("vload")
        || name.starts_with("vstore")
        || name.starts_with("as_")
        || name.starts_with("native_")
        || name.starts_with("half_")
        || name.starts_with("work_group")
        || is_vector_type(name)
}

/// `float4` and the like.
fn is_vector_type(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    stem.len() < name.len()
        && matches!(
            stem,
            "char"
                | "uchar"
                | "short"
                | "ushort"
                | "int"
                | "uint"
                | "long"
                | "ulong"
                | "float"
                | "double"
                | "half"
                | "bool"
        )
}

#[cfg(test)]
mod tests {
    use super::Names;
    use expect_test::expect;

    #[test]
    fn names_are_legal_and_different() {
        let mut names = Names::default();
        let wishes =
            ["xs", "xs", "xs'", "float", "get_x", "as_is", "x1", "x1", "->", "3d", "float4", "int8", "λ", "a-b", ""];
        let got: Vec<String> = wishes.iter().map(|w| names.fresh(w).to_string()).collect();
        expect!["xs xs1 xs_p v_float v_get_x v_as_is x1 x1_1 v v3d v_float4 v_int8 lambda a_b v1"]
            .assert_eq(&got.join(" "));
    }

    #[test]
    fn a_number_behind_a_name_does_not_make_it_a_type() {
        let mut names = Names::default();
        let got: Vec<String> = (0..6).map(|_| names.fresh("uint_").to_string()).collect();
        expect!["v_uint v_uint1 v_uint2 v_uint3 v_uint4 v_uint5"].assert_eq(&got.join(" "));
    }
}
