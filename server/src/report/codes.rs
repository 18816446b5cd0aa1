//! The error codes of this crate, and their pages. The codes of analysis are in [`lift_analysis`].

macro_rules! codes {
    ($($name:ident = $code:literal,)*) => {
        $(pub const $name: &str = $code;)*
        /// Codes with their pages, sorted by code.
        pub const PAGES: &[(&str, &str)] = &[$(($code, include_str!(concat!("../../pages/", $code, ".md"))),)*];
    };
}

codes! {
    BAD_ARGUMENT = "bad-argument",
    CANNOT_DISTRIBUTE = "cannot-distribute",
    CHECKED_CAST = "checked-cast",
    DEVICE = "device",
    INDEX_OUT_OF_RANGE = "index-out-of-range",
    INPUT = "input",
    INTERNAL_ERROR = "internal-error",
    MEMORY = "memory",
    NO_DEVICE = "no-device",
    NO_SUCH_KERNEL = "no-such-kernel",
    NOT_SUPPORTED = "not-supported",
    OPENCL = "opencl",
    RUN_LIMIT = "run-limit",
    TEST_FAILED = "test-failed",
    UNREADABLE_FILE = "unreadable-file",
    UNWRITABLE_FILE = "unwritable-file",
}

/// Codes of analysis that runs report, too.
pub const ASSUMPTION_FALSE: &str = "assumption-false";
pub const DIVISION_BY_ZERO: &str = "division-by-zero";

/// Returns the page about a code of this crate or of analysis.
pub fn page(code: &str) -> Option<&'static str> {
    let own = PAGES.iter().find(|(c, _)| *c == code).map(|(_, page)| *page);
    own.or_else(|| lift_analysis::ide::explain::page(code))
}

/// All codes, sorted.
pub fn all() -> Vec<&'static str> {
    let mut codes = lift_analysis::ide::explain::codes();
    codes.extend(PAGES.iter().map(|(code, _)| *code));
    codes.sort_unstable();
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_not_those_of_analysis_and_begin_their_pages() {
        for (code, page) in PAGES {
            assert!(page.starts_with(&format!("# {code}\n")), "{code}");
            assert!(lift_analysis::ide::explain::page(code).is_none(), "{code}");
        }
        for code in [ASSUMPTION_FALSE, DIVISION_BY_ZERO] {
            assert!(lift_analysis::ide::explain::page(code).is_some(), "{code}");
        }
    }
}
