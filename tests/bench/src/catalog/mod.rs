//! The benchmarks: kernels of the gallery, their inputs, peers and goals.

mod apl;
mod fcl;
mod firsts;
mod grids;
mod irregular;
mod linear;
mod nested;
mod points;
mod rows;
mod streams;
mod tuned;
mod widths;

use crate::by_hand::ByHand;
use crate::compare::Check;
use crate::data::Input;
use crate::external::Kind;

/// The size of the inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Tiny inputs, to test only that everything works.
    Small,
    Cpu,
    Gpu,
}

pub struct Benchmark {
    pub name: String,
    /// `examples/gallery/FILE.lift`, or with a folder `examples/FILE.lift`; a name with an extension is complete.
    pub file: &'static str,
    /// The program's text, if it is not one of the examples.
    pub text: Option<String>,
    pub kernel: &'static str,
    pub sizes: Vec<(&'static str, i64)>,
    /// Makes the input buffers, in the order of the kernel's parameters; each scalar component of a type has an array
    /// of its own.
    pub inputs: Box<dyn Fn() -> Vec<Input>>,
    /// Minimal memory traffic in bytes: each input is read once, each result written once.
    pub bytes: f64,
    /// Number of arithmetic operations; 0 if not counted.
    pub operations: f64,
    pub check: Check,
    pub by_hand: Box<dyn Fn(Scale) -> Vec<ByHand>>,
    /// The external peers that have an entry of this name.
    pub external: Vec<Kind>,
    /// Maximal ratio of our time to a peer's.
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
    apl::signal,
    apl::life,
    apl::hotspot,
    apl::easter,
    apl::blackscholes,
    apl::sobol,
    fcl::reverse,
    fcl::transpose,
    fcl::partial_reduce,
    fcl::reduce,
    fcl::reduce_grid,
    fcl::scan,
    fcl::scan_grid,
    fcl::matmul,
    fcl::sobol,
    fcl::blackscholes,
    irregular::triangle_1024,
    irregular::triangle_2048,
    irregular::triangle_4096,
    irregular::triangle_8192,
    irregular::triangle_16384,
    irregular::basic_4096,
    irregular::best_4096,
    irregular::basic_16384,
    irregular::best_16384,
    tuned::log_softmax,
    tuned::spmv,
    tuned::normed,
    tuned::columns,
    tuned::peaks,
    tuned::remainders,
    tuned::large,
];

/// All benchmarks, in the order of the table.
pub fn all(scale: Scale) -> impl Iterator<Item = Benchmark> {
    ALL.iter()
        .map(move |make| make(scale))
        .chain(nested::all(scale))
        .chain(rows::all(scale))
        .chain(firsts::all(scale))
        .chain(widths::all(scale))
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

    /// Returns the name of the entry in external peers, which is the same for all sizes.
    pub fn entry(&self) -> String {
        let words = self.name.split('-').filter(|w| !w.starts_with(|c: char| c.is_ascii_digit()));
        format!("b_{}", words.collect::<Vec<_>>().join("_"))
    }

    /// Formats the sizes, as in "N=2^26 M=512".
    pub fn size(&self) -> String {
        let sizes = self.sizes.iter().map(|(name, n)| match n.count_ones() {
            1 if *n >= 1 << 16 => format!("{name}=2^{}", n.trailing_zeros()),
            _ => format!("{name}={n}"),
        });
        sizes.collect::<Vec<_>>().join(" ")
    }

    /// Sets the goals for GPUs; on processors the goal is 1.2 times the time of the hand-written peers.
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
    /// Returns the value for this scale.
    fn of<T>(self, small: T, cpu: T, gpu: T) -> T {
        match self {
            Scale::Small => small,
            Scale::Cpu => cpu,
            Scale::Gpu => gpu,
        }
    }
    /// Number of work-groups of streaming kernels: a few per compute unit.
    fn groups(self) -> usize {
        self.of(4, 16, 4 * 132)
    }
}
