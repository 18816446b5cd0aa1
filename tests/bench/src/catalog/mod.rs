//! The benchmarks: which kernel of the gallery, on what, beside whom, and how fast it is meant to be.

mod grids;
mod irregular;
mod linear;
mod nested;
mod points;
mod rows;
mod streams;
mod widths;

use crate::by_hand::ByHand;
use crate::compare::Check;
use crate::data::Input;
use crate::external::Kind;

/// How large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Whether it works at all.
    Small,
    Cpu,
    Gpu,
}

pub struct Benchmark {
    pub name: String,
    /// `examples/gallery/FILE.lift`, or with a folder `examples/FILE.lift`.
    pub file: &'static str,
    /// The program, if it is none of the examples.
    pub text: Option<String>,
    pub kernel: &'static str,
    pub sizes: Vec<(&'static str, i64)>,
    /// What the input buffers hold, in the order of the kernel's parameters, each scalar of a type an array of its own.
    pub inputs: Box<dyn Fn() -> Vec<Input>>,
    /// What must at least be moved between memory and the device, in bytes: each input read once, each result written
    /// once.
    pub bytes: f64,
    /// Arithmetic operations; 0 where nobody counts them.
    pub operations: f64,
    pub check: Check,
    pub by_hand: Box<dyn Fn(Scale) -> Vec<ByHand>>,
    /// Who else has an entry of this name.
    pub external: Vec<Kind>,
    /// Our time by theirs, at most.
    pub goals: Vec<(Kind, f64)>,
}

const ALL: &[fn(Scale) -> Benchmark] = &[
    streams::scale,
    streams::reverse,
    streams::sum,
    streams::dot,
    streams::scan,
    streams::filter,
    streams::filter_map,
    streams::filter_map_million,
    streams::filter_map_ten_thousand,
    streams::histogram,
    streams::sort,
    streams::sort_floats,
    streams::argsort,
    streams::primes,
    linear::transpose,
    linear::gemv,
    linear::matmul,
    linear::spmv,
    grids::box3,
    grids::box9,
    grids::jacobi2d,
    grids::jacobi3d,
    grids::hotspot,
    grids::blur,
    grids::life,
    points::nbody,
    points::assign,
    points::kmeans,
    points::nearest,
    points::mriq,
    points::blackscholes,
    points::mandelbrot,
    points::sobol,
    points::option,
    irregular::triangle_1024,
    irregular::triangle_2048,
    irregular::triangle_4096,
    irregular::triangle_8192,
    irregular::triangle_16384,
    irregular::basic_4096,
    irregular::best_4096,
    irregular::basic_16384,
    irregular::best_16384,
];

/// All benchmarks, in the order of the table.
pub fn all(scale: Scale) -> impl Iterator<Item = Benchmark> {
    ALL.iter().map(move |make| make(scale)).chain(nested::all(scale)).chain(rows::all(scale)).chain(widths::all(scale))
}

/// The goals of most benchmarks on a GPU.
const USUAL: &[(Kind, f64)] = &[(Kind::Futhark, 0.7), (Kind::Hand, 1.1)];

impl Benchmark {
    fn new(name: &str, file: &'static str, kernel: &'static str) -> Benchmark {
        Benchmark {
            name: name.to_owned(),
            file,
            text: None,
            kernel,
            sizes: Vec::new(),
            inputs: Box::new(Vec::new),
            bytes: 0.0,
            operations: 0.0,
            check: Check::Exact,
            by_hand: Box::new(|_| Vec::new()),
            external: Vec::new(),
            goals: Vec::new(),
        }
    }

    /// The name of the entry in other programs: one for all sizes.
    pub fn entry(&self) -> String {
        let words = self.name.split('-').filter(|w| !w.starts_with(|c: char| c.is_ascii_digit()));
        format!("b_{}", words.collect::<Vec<_>>().join("_"))
    }

    /// "N=2^26 M=512"
    pub fn size(&self) -> String {
        let sizes = self.sizes.iter().map(|(name, n)| match n.count_ones() {
            1 if *n >= 1 << 16 => format!("{name}=2^{}", n.trailing_zeros()),
            _ => format!("{name}={n}"),
        });
        sizes.collect::<Vec<_>>().join(" ")
    }

    /// On a GPU these goals; on a processor 1.2 times the best of what is written by hand.
    fn goals(mut self, scale: Scale, gpu: &[(Kind, f64)]) -> Benchmark {
        self.goals = match scale {
            Scale::Gpu => gpu.to_vec(),
            Scale::Cpu => vec![(Kind::Hand, 1.2), (Kind::OpenMp, 1.2)],
            Scale::Small => Vec::new(),
        };
        self
    }
}

impl Scale {
    /// What fits this scale.
    fn of<T>(self, small: T, cpu: T, gpu: T) -> T {
        match self {
            Scale::Small => small,
            Scale::Cpu => cpu,
            Scale::Gpu => gpu,
        }
    }
    /// Groups of streaming kernels: a few for each compute unit.
    fn groups(self) -> usize {
        self.of(4, 16, 4 * 132)
    }
}
