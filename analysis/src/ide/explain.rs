//! The pages of the error codes.
pub fn page(_code: &str) -> Option<&'static str> {
    None
}
