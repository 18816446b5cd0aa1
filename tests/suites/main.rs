//! Suites of plain tests, in one program.
//!
//! | module | tests |
//! |---|---|
//! | [`builtin_names`] | the names that the grammars of editors colour as built-in |
//! | [`dependencies`] | licences, sources and duplicates of what we depend on |
//! | [`edits`] | what the editor writes |
//! | [`failures`] | what `tests/run` says of a stage that failed |
//! | [`features`] | the table of what works in which editor |
//! | [`install`] | what the installers take for a driver of OpenCL |
//! | [`parts`] | kernels on blocks of their arrays |
//! | [`pieces`] | what `partition` leaves of conditions in generated OpenCL |
//! | [`queries`] | what editors colour, name, bind and fold by the grammar |
//! | [`source_map`] | the way back from generated OpenCL to the source |
//! | [`tree_sitter`] | the grammar that editors colour and fold by, beside our parser |

mod builtin_names;
mod dependencies;
mod edits;
mod failures;
mod features;
mod install;
mod parts;
mod pieces;
mod queries;
mod source_map;
mod tree_sitter;
