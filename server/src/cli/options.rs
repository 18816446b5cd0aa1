//! Options that several commands have.

use lift_codegen::target::Target;

/// Which code is generated, for commands that run it.
#[derive(Debug, clap::Args)]
pub struct Code {
    /// What to generate for: `portable`, `gpu`, `nvidia` or `cpu`. Default: what suits the device.
    #[arg(long, value_name = "TARGET")]
    pub target: Option<Target>,
    /// Omit checks in the kernels: a wrong index, a division by zero or an impossible length is then undefined
    /// behaviour.
    #[arg(long)]
    pub unchecked: bool,
    /// Ignore the records of `lift tune`.
    #[arg(long)]
    pub untuned: bool,
}

/// Parses the `NAME=NUMBER` of `--size`. An error is a message for the user.
pub fn size(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("the form is NAME=NUMBER")?;
    let value = value.trim().parse().map_err(|_| format!("`{value}` is not a number"))?;
    if value < 0 {
        return Err("a size is not negative".to_owned());
    }
    Ok((name.trim().to_owned(), value))
}

/// Parses a number of seconds.
pub fn seconds(text: &str) -> Result<f64, String> {
    amount(text).ok_or_else(|| format!("`{}` is not a number of seconds", text.trim()))
}

/// Parses a ratio or a percentage.
pub fn ratio(text: &str) -> Result<f64, String> {
    amount(text).ok_or_else(|| format!("`{}` is not a number from 0 on", text.trim()))
}

/// A finite number that is not negative.
fn amount(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

/// Parses megabytes; the result is in bytes.
pub fn megabytes(text: &str) -> Result<u64, String> {
    let megabytes: u64 = text.parse().map_err(|_| format!("`{text}` is not a number of megabytes"))?;
    Ok(megabytes.saturating_mul(1_000_000))
}
