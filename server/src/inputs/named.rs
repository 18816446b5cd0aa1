//! Inputs on a command line that name their parameter or size, as the lines `;;; run:` do: `xs=[1,2] N=1000`.

use std::collections::BTreeMap;
use std::path::Path;

/// Inputs in the order of the parameters, and sizes.
pub type Ordered = (Vec<String>, BTreeMap<String, i64>);

/// Puts inputs with a name where they belong; the others take the remaining parameters in order. A file whose name looks
/// like that of an input is a file.
pub fn in_order(inputs: &[String], parameters: &[&str], sizes: &[&str]) -> Result<Ordered, String> {
    let mut given: BTreeMap<&str, &str> = BTreeMap::new();
    let mut others = Vec::new();
    for input in inputs {
        let named = input.split_once('=').filter(|(name, _)| is_name(name) && !Path::new(input).exists());
        let Some((name, value)) = named else {
            others.push(input.clone());
            continue;
        };
        if !parameters.contains(&name) && !sizes.contains(&name) {
            return Err(format!("`{input}` names no input and no file: {}", known(parameters)));
        }
        if given.insert(name, value).is_some() {
            return Err(format!("`{name}` is given twice"));
        }
    }
    let mut numbers = BTreeMap::new();
    for name in sizes.iter().filter(|name| !parameters.contains(name)) {
        if let Some(value) = given.remove(name) {
            let number = value.parse().map_err(|_| format!("`{name}={value}` is not a size"))?;
            numbers.insert((*name).to_owned(), number);
        }
    }
    if given.is_empty() {
        return Ok((others, numbers));
    }
    let mut others = others.into_iter();
    let mut ordered = Vec::new();
    for name in parameters {
        let value = given.get(name).map(|value| (*value).to_owned()).or_else(|| others.next());
        ordered.push(value.ok_or_else(|| format!("no value is given for `{name}`"))?);
    }
    ordered.extend(others);
    Ok((ordered, numbers))
}

/// Whether a text may be the name of an input, not a path or a source such as `csv:NAME`.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '\''))
}

fn known(parameters: &[&str]) -> String {
    let names: Vec<String> = parameters.iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => "the kernel takes none".into(),
        [one] => format!("the input is {one}"),
        several => format!("the inputs are {}", several.join(", ")),
    }
}
