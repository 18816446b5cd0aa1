//! `lift doc`: writes Markdown pages about the definitions of a folder and of the prelude.

use super::{Console, Status, answered};
use crate::files;
use crate::program::Program;
use crate::report::{Problem, codes};
use lift_analysis::db::PRELUDE_PATH;
use lift_analysis::ide::{Analysis, Cancellable, DocLineKind, Documented, KernelInfo, SymbolKind};
use lift_analysis::prims::PRIMITIVES_PATH;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Depth to which nested folders are searched.
const MAX_DEPTH: usize = 64;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Where to write the Markdown pages; created if missing.
    #[arg(short = 'o', value_name = "DIR", default_value = "doc")]
    output: PathBuf,
    /// The folder with the programs.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

pub fn run(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let mut sources = Vec::new();
    if let Err(e) = programs_below(&arguments.folder, MAX_DEPTH, &mut sources) {
        console.error(&format!("{}: {e}", arguments.folder.display()));
        return Ok(Status::Misused);
    }
    if sources.is_empty() {
        console.error(&format!("{} has no `.lift` files", arguments.folder.display()));
        return Ok(Status::Wrong);
    }
    let program = answered(Program::load(&sources))?;
    let mut wrong = console.problems(&program.sources(), super::Format::Text, &program.unreadable)?;
    let pages = Pages::new(&program, &arguments.folder);
    let mut written = answered(pages.all())?;
    written.insert("index.md".to_owned(), pages.index(&written));
    for (name, text) in &written {
        let target = arguments.output.join(name);
        let folder = target.parent().unwrap_or(&arguments.output);
        let done = std::fs::create_dir_all(folder).and_then(|()| files::write_atomically(&target, text.as_bytes()));
        if let Err(e) = done {
            let message = format!("{} cannot be written: {e}", target.display());
            let problem = Problem::error(&target.display().to_string().into(), codes::UNWRITABLE_FILE, message);
            wrong += console.problems(&program.sources(), super::Format::Text, &[problem])?;
            break;
        }
    }
    if wrong == 0 {
        console.line(&format!("{}: {} pages", arguments.output.join("index.md").display(), written.len()))?;
    }
    Ok(Status::wrong_if(wrong > 0))
}

/// Collects the programs in a folder and its subfolders, sorted by name; skips hidden folders and symbolic links to
/// folders.
fn programs_below(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries: Vec<std::fs::DirEntry> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(|entry| entry.file_name());
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if kind.is_dir() && !hidden && depth > 0 {
            programs_below(&path, depth - 1, found)?;
        } else if !kind.is_dir() && path.extension().is_some_and(|e| e == "lift") {
            found.push(path);
        }
    }
    Ok(())
}

/// The page of each file of a program.
struct Pages<'a> {
    program: &'a Program,
    /// Page name (without `.md`, with `/`) by the file's path in the analysis.
    of_file: BTreeMap<Arc<str>, String>,
}

impl Pages<'_> {
    fn new<'a>(program: &'a Program, folder: &Path) -> Pages<'a> {
        let page = |path: &Arc<str>| {
            let shown = program.sources().shown(path);
            let below = Path::new(&shown).strip_prefix(folder).unwrap_or(Path::new(&shown)).with_extension("");
            below.to_string_lossy().replace('\\', "/")
        };
        let mut of_file: BTreeMap<Arc<str>, String> =
            program.roots.iter().map(|path| (path.clone(), page(path))).collect();
        for (path, name) in [(PRELUDE_PATH, "lift-prelude"), (PRIMITIVES_PATH, "lift-primitives")] {
            of_file.insert(path.into(), name.to_owned());
        }
        Pages { program, of_file }
    }

    fn analysis(&self) -> &Analysis {
        &self.program.analysis
    }

    /// Renders every page except the index, by file name.
    fn all(&self) -> Cancellable<BTreeMap<String, String>> {
        let page = |(path, name): (&Arc<str>, &String)| -> Cancellable<(String, String)> {
            Ok((format!("{name}.md"), self.page(path, name)?))
        };
        self.of_file.iter().map(page).collect()
    }

    fn index(&self, pages: &BTreeMap<String, String>) -> String {
        let mut out = "# Definitions\n\n".to_owned();
        for (name, text) in pages {
            let title = text.lines().next().unwrap_or_default().trim_start_matches("# ");
            let is_about =
                |line: &&str| !line.is_empty() && !line.starts_with(['<', '#']) && !line.starts_with("Imports [");
            let about = text.lines().nth(2).filter(is_about);
            let about = about.map_or(String::new(), |line| format!(": {}", line.trim()));
            let _ = writeln!(out, "* [{title}]({}){about}", encoded(name));
        }
        out
    }

    fn page(&self, path: &Arc<str>, page: &str) -> Cancellable<String> {
        let title = match &**path {
            PRELUDE_PATH => "The prelude".to_owned(),
            PRIMITIVES_PATH => "The primitives".to_owned(),
            _ => format!("{page}.lift"),
        };
        let mut out = format!("# {title}\n\n");
        let text = self.analysis().text(path)?.unwrap_or_default();
        let head = head_comment(&text);
        if !head.is_empty() {
            let _ = writeln!(out, "{head}\n");
        }
        let imports: Vec<String> = self
            .analysis()
            .imports(path)?
            .iter()
            .filter_map(|import| {
                let other = self.of_file.get(import)?;
                Some(format!("[{other}.lift]({})", link(page, other)))
            })
            .collect();
        if !imports.is_empty() {
            let _ = writeln!(out, "Imports {}.\n", imports.join(", "));
        }
        let kernels = self.analysis().kernels(path)?;
        for definition in self.analysis().documented(path)? {
            let kernel = kernels.iter().find(|k| definition.kind == SymbolKind::Kernel && k.name == definition.name);
            self.definition(&mut out, path, page, &definition, kernel)?;
        }
        Ok(out)
    }

    fn definition(
        &self,
        out: &mut String,
        path: &Arc<str>,
        page: &str,
        definition: &Documented,
        kernel: Option<&KernelInfo>,
    ) -> Cancellable<()> {
        let Documented { name, ty, docs, aliases, .. } = definition;
        let what = if kernel.is_some() { "kernel " } else { "" };
        let _ = writeln!(out, "<a id=\"{}\"></a>\n\n## {what}`{name}`\n\n```lift\n{name} : {ty}\n```\n", anchor(name));
        if !aliases.is_empty() {
            let names: Vec<String> = aliases.iter().map(|alias| format!("`{alias}`")).collect();
            let _ = writeln!(out, "Also called {}.\n", names.join(", "));
        }
        if !docs.is_empty() {
            let _ = writeln!(out, "{}\n", self.linked(path, page, name, docs)?);
        }
        let Some(kernel) = kernel else { return Ok(()) };
        let examples: Vec<String> =
            kernel.lines.iter().filter(|line| line.kind == DocLineKind::Test).map(example).collect();
        if !examples.is_empty() {
            let _ = writeln!(out, "Examples:\n\n{}\n", examples.join("\n"));
        }
        if let Some(line) = &kernel.run_line {
            let _ = writeln!(out, "`lift run` takes `{line}`.\n");
        }
        Ok(())
    }

    /// Links each name between backticks to its definition; `own`, the documented name, stays plain.
    fn linked(&self, path: &Arc<str>, page: &str, own: &str, docs: &str) -> Cancellable<String> {
        let (mut out, mut in_fence) = (Vec::new(), false);
        for line in docs.lines() {
            let fence = line.trim_start().starts_with("```");
            in_fence ^= fence;
            if fence || in_fence {
                out.push(line.to_owned());
                continue;
            }
            let mut linked = String::new();
            let parts: Vec<&str> = line.split('`').collect();
            for (index, part) in parts.iter().enumerate() {
                // Only text between two backticks is code.
                let is_code = index % 2 == 1 && index + 1 < parts.len();
                let target = if is_code && *part != own { self.target(path, page, part)? } else { None };
                match (is_code, target) {
                    (true, Some(target)) => linked.push_str(&format!("[`{part}`]({target})")),
                    (true, None) => linked.push_str(&format!("`{part}`")),
                    (false, _) if index % 2 == 1 => linked.push_str(&format!("`{part}")),
                    (false, _) => linked.push_str(part),
                }
            }
            out.push(linked);
        }
        Ok(out.join("\n"))
    }

    /// Returns the link from `page` to the definition of `name` as resolved in a file; `None` if it has no page.
    fn target(&self, path: &Arc<str>, page: &str, name: &str) -> Cancellable<Option<String>> {
        let found = self.analysis().definition_of(path, name)?;
        Ok(found.and_then(|(file, name)| {
            let other = self.of_file.get(&file)?;
            let file = if other == page { String::new() } else { link(page, other) };
            Some(format!("{file}#{}", anchor(&name)))
        }))
    }
}

/// Formats a test line as `` * `xs=[1,2]` gives `[2]` ``.
fn example(line: &lift_analysis::ide::DocLine) -> String {
    match line.text.split_once("=>") {
        Some((given, expected)) if !given.trim().is_empty() => {
            format!("* `{}` gives `{}`", given.trim(), expected.trim())
        }
        Some((_, expected)) => format!("* it gives `{}`", expected.trim()),
        None => format!("* `{}`", line.text),
    }
}

/// Returns the comment at the start of a file; documentation of a form (`;;;`) does not count.
fn head_comment(text: &str) -> String {
    let lines = text.lines().take_while(|line| line.starts_with(';') && !line.starts_with(";;;"));
    let words: Vec<&str> = lines.map(|line| line.trim_start_matches(';').trim()).collect();
    words.join("\n").trim().to_owned()
}

/// Returns the relative link from one page to another; page names are without `.md`.
fn link(from: &str, to: &str) -> String {
    let up = "../".repeat(from.matches('/').count());
    format!("{up}{}.md", encoded(to))
}

/// Returns the anchor of a name.
fn anchor(name: &str) -> String {
    encoded(name).replace(['%', '/'], "_")
}

/// Percent-encodes a text for use in a URL.
fn encoded(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    text.chars().fold(String::new(), |mut out, c| {
        if plain(c) {
            out.push(c);
        } else {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|b| {
                let _ = write!(out, "%{b:02X}");
            });
        }
        out
    })
}
