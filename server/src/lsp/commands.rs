//! `workspace/executeCommand`: generate OpenCL, run a kernel, list the kernels.

use super::child::{self, RunJob};
use super::documents::{file_path, path_of};
use super::progress::Progress;
use super::server::Server;
use super::snapshot::{Failure, File, Outcome, Snapshot};
use crate::engine;
use crate::inputs::run_line::RunLine;
use crate::program::Texts;
use crate::report;
use lift_analysis::ide::{Cancellable, KernelInfo};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tower_lsp_server::gen_lsp_types::*;
use tower_lsp_server::jsonrpc::{Error, Result};

pub const GENERATE_OPENCL: &str = "lift.server.generateOpenCL";
pub const RUN_KERNEL: &str = "lift.server.runKernel";
pub const KERNELS: &str = "lift.server.kernels";
pub const NAMES: [&str; 3] = [GENERATE_OPENCL, RUN_KERNEL, KERNELS];

/// The scheme of generated texts: `lift-opencl:/KERNEL.cl?SOURCE`, with the source's address encoded.
pub const OPENCL_SCHEME: &str = "lift-opencl";

/// The argument of every command: a program and, where one is meant, a kernel of it by name or by a place in it.
#[derive(Debug, Deserialize)]
struct Target {
    uri: Uri,
    position: Option<Position>,
    kernel: Option<String>,
}

/// The further fields of a run's argument.
#[derive(Debug, Deserialize)]
struct RunWishes {
    #[serde(default)]
    inputs: Vec<String>,
    #[serde(default)]
    sizes: BTreeMap<String, u64>,
    device: Option<String>,
}

pub async fn execute(server: &Server, params: ExecuteCommandParams) -> Result<Option<Value>> {
    let argument = params.arguments.and_then(|a| a.into_iter().next()).unwrap_or_default();
    let target: Target = parse(&argument)?;
    match &*params.command {
        KERNELS => server.read(move |snap| kernels(snap, &target)).await.map(Some),
        GENERATE_OPENCL => {
            let generated = server.read(move |snap| generate_opencl(snap, &target));
            let token = params.work_done_progress_params.work_done_token;
            let title = "Generating OpenCL".to_owned();
            // quick as a rule: not worth a display that the client did not ask for
            let progress = Progress::begin(&server.client, &server.cancels, token, false, title).await;
            let result = tokio::select! {
                result = generated => result,
                () = progress.stopped() => Err(Error::request_cancelled()),
            };
            progress.end().await;
            result.map(Some)
        }
        RUN_KERNEL => {
            let wishes: RunWishes = parse(&argument)?;
            let job = server.read(move |snap| run_job(snap, &target, wishes));
            let token = params.work_done_progress_params.work_done_token;
            run(server, job, token).await.map(Some)
        }
        other => Err(Error::invalid_params(format!("there is no command {other}"))),
    }
}

fn parse<T: serde::de::DeserializeOwned>(argument: &Value) -> Result<T> {
    serde_json::from_value(argument.clone()).map_err(|e| Error::invalid_params(format!("the command's argument: {e}")))
}

async fn run(
    server: &Server,
    job: impl Future<Output = Result<RunJob>>,
    token: Option<ProgressToken>,
) -> Result<Value> {
    let job = job.await?;
    let features = server.features();
    let title = format!("Running {}", job.kernel);
    let progress = Progress::begin(&server.client, &server.cancels, token, features.progress, title).await;
    let result = tokio::select! {
        result = child::run(job, features.options.run_time_limit) => result.map_err(Error::from),
        () = progress.stopped() => Err(Error::request_cancelled()),
    };
    progress.end().await;
    result
}

fn kernels(snap: &Snapshot, target: &Target) -> Outcome<Value> {
    let File { path, lines } = snap.file(&target.uri)?;
    let kernels = snap.analysis.kernels(&path)?.into_iter().map(|k| {
        let inputs: Vec<Value> = k.inputs.iter().map(|(name, ty)| json!({ "name": name, "type": ty })).collect();
        let mut out = json!({ "name": k.name, "range": lines.range(k.range), "inputs": inputs, "sizes": k.sizes });
        // a line that does not fit its kernel is reported when it is run
        let run = k.run_line.as_deref().and_then(|line| RunLine::parse(line).ok());
        if let Some(run) = run {
            let inputs: Vec<&str> = k.inputs.iter().map(|(name, _)| &**name).collect();
            let sizes: Vec<&str> = k.sizes.iter().map(|s| &**s).collect();
            if let Ok(run) = run.fit(&inputs, &sizes) {
                out["defaultRun"] = json!({ "inputs": run.inputs, "sizes": run.sizes });
            }
        }
        out
    });
    Ok(Value::Array(kernels.collect()))
}

fn generate_opencl(snap: &Snapshot, target: &Target) -> Outcome<Value> {
    let file = snap.file(&target.uri)?;
    let kernel = chosen(snap, &file, target)?.name;
    let text = compiled(snap, &file, &kernel)?;
    Ok(json!({ "kernel": kernel, "language": "opencl", "text": text, "uri": opencl_uri(&target.uri, &kernel) }))
}

/// The generated text of a kernel; fails with the reasons if it cannot be compiled.
pub fn compiled(snap: &Snapshot, file: &File, kernel: &str) -> Outcome<String> {
    let problems = match engine::program(&snap.analysis, &file.path, kernel, &lift_codegen::target::Target::portable())?
    {
        Ok(program) => return Ok(program.opencl.text),
        Err(problems) => problems,
    };
    let sources = report::Sources { analysis: &snap.analysis, shown: &FxHashMap::default(), here: None };
    let messages: Cancellable<Vec<_>> = problems.iter().map(|p| report::json::message(&sources, p)).collect();
    let first = problems.first().map_or("it has errors", |p| &*p.message);
    let message = format!("{kernel} was not compiled: {first}");
    Err(Failure::failed(message, Some(json!({ "diagnostics": messages? }))))
}

fn opencl_uri(source: &Uri, kernel: &str) -> String {
    let kernel: String = kernel.bytes().map(encode).collect();
    let source: String = source.as_str().bytes().map(encode).collect();
    format!("{OPENCL_SCHEME}:/{kernel}.cl?{source}")
}

/// As `encodeURIComponent` does it.
fn encode(byte: u8) -> String {
    match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'!' | b'~' | b'*' | b'\'' | b'(' | b')' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    }
}

fn decode(text: &str) -> Option<String> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digits = [bytes.next()?, bytes.next()?];
        out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(out).ok()
}

/// The program and the kernel that a generated text's address names.
pub fn opencl_source(uri: &Uri) -> Option<(Uri, String)> {
    let kernel = decode(uri.path().trim_start_matches('/').strip_suffix(".cl")?)?;
    Some((decode(uri.query()?)?.parse().ok()?, kernel))
}

/// The kernel that is meant: the named one, the one around the position, or the only one.
fn chosen(snap: &Snapshot, file: &File, target: &Target) -> Outcome<KernelInfo> {
    let kernels = snap.analysis.kernels(&file.path)?;
    let names = kernels.iter().map(|k| &*k.name).collect::<Vec<_>>().join(", ");
    if let Some(name) = &target.kernel {
        let found = kernels.into_iter().find(|k| k.name == *name);
        return found.ok_or_else(|| {
            let known = if names.is_empty() { String::new() } else { format!("; there is: {names}") };
            Failure::invalid(format!("there is no kernel {name}{known}"))
        });
    }
    let at = target.position.map(|p| file.lines.offset(p));
    if let Some(around) = at.and_then(|at| kernels.iter().find(|k| k.range.contains_inclusive(at))) {
        return Ok(around.clone());
    }
    match <[KernelInfo; 1]>::try_from(kernels) {
        Ok([only]) => Ok(only),
        Err(none) if none.is_empty() => Err(Failure::invalid("the program has no kernel: a form `(lift …)`")),
        Err(_) => Err(Failure::invalid(format!("the program has several kernels, name one: {names}"))),
    }
}

fn run_job(snap: &Snapshot, target: &Target, wishes: RunWishes) -> Outcome<RunJob> {
    let file = snap.file(&target.uri)?;
    let kernel = chosen(snap, &file, target)?.name;
    let folder = file_path(&target.uri).and_then(|p| p.parent().map(Into::into));
    Ok(RunJob {
        path: path_of(&target.uri),
        kernel,
        texts: texts(snap, &file.path)?,
        inputs: wishes.inputs,
        sizes: wishes.sizes,
        device: wishes.device,
        folder,
    })
}

/// The texts of a file and of all it imports, as they are in the editor.
fn texts(snap: &Snapshot, path: &Arc<str>) -> Cancellable<Texts> {
    let mut out = Texts::new();
    for path in report::with_imports(&snap.analysis, vec![path.clone()])? {
        if let Some(text) = snap.analysis.text(&path)? {
            out.insert(path, text);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_generated_text_names_its_source() {
        let source: Uri = "file:///a%20b/c.lift".parse().expect("an address");
        let uri = opencl_uri(&source, "x'%é");
        assert_eq!(uri, "lift-opencl:/x'%25%C3%A9.cl?file%3A%2F%2F%2Fa%2520b%2Fc.lift");
        let parsed: Uri = uri.parse().expect("an address");
        assert_eq!(opencl_source(&parsed), Some((source, "x'%é".to_owned())));
    }
}
