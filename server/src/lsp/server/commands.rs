//! `workspace/executeCommand`: generate a stage's text, run a kernel or its tests, list the kernels, describe the setup.

use super::Server;
use super::show;
use crate::devices;
use crate::engine;
use crate::inputs::run_line::RunLine;
use crate::lsp::child::{self, RunJob, RunLimits};
use crate::lsp::command_names::*;
use crate::lsp::convert;
use crate::lsp::documents::{file_path, path_of};
use crate::lsp::measured::measurement::Measured;
use crate::lsp::outcome::{Failure, Outcome};
use crate::lsp::progress::Progress;
use crate::lsp::snapshot::{File, Snapshot};
use crate::lsp::tested::Tested;
use crate::lsp::tuning::{self, Tuning};
use crate::lsp::views::view::Address;
use crate::lsp::views::{self, Prepared};
use crate::program::texts;
use crate::report::{self, Problem};
use crate::stages::Stage;
use crate::tune::written::{self, Place, Wish};
use crate::tuned::records::{self, Record};
use lift_analysis::ide::{Cancellable, DocLineKind, KernelInfo};
use lift_codegen::run::report::RunReport;
use lift_codegen::target as compile;
use lift_syntax::Language;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use tokio::sync::mpsc;
use tower_lsp_server::gen_lsp_types::*;
use tower_lsp_server::jsonrpc::{Error, Result};

/// Seconds of a search for which nothing else is asked.
const BUDGET: f64 = 20.0;

/// The argument of every command: a program, and optionally a kernel, by name or by position.
#[derive(Debug, Deserialize)]
struct Target {
    uri: Uri,
    position: Option<Position>,
    kernel: Option<String>,
}

/// Additional field of the argument for generating a text.
#[derive(Debug, Deserialize)]
struct StageWish {
    #[serde(default)]
    stage: Stage,
}

/// Additional fields of the argument for running a kernel.
#[derive(Debug, Deserialize)]
struct RunWishes {
    #[serde(default)]
    inputs: Vec<String>,
    #[serde(default)]
    sizes: BTreeMap<String, u64>,
    device: Option<String>,
}

/// Additional fields of the argument for tuning.
#[derive(Debug, Deserialize)]
struct TuneWishes {
    #[serde(flatten)]
    run: RunWishes,
    budget: Option<f64>,
}

/// Additional fields of the argument for comparing.
#[derive(Debug, Deserialize)]
struct CompareWishes {
    #[serde(flatten)]
    run: RunWishes,
    /// The kernel with which it is compared.
    old: Target,
}

/// Additional fields of the argument for writing a record.
#[derive(Debug, Deserialize)]
struct WriteWishes {
    /// As in the file of records, `rows.team=16`.
    choice: String,
    #[serde(default)]
    copy: bool,
}

pub async fn execute(server: &Server, params: ExecuteCommandParams) -> Result<Option<Value>> {
    let argument = params.arguments.and_then(|a| a.into_iter().next()).unwrap_or_default();
    if *params.command == *SETUP {
        return Ok(Some(setup().await));
    }
    if !NAMES.contains(&&*params.command) {
        return Err(Error::invalid_params(format!("there is no command {}", params.command)));
    }
    let target: Target = parse(&argument)?;
    let token = params.work_done_progress_params.work_done_token;
    match &*params.command {
        KERNELS => server.read(move |snap| kernels(snap, &target)).await.map(Some),
        GENERATE_OPENCL => {
            let StageWish { stage } = parse(&argument)?;
            let (address, text) = generated(server, target, stage, token).await?;
            Ok(Some(json!({
                "kernel": address.kernel,
                "stage": stage,
                "language": stage.language(),
                "text": text,
                "uri": address.to_string(),
            })))
        }
        RUN_KERNEL => {
            let wishes: RunWishes = parse(&argument)?;
            run(server, target, wishes, token).await.map(|report| Some(json!(report)))
        }
        SHOW_OPENCL => {
            let (address, text) = generated(server, target, Stage::Opencl, token).await?;
            show::show(server, &format!("{}.cl", address.kernel), &text).await;
            Ok(None)
        }
        SHOW_RUN => {
            let wishes: RunWishes = parse(&argument)?;
            match run(server, target, wishes, token).await {
                Ok(report) => show::show(server, &format!("{}.result", report.kernel), &show::result(&report)).await,
                // These editors would ignore an error response, too.
                Err(e) => server.client.show_message(MessageType::Error, e.message).await,
            }
            Ok(None)
        }
        TEST_KERNEL => {
            let wishes: RunWishes = parse(&argument)?;
            test(server, target, wishes, token).await.map(|tested| Some(json!(tested)))
        }
        SHOW_TESTS => {
            let wishes: RunWishes = parse(&argument)?;
            match test(server, target, wishes, token).await {
                Ok(tested) => show::show(server, &format!("{}.tests", tested.kernel), &tested.text()).await,
                Err(e) => server.client.show_message(MessageType::Error, e.message).await,
            }
            Ok(None)
        }
        TUNE_KERNEL => {
            let wishes: TuneWishes = parse(&argument)?;
            tune(server, target, wishes, token).await.map(|tuning| Some(json!(tuning)))
        }
        SHOW_TUNING => {
            let wishes: TuneWishes = parse(&argument)?;
            match tune(server, target, wishes, token).await {
                Ok(tuning) => show::show(server, &format!("{}.tuning", tuning.kernel), &tuning.text()).await,
                Err(e) => server.client.show_message(MessageType::Error, e.message).await,
            }
            Ok(None)
        }
        COMPARE_KERNELS => {
            let wishes: CompareWishes = parse(&argument)?;
            compare(server, target, wishes, token).await.map(Some)
        }
        WRITE_TUNED => {
            let wishes: WriteWishes = parse(&argument)?;
            if let Err(e) = write_tuned(server, target, wishes).await {
                server.client.show_message(MessageType::Error, e.message).await;
            }
            Ok(None)
        }
        other => Err(Error::invalid_params(format!("there is no command {other}"))),
    }
}

fn parse<T: serde::de::DeserializeOwned>(argument: &Value) -> Result<T> {
    serde_json::from_value(argument.clone()).map_err(|e| Error::invalid_params(format!("the command's argument: {e}")))
}

async fn run(server: &Server, target: Target, wishes: RunWishes, token: Option<ProgressToken>) -> Result<RunReport> {
    let (job, features) = server.read(move |snap| Ok((run_job(snap, &target, wishes)?, snap.features.clone()))).await?;
    let limits = features.options.run;
    let (path, kernel, inputs) = (job.path.clone(), job.kernel.clone(), job.inputs.clone());
    let shown = Shown { title: format!("Running {kernel}"), limit: format!("at most {}", allowance(limits)), token };
    let report = shown.run(server, |steps| child::run(job, limits, steps)).await?;
    let measured = Measured::of(&report, inputs);
    server.main.write(move |state| state.ran(path, kernel, measured));
    Ok(report)
}

async fn test(server: &Server, target: Target, wishes: RunWishes, token: Option<ProgressToken>) -> Result<Tested> {
    let (job, features) =
        server.read(move |snap| Ok((test_job(snap, &target, wishes)?, snap.features.clone()))).await?;
    let limits = features.options.run;
    let shown = Shown { title: format!("Testing {}", job.kernel), limit: allowance(limits), token };
    shown.run(server, |_| child::test(job, limits)).await
}

async fn tune(server: &Server, target: Target, wishes: TuneWishes, token: Option<ProgressToken>) -> Result<Tuning> {
    let TuneWishes { run, budget } = wishes;
    let seconds = budget.unwrap_or(BUDGET).clamp(0.0, 86_400.0);
    let (job, features) = server.read(move |snap| Ok((run_job(snap, &target, run)?, snap.features.clone()))).await?;
    let shown = Shown { title: format!("Tuning {}", job.kernel), limit: format!("about {seconds} s"), token };
    shown.run(server, |steps| child::tune(job, features.options.run, seconds, steps)).await
}

async fn compare(
    server: &Server,
    target: Target,
    wishes: CompareWishes,
    token: Option<ProgressToken>,
) -> Result<Value> {
    let CompareWishes { run, old } = wishes;
    let wanted = move |snap: &Snapshot| -> Outcome<_> {
        let mut job = run_job(snap, &target, run)?;
        let file = snap.file(&old.uri)?;
        let kernel = chosen(snap, &file, &old)?.name;
        job.texts.extend(texts(&snap.analysis, &file.path)?);
        Ok((job, (file.path.clone(), kernel), snap.features.clone()))
    };
    let (job, old, features) = server.read(wanted).await?;
    let limits = features.options.run;
    let shown = Shown { title: format!("Comparing {}", job.kernel), limit: allowance(limits), token };
    shown.run(server, |_| child::compare(job, old, limits)).await
}

/// Work in a child process whose progress the user sees and may stop.
struct Shown {
    title: String,
    /// How long it may take, shown after each step.
    limit: String,
    token: Option<ProgressToken>,
}

impl Shown {
    /// Does the work, which sends the names of its steps.
    async fn run<T, W>(self, server: &Server, work: impl FnOnce(mpsc::UnboundedSender<String>) -> W) -> Result<T>
    where
        W: Future<Output = Outcome<T>>,
    {
        let Shown { title, limit, token } = self;
        let wanted = server.features().progress;
        let progress = Progress::begin(&server.client, &server.cancels, token, wanted, title).await;
        let (steps, mut told) = mpsc::unbounded_channel::<String>();
        let forward = async {
            while let Some(step) = told.recv().await {
                progress.report(format!("{step} ({limit})")).await;
            }
        };
        let work = async { tokio::join!(work(steps), forward).0 };
        let result = tokio::select! {
            result = work => result.map_err(Error::from),
            () = progress.stopped() => Err(Error::request_cancelled()),
        };
        progress.end().await;
        result
    }
}

/// Writes a choice into the program in the editor.
async fn write_tuned(server: &Server, target: Target, wishes: WriteWishes) -> Result<()> {
    let wanted = move |snap: &Snapshot| -> Outcome<_> {
        let file = snap.file(&target.uri)?;
        let kernel = chosen(snap, &file, &target)?;
        let place = if wishes.copy { Place::Copy } else { Place::Kernel };
        let kept = tuning::kept(&snap.analysis, &file.path, &kernel.name)?.unwrap_or_default();
        let record = kept.into_iter().find(|record| record.choice.to_string() == wishes.choice);
        let record = record.ok_or_else(|| {
            Failure::failed(format!("no search has kept `{}` for {} as it is now", wishes.choice, kernel.name), None)
        })?;
        let texts = texts(&snap.analysis, &file.path)?;
        engine::rewritten::recorded(&texts, &file.path, &record)?.map_err(|why| Failure::failed(why, None))?;
        let wish = Wish { path: &file.path, kernel: &kernel, choice: &record.choice, place, found: &record.found() };
        let targets = compile::Target::named().map(|(_, target)| target);
        let written = written::write(&texts, &wish, &targets)?;
        let written = written.map_err(|why| Failure::failed(why, None))?;
        let like = (place == Place::Kernel).then(|| Record { meaning: written.meaning.clone(), ..record });
        Ok((convert::workspace_edit(snap, &written.change)?, records::file(Path::new(&*file.path)), like))
    };
    let (edit, file, like) = server.read(wanted).await?;
    let applied = server.client.apply_edit(edit).await?;
    if !applied.applied {
        return Err(Failure::failed("the editor did not change the program", None).into());
    }
    // The program needs its record no more.
    match like.map(|like| records::forget(&file, &like)) {
        Some(Err(e)) => Err(Failure::failed(format!("{} cannot be written: {e}", file.display()), None).into()),
        _ => Ok(()),
    }
}

/// Formats limits, as in `60 s, 4096 MB`.
fn allowance(limits: RunLimits) -> String {
    format!("{} s, {} MB", limits.time.as_secs_f64(), limits.memory)
}

/// Describes this program and the devices of the system.
async fn setup() -> Value {
    let program = std::env::current_exe().map(|p| p.display().to_string()).unwrap_or_default();
    let mut out = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "program": program,
        "system": format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
    });
    let (devices, problem) = match devices::ask().await {
        Ok(devices) => (devices.found, devices.problem),
        Err(why) => (Vec::new(), Some(format!("the devices are not known: {why}"))),
    };
    let named = devices.iter().map(|info| json!({ "device": format!("opencl:{}", info.index), "info": info }));
    out["devices"] = named.chain([json!({ "device": "interpreter" })]).collect();
    out["problem"] = json!(problem);
    out
}

fn kernels(snap: &Snapshot, target: &Target) -> Outcome<Value> {
    let File { path, lines } = snap.file(&target.uri)?;
    let kernels = snap.analysis.kernels(&path)?.into_iter().map(|k| {
        let inputs: Vec<Value> = k.inputs.iter().map(|(name, ty)| json!({ "name": name, "type": ty })).collect();
        let mut out = json!({ "name": k.name, "range": lines.range(k.range), "inputs": inputs, "sizes": k.sizes });
        // An unusable line is reported when the kernel runs.
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

fn generate(snap: &Snapshot, target: &Target, stage: Stage) -> Outcome<(Address, Prepared)> {
    let file = snap.file(&target.uri)?;
    let kernel = chosen(snap, &file, target)?.name;
    let address = Address { source: target.uri.clone(), kernel, stage };
    let prepared = views::prepare(snap, &address)?;
    if let Some(problems) = prepared.problems() {
        return Err(refusal(snap, &address.kernel, problems)?);
    }
    Ok((address, prepared))
}

/// The failure of a request for a stage that cannot be generated.
fn refusal(snap: &Snapshot, kernel: &str, problems: &[Problem]) -> Cancellable<Failure> {
    let sources = report::Sources { analysis: &snap.analysis, shown: &FxHashMap::default(), here: None };
    let messages = problems.iter().map(|p| report::json::message(&sources, p)).collect::<Cancellable<Vec<_>>>()?;
    let first = problems.first().map_or("it has errors", |p| &*p.message);
    let message = format!("{kernel} was not compiled: {first}");
    Ok(Failure::failed(message, Some(json!({ "diagnostics": messages }))))
}

/// Generates the text of a stage.
async fn generated(
    server: &Server,
    target: Target,
    stage: Stage,
    token: Option<ProgressToken>,
) -> Result<(Address, String)> {
    let prepared = server.read(move |snap| generate(snap, &target, stage));
    // This is usually fast, so progress is shown only if the client passed a token.
    let title = "Generating OpenCL".to_owned();
    let progress = Progress::begin(&server.client, &server.cancels, token, false, title).await;
    let work = async {
        let (address, prepared) = prepared.await?;
        match server.main.compute(move || prepared.make()).await? {
            Ok(made) => Ok((address, made.text)),
            // Reported like problems found by analysis.
            Err(problems) => {
                let told = move |snap: &Snapshot| -> Outcome<_> { Err(refusal(snap, &address.kernel, &problems)?) };
                server.read(told).await
            }
        }
    };
    let result = tokio::select! {
        result = work => result,
        () = progress.stopped() => Err(Error::request_cancelled()),
    };
    progress.end().await;
    result
}

/// Returns the named kernel, the one around the position, or the only one.
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
        Err(none) if none.is_empty() => {
            let kernel = Language::of_path(&file.path).kernel();
            Err(Failure::invalid(format!("the program has no kernel: {kernel}")))
        }
        Err(_) => Err(Failure::invalid(format!("the program has several kernels, name one: {names}"))),
    }
}

fn test_job(snap: &Snapshot, target: &Target, wishes: RunWishes) -> Outcome<RunJob> {
    let kernel = chosen(snap, &snap.file(&target.uri)?, target)?;
    if !kernel.lines.iter().any(|line| line.kind == DocLineKind::Test) {
        let wanted = "a line such as `;;; test: xs=[1,2,3] => [2,3]` above it";
        return Err(Failure::failed(format!("{} has no test: {wanted}", kernel.name), None));
    }
    run_job(snap, target, wishes)
}

fn run_job(snap: &Snapshot, target: &Target, wishes: RunWishes) -> Outcome<RunJob> {
    let file = snap.file(&target.uri)?;
    let kernel = chosen(snap, &file, target)?.name;
    let folder = file_path(&target.uri).and_then(|p| p.parent().map(Into::into));
    Ok(RunJob {
        path: path_of(&target.uri),
        kernel,
        texts: texts(&snap.analysis, &file.path)?,
        inputs: wishes.inputs,
        sizes: wishes.sizes,
        device: wishes.device,
        folder,
    })
}
