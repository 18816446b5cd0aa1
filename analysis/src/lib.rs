//! Resolution: what the names, sizes and types of a Lift program are, which hidden lengths are opened and packed where, what
//! is wrong, and what an editor shows of all that.
//!
//! # Data
//!
//! In: texts under virtual paths. Out, each step a query of the database or plain data inside one:
//!
//! 1. [`db::forms`]: a file as top-level forms, found by brackets alone; each an input, kept up with edits by [`edit`].
//! 2. [`names::resolve`]: what a name means in a file; [`imports`], [`calls`] (recursion).
//! 3. [`bodies::body`]: [`hir::Body`], a form without positions, beside a [`hir::SourceMap`].
//! 4. [`queries::infer`]: [`infer::Inference`], a type for every expression, openings, packings, assumptions, diagnostics.
//! 5. [`queries::signature`]: [`ty::Scheme`], all that other forms see of a definition.
//! 6. [`ide::AnalysisHost`] and [`ide::Analysis`]: diagnostics with their places, hovers, hints, actions.
//!
//! # Invariants
//!
//! * Nothing here fails or panics for any text; what is wrong is a [`diagnostics::Diagnostic`], and what is broken has
//!   the error type, which conflicts with nothing: one mistake is one error.
//! * Positions enter only in the last step (`ide`). So a comment infers nothing, a new line above moves starts only, and
//!   an edit inside a body that keeps its type infers that one body; tests count the queries.
//! * What a form is asked never looks at all forms of its file, but for what seldom changes: an edit costs the same in a
//!   long file. What is shown of all forms is kept from edit to edit (`ide::digest`).
//! * Queries never run in circles: recursion is found over names before anything is inferred. Chains of definitions are
//!   inferred from their beginning, so that the stack does not grow with them.
//! * A name that can be looked up in two places means the nearest: local, file, imports in order, prelude, primitive.
//! * Codes of diagnostics never change, and each has a page ([`ide::explain`]).
//! * The crate knows neither protocols nor OpenCL nor the file system.
//!
//! # Modules
//!
//! Each uses only those above it; a test holds that.
//!
//! | module | job |
//! |---|---|
//! | [`size`] | arithmetic of lengths, a library of its own |
//! | [`node`], [`ty`] | ids of nodes, scalars; types |
//! | [`diagnostics`] | what is wrong, its kinds and its words |
//! | [`hir`], [`origin`] | a form without positions; its places |
//! | [`foreign`] | words of other languages, and what is written for them here |
//! | [`lower`] | a form's tree to its body |
//! | [`front`] | terms that front ends of other languages make, and the way to a body and to text |
//! | [`apl`] | the front end for APL |
//! | [`prims`] | the primitives, read from `prelude/primitives.lift` |
//! | [`db`] | inputs and forms |
//! | [`edit`] | the database with its files; what an edit changes of them |
//! | [`dependents`] | which forms an edit may concern |
//! | [`bodies`] | from a form's text to its body |
//! | [`imports`], [`names`], [`import_checks`], [`calls`] | files of a program, names of a file, who uses whom |
//! | [`infer`] | types and existential lengths of one body; where packs and unpacks stand in the text |
//! | [`queries`] | from a form's body to its type |
//! | [`ide`] | the features of an editor as plain data |

pub mod apl;
pub mod bodies;
pub mod calls;
pub mod db;
pub mod dependents;
pub mod diagnostics;
pub mod edit;
pub mod foreign;
pub mod front;
pub mod hir;
pub mod ide;
pub mod import_checks;
pub mod imports;
pub mod infer;
pub mod lower;
pub mod names;
pub mod node;
pub mod origin;
pub mod prims;
pub mod queries;
pub mod size;
pub mod ty;
