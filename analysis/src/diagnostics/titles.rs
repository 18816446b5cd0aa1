//! The titles of quick fixes: imperatives.

use super::{Edit, Fix};
use crate::node::Name;
use std::fmt::{Display, Formatter, Result};

/// The effect of a fix.
pub enum Title {
    /// Write this text instead.
    Write(String),
    /// Use another name instead.
    ChangeTo(String),
    Rename(String),
    /// Call a function that leaves out the elements after the last whole piece.
    LeaveOutRest(String),
    DeclareSize(Name),
    ExchangeArguments,
    OrderArguments,
    InsertNeutral(String),
    StartFromNeutral(String),
    InsertAscending,
    RemoveComma,
    RemoveCommas,
    ZipArrays,
    CheckLengths,
    /// Give `value` instead of an expression where two lengths differ.
    Otherwise {
        value: String,
        of: Name,
    },
    HideLength,
}

impl Title {
    /// A fix with this title that is applied without asking.
    pub fn certain(self, edits: Vec<Edit>) -> Fix {
        Fix { title: self.to_string(), edits, certain: true }
    }
    /// A fix with this title that the user chooses.
    pub fn proposed(self, edits: Vec<Edit>) -> Fix {
        Fix { title: self.to_string(), edits, certain: false }
    }
}

impl Display for Title {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Title::Write(text) => write!(f, "Write `{text}`"),
            Title::ChangeTo(name) => write!(f, "Change to `{name}`"),
            Title::LeaveOutRest(name) => {
                write!(f, "Write `{name}`, which leaves out the elements after the last whole one")
            }
            Title::Rename(name) => write!(f, "Rename to `{name}`"),
            Title::DeclareSize(name) => write!(f, "Declare `{name}` as a size of the kernel"),
            Title::ExchangeArguments => write!(f, "Exchange the two arguments"),
            Title::OrderArguments => write!(f, "Put the arguments in order"),
            Title::InsertNeutral(neutral) => write!(f, "Insert the neutral element `{neutral}`"),
            Title::StartFromNeutral(neutral) => write!(f, "Start from the neutral element `{neutral}`"),
            Title::InsertAscending => write!(f, "Insert `<`, for ascending order"),
            Title::RemoveComma => write!(f, "Take the comma out"),
            Title::RemoveCommas => write!(f, "Take the commas out of the names"),
            Title::ZipArrays => write!(f, "Go over the arrays together with `zip`"),
            Title::CheckLengths => write!(f, "Check at run time that the lengths are equal"),
            Title::Otherwise { value, of } => write!(f, "Give `{value}` instead of `{of}` where the lengths differ"),
            Title::HideLength => write!(f, "Hide the length with `pack`"),
        }
    }
}
