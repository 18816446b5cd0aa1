//! Meaning of Lift programs: resolves names, infers sizes and types, inserts opening and packing of hidden lengths,
//! reports errors, and computes what an editor shows.
//!
//! # Data
//!
//! Input: texts under virtual paths. Output: each step is a database query, or plain data inside one:
//!
//! 1. [`db::forms`]: the top-level forms of a file, found by brackets alone; each is an input, updated by [`edit`].
//! 2. [`names::resolve`]: the definition that a name refers to; [`imports`], [`calls`] (recursion).
//! 3. [`bodies::body`]: [`hir::Body`], a form without source locations, beside a [`hir::SourceMap`].
//! 4. [`queries::infer`]: [`infer::Inference`], the types of all expressions, openings, packings, assumptions,
//!    diagnostics.
//! 5. [`queries::signature`]: [`ty::Scheme`], the only part of a definition that other forms see.
//! 6. [`ide::AnalysisHost`] and [`ide::Analysis`]: diagnostics with source ranges, hovers, hints, actions.
//!
//! # Invariants
//!
//! * No text makes anything here fail or panic. Errors are [`diagnostics::Diagnostic`]s; an erroneous expression has
//!   the error type, which conflicts with nothing, so that one mistake gives one error.
//! * Source locations enter only in the last step (`ide`). An edited comment therefore infers nothing, a new line only
//!   moves starts, and an edit inside a body that keeps its type infers that body alone; tests count the queries.
//! * No query of a form depends on all forms of its file, except on data that seldom changes, so that the cost of an
//!   edit does not grow with the file. Whole-file results are cached from edit to edit (`ide::digest`).
//! * Queries never form a cycle: recursion is found over names before anything is inferred. Chains of definitions are
//!   inferred callees first, so that the stack stays flat.
//! * A name refers to the nearest definition: local, file, imports in order, prelude, primitive.
//! * Diagnostic codes never change, and each has a page ([`ide::explain`]).
//! * The crate knows neither protocols nor OpenCL nor the file system.
//!
//! # Modules
//!
//! Each module uses only those above it; a test holds that.
//!
//! | module | job |
//! |---|---|
//! | [`size`] | arithmetic of lengths, a library of its own |
//! | [`scalar`] | the scalar types: one table of names, sizes and kinds |
//! | [`node`], [`ty`] | node ids; types |
//! | [`parameters`] | numbers that decide how fast the generated code is |
//! | [`diagnostics`] | errors and hints: kinds, parts and messages |
//! | [`failure`] | kinds of failures at run time, and how front ends word them |
//! | [`hir`], [`origin`] | a form without source locations; stable names of its expressions |
//! | [`foreign`] | names from other languages, and their equivalents in Lift |
//! | [`lower`] | lowers a form's tree to its body |
//! | [`front`] | terms emitted by front ends of other languages; translates them to bodies and prints them |
//! | [`apl`], [`fcl`] | the front ends for APL and FCL |
//! | [`prims`] | the primitives, read from `prelude/primitives.lift` |
//! | [`db`] | inputs and forms |
//! | [`edit`] | the database with its files; applies edits, and tells which forms they may invalidate |
//! | [`bodies`] | queries from a form's text to its body |
//! | [`imports`], [`names`], [`import_checks`], [`calls`] | imported files, name resolution, the call graph |
//! | [`infer`] | types and existential lengths of one body; elaboration into explicit packs and unpacks |
//! | [`queries`] | queries from a form's body to its type |
//! | [`laws`] | laws of rewriting: read, matched, applied, made into random programs |
//! | [`ide`] | editor features as plain data |

pub mod apl;
pub mod bodies;
pub mod calls;
pub mod db;
pub mod diagnostics;
pub mod edit;
pub mod failure;
pub mod fcl;
pub mod foreign;
pub mod front;
pub mod hir;
pub mod ide;
pub mod import_checks;
pub mod imports;
pub mod infer;
pub mod laws;
pub mod lower;
pub mod names;
pub mod node;
pub mod origin;
pub mod parameters;
pub mod prims;
pub mod queries;
pub mod scalar;
pub mod size;
pub mod ty;

pub use lift_syntax::halves;
