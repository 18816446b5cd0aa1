//! The examples of `docs/actions.md` agree with the code actions.

use super::Fixture;
use crate::ide::actions::KINDS;

const PAGE: &str = include_str!("../../../../docs/actions.md");

/// The sections: title, kind, text before and text after.
fn sections() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    let sections = PAGE.split("\n## ").skip(1).map(|section| {
        let title = section.lines().next().unwrap();
        let kind = section.lines().find_map(|line| line.strip_prefix('`')?.strip_suffix('`')).expect(title);
        let mut texts = section.split("```lift\n").skip(1).map(|rest| rest.split("```").next().unwrap());
        (title, kind, texts.next().expect(title), texts.next().expect(title))
    });
    sections.collect()
}

#[test]
fn each_action_does_what_its_page_says() {
    let mut wrong = String::new();
    for (title, kind, before, after) in sections() {
        // A cursor is an empty selection.
        let fixture = Fixture::new(&before.replace("‹›", "$0").replace(['‹', '›'], "$0"));
        let (path, range) = fixture.marked();
        let actions = fixture.analysis().code_actions(path, range).unwrap();
        let of_kind: Vec<_> = actions.iter().filter(|action| action.kind == kind).collect();
        let made: Vec<String> = of_kind.iter().map(|action| fixture.apply(&action.change)).collect();
        if !made.iter().any(|made| made == after) {
            let titles: Vec<&str> = actions.iter().map(|action| &*action.title).collect();
            wrong += &format!("{title}: offered {titles:?}, of the kind:\n{}\n", made.join("\n---\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_kind_is_on_the_page() {
    for kind in KINDS {
        assert!(PAGE.contains(&format!("`{kind}`")), "{kind}");
    }
}
