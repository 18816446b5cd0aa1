//! The pages of `lift doc`: one for each file of a program, and for the prelude and the primitives.
//!
//! A page is written as Markdown with links, which [`html`] renders with the frame of the site.

mod html;

use crate::program::Program;
use lift_analysis::db::PRELUDE_PATH;
use lift_analysis::ide::{Analysis, Cancellable, DocLine, DocLineKind, Documented, KernelInfo, SymbolKind};
use lift_analysis::prims::PRIMITIVES_PATH;
use lift_syntax::TextRange;
use rustc_hash::FxHashMap;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

/// Whether the example of a line `;;; test:` gave the expected result, by file and range.
pub type Tried = FxHashMap<(Arc<str>, TextRange), bool>;

/// The page of each file of a program.
pub struct Pages<'a> {
    program: &'a Program,
    tried: &'a Tried,
    /// Page name (without `.html`, with `/`) by the file's path in the analysis.
    of_file: BTreeMap<Arc<str>, String>,
}

impl Pages<'_> {
    pub fn new<'a>(program: &'a Program, folder: &Path, tried: &'a Tried) -> Pages<'a> {
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
        Pages { program, tried, of_file }
    }

    fn analysis(&self) -> &Analysis {
        &self.program.analysis
    }

    /// The files of the site, by name.
    pub fn site(&self) -> Cancellable<BTreeMap<String, String>> {
        let mut pages = BTreeMap::new();
        for (path, name) in &self.of_file {
            pages.insert(name.clone(), self.page(path, name)?);
        }
        let title = |text: &str| text.lines().next().unwrap_or_default().trim_start_matches("# ").to_owned();
        let contents: Vec<(String, String)> =
            pages.iter().map(|(name, text)| (title(text), format!("{}.html", encoded(name)))).collect();
        let mut files: BTreeMap<String, String> = pages
            .iter()
            .map(|(name, text)| (format!("{name}.html"), html::page(&title(text), &up(name), &contents, text)))
            .collect();
        files.insert("index.html".to_owned(), html::page("Definitions", "", &contents, &self.index(&pages)));
        files.insert("index.js".to_owned(), self.definitions()?);
        files.insert("site.css".to_owned(), html::STYLE.to_owned());
        files.insert("site.js".to_owned(), html::SCRIPT.to_owned());
        Ok(files)
    }

    /// The index that the search reads: a script, since a page in a folder may read no other file.
    fn definitions(&self) -> Cancellable<String> {
        let mut all = Vec::new();
        for (path, page) in &self.of_file {
            for Documented { name, ty, docs, .. } in self.analysis().documented(path)? {
                let at = format!("{}.html#{}", encoded(page), anchor(&name));
                all.push(
                    json!({ "name": name, "type": ty, "at": at, "about": docs.lines().next().unwrap_or_default() }),
                );
            }
        }
        Ok(format!("const definitions = {};\n", json!(all)))
    }

    fn index(&self, pages: &BTreeMap<String, String>) -> String {
        let mut out = "# Definitions\n\n".to_owned();
        for (name, text) in pages {
            let title = text.lines().next().unwrap_or_default().trim_start_matches("# ");
            let is_about = |line: &&str| !line.is_empty() && !line.starts_with('#') && !line.starts_with("Imports [");
            let about = text.lines().nth(2).filter(is_about);
            let about = about.map_or(String::new(), |line| format!(": {}", line.trim()));
            let _ = writeln!(out, "* [{title}]({}.html){about}", encoded(name));
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
        let _ = writeln!(out, "## {what}`{name}` {{#{}}}\n\n```lift\n{name} : {ty}\n```\n", anchor(name));
        if !aliases.is_empty() {
            let names: Vec<String> = aliases.iter().map(|alias| format!("`{alias}`")).collect();
            let _ = writeln!(out, "Also called {}.\n", names.join(", "));
        }
        if !docs.is_empty() {
            let _ = writeln!(out, "{}\n", self.linked(path, page, name, docs)?);
        }
        let Some(kernel) = kernel else { return Ok(()) };
        let examples: Vec<String> =
            kernel.lines.iter().filter(|line| line.kind == DocLineKind::Test).map(|l| self.example(path, l)).collect();
        if !examples.is_empty() {
            let _ = writeln!(out, "Examples:\n\n{}\n", examples.join("\n"));
        }
        if let Some(line) = &kernel.run_line {
            let _ = writeln!(out, "`lift run` takes `{line}`.\n");
        }
        Ok(())
    }

    /// Formats a test line as `` * `xs=[1,2]` gives `[2]` ``, and says whether it does.
    fn example(&self, path: &Arc<str>, line: &DocLine) -> String {
        let verdict = match self.tried.get(&(path.clone(), line.range)) {
            Some(true) => " ✓",
            Some(false) => " ✗ (it does not)",
            None => "",
        };
        match line.text.split_once("=>") {
            Some((given, expected)) if !given.trim().is_empty() => {
                format!("* `{}` gives `{}`{verdict}", given.trim(), expected.trim())
            }
            Some((_, expected)) => format!("* it gives `{}`{verdict}", expected.trim()),
            None => format!("* `{}`{verdict}", line.text),
        }
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

/// Returns the comment at the start of a file; documentation of a form (`;;;`) does not count.
fn head_comment(text: &str) -> String {
    let lines = text.lines().take_while(|line| line.starts_with(';') && !line.starts_with(";;;"));
    let words: Vec<&str> = lines.map(|line| line.trim_start_matches(';').trim()).collect();
    words.join("\n").trim().to_owned()
}

/// Returns the relative link from one page to another; page names are without `.html`.
fn link(from: &str, to: &str) -> String {
    format!("{}{}.html", up(from), encoded(to))
}

/// Leads from a page to the folder of the site.
fn up(from: &str) -> String {
    "../".repeat(from.matches('/').count())
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
