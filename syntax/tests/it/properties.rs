//! Properties of every text.

use lift_syntax::ast::{self, AstNode};
use lift_syntax::{
    ColumnEncoding, LineIndex, ParsedFile, Position, SyntaxKind, TextRange, TextSize, format, format_edits, lex,
    parse_file, parse_form, split,
};
use proptest::prelude::*;

use crate::common::trees;
use crate::generate::{any_text, bytes, program, soup};

fn config() -> ProptestConfig {
    // `PROPTEST_CASES` sets the number of cases.
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_byte_is_lost(text in prop_oneof![any_text(), bytes()]) {
        let tokens = lex(&text);
        let lexed: String = (0..tokens.len()).map(|token| &text[tokens.range(token)]).collect();
        prop_assert_eq!(&lexed, &text);
        prop_assert!((0..tokens.len()).all(|token| !tokens.range(token).is_empty()));
        prop_assert_eq!(parse_form(&text).syntax().text().to_string(), text);
    }

    #[test]
    fn between_forms_there_is_only_trivia(text in any_text()) {
        let mut end = TextSize::new(0);
        let mut gaps = String::new();
        for form in split(&text) {
            prop_assert!(form.range.start() >= end && !form.range.is_empty());
            gaps.push_str(&text[TextRange::new(end, form.range.start())]);
            gaps.push('\n');
            end = form.range.end();
            if let Some(name) = form.name {
                prop_assert!(form.range.contains_range(name));
            }
        }
        gaps.push_str(&text[usize::from(end)..]);
        prop_assert!(lex(&gaps).kinds().iter().all(|kind| kind.is_trivia()));
    }

    #[test]
    fn a_form_by_itself_is_the_same_form(text in any_text()) {
        for form in split(&text) {
            let alone = split(&text[form.range]);
            prop_assert_eq!(alone.len(), 1);
            let back = |range: TextRange| range + form.range.start();
            prop_assert_eq!(back(alone[0].range), form.range);
            prop_assert_eq!(alone[0].name.map(back), form.name);
            prop_assert_eq!(alone[0].kind, form.kind);
        }
    }

    #[test]
    fn a_form_at_the_start_of_a_line_does_not_see_what_is_above(above in any_text(), below in any_text()) {
        let below = format!("(define z 0)\n{below}");
        let offset = TextSize::of(&above) + TextSize::new(2);
        let mut expected = split(&above);
        expected.extend(split(&below).into_iter().map(|mut form| {
            form.range += offset;
            form.name = form.name.map(|name| name + offset);
            form
        }));
        prop_assert_eq!(split(&format!("{above}\n\n{below}")), expected);
    }

    #[test]
    fn a_form_has_one_item(text in any_text()) {
        for form in parse_file(&text).forms {
            prop_assert_eq!(form.parse.syntax().children().count(), 1);
        }
    }

    #[test]
    fn programs_of_the_grammar_have_no_errors(text in program()) {
        let errors: Vec<_> = parse_file(&text).errors().collect();
        prop_assert!(errors.is_empty(), "{:?} in {}", errors, text);
    }

    #[test]
    fn errors_have_places_and_fixes_can_be_applied(text in any_text()) {
        for error in parse_file(&text).errors() {
            prop_assert!(!error.range.is_empty() && !text[error.range].is_empty());
            prop_assert!(!error.message.is_empty());
            if let Some((range, _)) = error.related {
                prop_assert!(!text[range].is_empty());
            }
            if let Some(fix) = error.fix {
                let mut fixed = text.clone();
                let range = fix.edit.range;
                fixed.replace_range(usize::from(range.start())..usize::from(range.end()), &fix.edit.insert);
                prop_assert_ne!(&fixed, &text);
            }
        }
    }

    #[test]
    fn views_take_any_tree(text in prop_oneof![any_text(), soup()]) {
        for form in parse_file(&text).forms {
            for node in form.parse.syntax().descendants() {
                look(node);
            }
        }
    }

    #[test]
    fn formatting_changes_white_space_only(text in any_text()) {
        let formatted = format(&text);
        prop_assert_eq!(significant(&formatted), significant(&text));
        let (before, after) = (parse_file(&text), parse_file(&formatted));
        prop_assert_eq!(trees(&after), trees(&before));
        prop_assert_eq!(docs(&after), docs(&before));
        for (before, after) in before.forms.iter().zip(&after.forms) {
            prop_assert_eq!(after.parse.errors.is_empty(), before.parse.errors.is_empty());
            if !before.parse.errors.is_empty() {
                prop_assert_eq!(&formatted[after.raw.range], &text[before.raw.range]);
            }
        }
    }

    #[test]
    fn formatting_twice_is_formatting_once(text in any_text()) {
        let formatted = format(&text);
        prop_assert_eq!(format(&formatted), formatted);
        prop_assert_eq!(format_edits(&format(&text)), vec![]);
    }

    #[test]
    fn edits_of_the_formatter_are_sorted_and_disjoint(text in any_text()) {
        let mut end = None;
        for edit in format_edits(&text) {
            prop_assert!(end.is_none_or(|end| edit.range.start() > end));
            prop_assert!(text[edit.range] != edit.insert);
            end = Some(edit.range.end());
        }
    }

    #[test]
    fn positions_are_what_counting_gives(text in any_text(), offset in any::<prop::sample::Index>()) {
        let index = LineIndex::new(&text);
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let offset = boundaries[offset.index(boundaries.len())];
        // There is no position between `\r` and `\n`.
        let real = if text[..offset].ends_with('\r') && text[offset..].starts_with('\n') { offset - 1 } else { offset };
        let (line, before) = count(&text[..real]);
        for (encoding, column) in [
            (ColumnEncoding::Utf8, before.len()),
            (ColumnEncoding::Utf16, before.encode_utf16().count()),
            (ColumnEncoding::Utf32, before.chars().count()),
        ] {
            let position = index.position(TextSize::new(offset as u32), encoding);
            prop_assert_eq!(position, Position { line, column: column as u32 });
            prop_assert_eq!(usize::from(index.offset(position, encoding)), real);
        }
    }

    #[test]
    fn an_edited_index_is_that_of_the_new_text(
        text in any_text(),
        at in any::<prop::sample::Index>(),
        gone in 0usize..6,
        insert in prop::sample::select(vec!["", "\n", "\r", "\r\n", "a", "é\n", "𝒳", "\n\n\r"]),
    ) {
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let from = at.index(boundaries.len());
        let range = boundaries[from]..boundaries[(from + gone).min(boundaries.len() - 1)];
        let mut new = text.clone();
        new.replace_range(range.clone(), insert);
        let range = TextRange::new((range.start as u32).into(), (range.end as u32).into());
        let edited = LineIndex::new(&text).edited(range, TextSize::of(insert), &new);
        prop_assert_eq!(edited, LineIndex::new(&new), "{:?} -> {:?}", text, new);
    }

    #[test]
    fn any_position_means_some_place(text in any_text(), line in 0u32..40, column in 0u32..80) {
        let index = LineIndex::new(&text);
        for encoding in [ColumnEncoding::Utf8, ColumnEncoding::Utf16, ColumnEncoding::Utf32] {
            let at = usize::from(index.offset(Position { line, column }, encoding));
            prop_assert!(text.is_char_boundary(at));
            let back = index.position(TextSize::new(at as u32), encoding);
            let asked = Position { line, column };
            prop_assert!(back <= asked);
        }
    }
}

/// Returns the number of the last line of a text, and the text of that line.
fn count(text: &str) -> (u32, &str) {
    let mut line = 0;
    let mut start = 0;
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        if byte == b'\n' || byte == b'\r' && bytes.get(at + 1) != Some(&b'\n') {
            line += 1;
            start = at + 1;
        }
    }
    (line, &text[start..])
}

/// Returns all tokens except white space, with trailing blanks of comments removed.
fn significant(text: &str) -> Vec<(SyntaxKind, &str)> {
    let tokens = lex(text);
    (0..tokens.len())
        .filter(|&token| tokens.kind(token) != SyntaxKind::WHITESPACE)
        .map(|token| {
            let blanks = |c: char| c.is_whitespace() || c == '\u{feff}';
            (tokens.kind(token), text[tokens.range(token)].trim_end_matches(blanks))
        })
        .collect()
}

fn docs(file: &ParsedFile) -> Vec<Option<String>> {
    file.forms.iter().map(|form| form.parse.form().and_then(|form| form.doc())).collect()
}

/// Calls every getter of every typed view of a node.
fn look(node: lift_syntax::SyntaxNode) {
    macro_rules! views {
        ($($view:ident { $($one:ident)* ; $($many:ident)* })*) => {$(
            if let Some(view) = ast::$view::cast(node.clone()) {
                $(let _ = view.$one();)*
                $(let _ = view.$many().count();)*
            }
        )*};
    }
    views! {
        Form { item doc ; }
        Item { name ; }
        Import { path_token path ; }
        Define { name head body ; }
        DefineHead { name ; params }
        Lift { name size_params types body ; }
        Primitive { name size_params ty ; clauses }
        Clause { ; parts }
        SizeParams { ; names }
        TypeList { ; types }
        ParamList { ; params }
        Param { name ty ; }
        Name { token text ; }
        NameRef { token text ; }
        Literal { token kind value ; }
        SizeLit { size ; }
        Lambda { param_list body ; }
        App { function ; args }
        Let { name value body ; }
        If { condition then_branch else_branch ; }
        TupleExpr { ; components }
        Ascribe { expr ty ; }
        Pack { expr ; }
        Unpack { name value body ; size_names }
        Compose { ; functions }
        NameType { token text ; }
        ArrayType { position element length ; }
        TupleType { ; components }
        VectorType { scalar width ; }
        ExistsType { body ; names }
        FunType { ; types }
        SizeNat { value ; }
        SizeName { token text ; }
        SizeOp { operator operator_token sum_binder array ; operands }
        SumBinder { name bound ; }
    }
}
