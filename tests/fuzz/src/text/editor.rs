//! An editor's requests for a text: about the whole text, and at some positions.

use crate::choices::Random;
use lift_analysis::diagnostics::Severity;
use lift_analysis::ide::{Analysis, FileDiagnostic, Stopped, TextEdit, explain};
use lift_syntax::{TextRange, TextSize};
use lift_tests::check::Program;

/// Number of random positions for the requests about a position.
const PLACES: usize = 6;

/// Limit on the total size of all answers, in bytes. (The formatted elaboration has long lines of indentation.)
const MOST_TOLD: usize = 32 << 20;

/// Makes all requests; returns whether the text is accepted. An error is a wrong answer.
pub fn ask(program: &Program, text: &str) -> Result<bool, String> {
    let analysis = program.analysis();
    let mut asked =
        Asked { analysis: &analysis, path: program.path(), whole: TextRange::up_to(TextSize::of(text)), told: 0 };
    let diagnostics = asked.of_all().map_err(stopped)??;
    let mut random = Random::new(text.len() as u64);
    let mistakes = diagnostics.iter().take(2).map(|d| usize::from(d.range.start()));
    let places: Vec<usize> = mistakes.chain((0..PLACES).map(|_| random.below(text.len() + 1))).collect();
    for at in places {
        let at = (at..=text.len()).find(|i| text.is_char_boundary(*i)).unwrap_or(text.len());
        asked.at(TextSize::new(at as u32)).map_err(stopped)??;
    }
    let accepted = !diagnostics.iter().any(|d| d.severity == Severity::Error);
    Ok(accepted)
}

/// Reports a cancellation, which cannot happen without edits.
fn stopped(why: Stopped) -> String {
    format!("an answer stopped: {why:?}")
}

type Answer<T> = Result<Result<T, String>, Stopped>;

struct Asked<'a> {
    analysis: &'a Analysis,
    path: &'a str,
    whole: TextRange,
    /// Total size of the answers so far, in bytes.
    told: usize,
}

/// Unwraps a result, or returns its error as a wrong answer.
macro_rules! right {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(why) => return Ok(Err(why)),
        }
    };
}

impl Asked<'_> {
    fn tell(&mut self, bytes: usize) -> Result<(), String> {
        self.told += bytes;
        if self.told > MOST_TOLD { Err(format!("too much is told: over {} MiB", MOST_TOLD >> 20)) } else { Ok(()) }
    }

    fn inside(&self, range: TextRange) -> Result<(), String> {
        match self.whole.contains_range(range) {
            true => Ok(()),
            false => Err(format!("a place outside of the text: {range:?} of {:?}", self.whole)),
        }
    }

    fn diagnostics(&mut self, all: &[FileDiagnostic]) -> Result<(), String> {
        for d in all {
            self.inside(d.range)?;
            let related: usize = d.related.iter().map(|r| r.message.len()).sum();
            let fixes = d.fixes.iter().flat_map(|fix| &fix.change.files).flat_map(|(_, edits)| edits);
            let fixes: usize = fixes.map(|edit| edit.new_text.len()).sum();
            self.tell(d.message.len() + related + fixes)?;
            if explain::page(d.code).is_none() {
                return Err(format!("no page explains {}", d.code));
            }
        }
        Ok(())
    }

    fn edits(&mut self, edits: &[TextEdit]) -> Result<(), String> {
        for edit in edits {
            self.inside(edit.range)?;
            self.tell(edit.new_text.len())?;
        }
        let apart = edits.windows(2).all(|pair| pair[0].range.end() <= pair[1].range.start());
        if apart { Ok(()) } else { Err("edits overlap".into()) }
    }

    fn of_all(&mut self) -> Answer<Vec<FileDiagnostic>> {
        let (analysis, path, whole) = (self.analysis, self.path, self.whole);
        let diagnostics = analysis.diagnostics(path)?;
        right!(self.diagnostics(&diagnostics));
        let explicit = analysis.explicit_diagnostics(path)?;
        right!(self.diagnostics(&explicit));
        for hint in analysis.inlay_hints(path, whole)? {
            right!(self.inside(TextRange::empty(hint.offset)));
            right!(self.tell(hint.tooltip.len() + hint.parts.iter().map(|part| part.text.len()).sum::<usize>()));
        }
        for symbol in analysis.symbols(path)? {
            right!(self.inside(symbol.range));
            right!(self.tell(symbol.detail.len()));
        }
        for form in analysis.types(path)? {
            right!(self.tell(form.ty.len()));
        }
        let tokens = analysis.all_semantic_tokens(path)?;
        if tokens.windows(2).any(|pair| pair[0].range.end() > pair[1].range.start()) {
            return Ok(Err("coloured words overlap".into()));
        }
        analysis.folds(path)?;
        analysis.links(path)?;
        analysis.kernels(path)?;
        right!(self.edits(&analysis.format(path)?));
        let elaborated = analysis.elaborated(path)?.unwrap_or_default();
        right!(self.tell(elaborated.len()));
        Ok(Ok(diagnostics))
    }

    fn at(&mut self, at: TextSize) -> Answer<()> {
        let (analysis, path) = (self.analysis, self.path);
        let here = TextRange::empty(at);
        if let Some(hover) = analysis.hover(path, here)? {
            right!(self.inside(hover.range));
            right!(self.tell(hover.markdown.len() + hover.plain.len()));
        }
        analysis.goto_definition(path, at)?;
        analysis.references(path, at)?;
        analysis.highlights(path, at)?;
        analysis.type_definition(path, at)?;
        analysis.linked_ranges(path, at)?;
        analysis.on_type(path, at, ")")?;
        let around = analysis.selection_ranges(path, at)?;
        if let Some(widest) = around.get(around.len() / 2) {
            analysis.hover(path, *widest)?;
        }
        if let Some(help) = analysis.signature_help(path, at)? {
            right!(self.tell(help.label.len()));
        }
        if let Some(item) = analysis.call_item(path, at)? {
            analysis.incoming_calls(&item.path, item.symbol.focus.start())?;
            analysis.outgoing_calls(&item.path, item.symbol.focus.start())?;
        }
        if let Ok(change) = analysis.rename(path, at, "another-name")? {
            let edits: Vec<TextEdit> = change.files.into_iter().flat_map(|(_, edits)| edits).collect();
            right!(self.edits(&edits));
        }
        let completions = analysis.completions(path, at)?;
        right!(self.inside(completions.replace));
        for action in analysis.code_actions_at(path, here)? {
            for (_, edits) in action.change.files {
                right!(self.edits(&edits));
            }
        }
        Ok(Ok(()))
    }
}
