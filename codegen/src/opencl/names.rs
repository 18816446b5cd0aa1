//! Names of generated variables: taken from the source, made legal in OpenCL C and unique in a function.

use lift_analysis::hir::Name;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;

/// The names in use in a function or a file.
#[derive(Debug, Clone, Default)]
pub struct Names {
    used: FxHashSet<Name>,
    /// The next number to try as a suffix, by stem; all smaller ones are in use.
    next: FxHashMap<Name, u32>,
}

impl Names {
    /// A fresh legal name similar to `wish`.
    pub fn fresh(&mut self, wish: &str) -> Name {
        let stem = sanitize(wish);
        // Some names are reserved by their prefix, which no number at the end changes.
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

/// Whether a function of OpenCL C takes many instructions, in a unit of the device for them or in software.
pub fn is_special(name: &str) -> bool {
    const SPECIAL: [&str; 22] = [
        "sqrt", "rsqrt", "exp", "exp2", "log", "log2", "sin", "cos", "sincos", "tan", "asin", "acos", "atan", "sinh",
        "cosh", "tanh", "asinh", "acosh", "atanh", "atan2", "pow", "fmod",
    ];
    SPECIAL.contains(&name)
}

/// Whether such a function takes so many instructions, some of them in branches, that copies of it fill the instruction
/// cache.
pub fn is_long(name: &str) -> bool {
    is_special(name) && !matches!(name, "sqrt" | "rsqrt" | "exp" | "exp2" | "log" | "log2")
}

/// Keeps letters, digits and `_`; never starts with a digit or an underscore.
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

/// Keywords of OpenCL C, C++ for OpenCL, and C11 (the language of emitted hosts), and predefined macros of compilers.
const KEYWORDS: &str = "
    EOF I NULL addrspace_cast alignas alignof and and_eq asm assert auto bitand bitor bool break case catch char class co_await
    co_return co_yield compl complex concept const const_cast constant consteval constexpr constinit continue
    decltype default defined delete do double dynamic_cast else enum errno explicit export extern false far final float
    for friend generic global goto half if imaginary inline int kernel linux local long main mutable namespace near
    new noexcept not not_eq nullptr operator or or_eq override pipe private protected public quad read_only
    read_write register reinterpret_cast requires restrict return short signed sizeof static static_assert
    static_cast stderr stdin stdout struct switch template this thread_local throw true try typedef typeid typename typeof uchar uint
    ulong uniform union unix unsigned ushort using virtual void volatile while write_only xor xor_eq
";

/// Names in the OpenCL C 3.0 specification and in Clang's headers for it, except those that [`FAMILIES`] and
/// [`is_reserved`] recognise by their form.
const STANDARD: &str = "
    INFINITY MAXFLOAT NAN abs abs_diff acos acosh acospi add_sat all any asin asinh asinpi atan atan2 atan2pi atanh
    atanpi barrier bit_reverse bitselect capture_event_profiling_info cbrt ceil clamp cles_khr_int64 clz copysign
    cos cosh cospi create_user_event cross ctz degrees deprecated distance dot endif erf erfc exp exp10 exp2 expm1
    ext_vector_type fabs fdim floor fma fmax fmin fmod format fract frexp gamma hadd hypot ilogb is_valid_event
    is_valid_reserve_id isequal isfinite isgreater isgreaterequal isinf isless islessequal islessgreater isnan
    isnormal isnotequal isordered isunordered ldexp length lgamma lgamma_r log log10 log1p log2 logb mad mad24
    mad_hi mad_sat max maxmag mem_fence min minmag mix modf mul24 mul_hi nan nextafter normalize popcount pow pown
    powr prefetch printf radians release_event remainder remquo retain_event rhadd rint rootn rotate round rsqrt
    select set_user_event_status shuffle shuffle2 sign signbit sin sincos sinh sinpi smoothstep sqrt step sub_sat
    tan tanh tanpi tgamma trunc upsample vec_step vec_type_hint wait_group_events workDimension write_mem_fence
";

/// Prefixes of families of functions, types and macros.
const FAMILIES: &str = "
    CLK_ amd_ arm_ as_ async_ atom_ atomic_ bitfield_ cl_ clk_ commit_ convert_ dot_ enqueue_ fast_ get_ half_ intel_
    kernel_ lift_ memory_ native_ ndrange_ read_image read_mem read_pipe reserve_ sub_group_ vload vstore work_group_
    write_image write_mem write_pipe
";

/// Whether a name has a meaning in OpenCL C, or may have one in a driver's headers. Names in the standards are listed;
/// future ones have a recognisable form: `NAME_NAME` is a macro, `name_t` a type.
fn is_reserved(name: &str) -> bool {
    static WORDS: LazyLock<FxHashSet<&str>> =
        LazyLock::new(|| KEYWORDS.split_whitespace().chain(STANDARD.split_whitespace()).collect());
    static PREFIXES: LazyLock<Vec<&str>> = LazyLock::new(|| FAMILIES.split_whitespace().collect());
    let words_of_capitals =
        |name: &str| name.split('_').skip(1).any(|part| part.starts_with(|c: char| c.is_ascii_uppercase()));
    let is_macro = !name.contains(|c: char| c.is_ascii_lowercase()) && words_of_capitals(name);
    WORDS.contains(name)
        || is_macro
        || name.ends_with("_t")
        || PREFIXES.iter().any(|family| name.starts_with(family))
        || is_vector_type(name)
}

/// Whether the name is a vector type, such as `float4`.
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
                | "quad"
                | "complex"
                | "imaginary"
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
        let wishes = ["INT_MAX", "FLT_EPSILON", "M_PI_2", "vec_step", "image1d_t", "image1d_t", "X1", "X1", "N"];
        let got: Vec<String> = wishes.iter().map(|w| names.fresh(w).to_string()).collect();
        expect!["v_INT_MAX v_FLT_EPSILON v_M_PI_2 v_vec_step v_image1d_t v_image1d_t1 X1 X1_1 N"]
            .assert_eq(&got.join(" "));
    }

    #[test]
    fn a_number_behind_a_name_does_not_make_it_a_type() {
        let mut names = Names::default();
        let got: Vec<String> = (0..6).map(|_| names.fresh("uint_").to_string()).collect();
        expect!["v_uint v_uint1 v_uint2 v_uint3 v_uint4 v_uint5"].assert_eq(&got.join(" "));
    }

    /// Every name in the headers of this machine's device that is not reserved here can be a variable and hides no
    /// helper function.
    #[test]
    fn names_in_the_headers_of_the_standard_do_not_clash() {
        use crate::run::device::{Program, Session};
        const HEADERS: [&str; 2] = ["opencl-c.h", "opencl-c-base.h"];
        let text: String = HEADERS
            .iter()
            .map(|name| format!("/usr/share/pocl/include/{name}"))
            .map(|path| std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}, a part of pocl: {e}")))
            .collect();
        let lines = text.lines().filter(|line| !line.trim_start().starts_with(['*', '/']));
        let (mut words, mut functions) = (std::collections::BTreeSet::new(), Vec::new());
        for line in lines.map(|line| line.split("//").next().unwrap_or_default()) {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            for (at, word) in
                line.split(|c| !is_part(c)).map(|word| (word.as_ptr() as usize - line.as_ptr() as usize, word))
            {
                let is_name = word.starts_with(|c: char| c.is_ascii_alphabetic());
                if is_name && Names::default().fresh(word).as_ref() == word {
                    words.insert(word);
                    if line[at + word.len()..].starts_with('(') {
                        functions.push(word);
                    }
                }
            }
        }
        assert!(functions.is_empty(), "functions whose names are not reserved: {functions:?}");
        assert!(words.len() > 20, "{words:?}");
        let body: String =
            words.iter().map(|word| format!("  {{ const int {word} = 1; out[0] += {word}; }}\n")).collect();
        let session = Session::open(&crate::testing::device(), false).expect("a session");
        if let Err(e) = Program::build(&session, &format!("__kernel void k(__global int* out)\n{{\n{body}}}\n")) {
            panic!("{e:?}");
        }
    }
}
