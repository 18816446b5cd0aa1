//! The option `--size N=1000`.

/// Parses `NAME=NUMBER`. An error is a message for the user.
pub fn size(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("the form is NAME=NUMBER")?;
    let value = value.trim().parse().map_err(|_| format!("`{value}` is not a number"))?;
    if value < 0 {
        return Err("a size is not negative".to_owned());
    }
    Ok((name.trim().to_owned(), value))
}
