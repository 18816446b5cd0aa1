//! The call hierarchy, and the symbols of all files.

use super::Fixture;
use crate::ide::FileRange;
use crate::ide::call_hierarchy::Call;
use expect_test::expect;

const FILES: &str = "\
(import \"a.lift\")
(define (quad x) (tw$0ice (twice x)))
(define (both x) (tuple (quad x) (twice x) (sum x)))
(lift main (N) ((array-type float N)) (lambda (xs) (map quad xs)))
;;- a.lift
(define (twice x) (+ x x))
";

fn show(fixture: &Fixture, calls: &[Call], in_caller: Option<&str>) -> String {
    let line = |call: &Call| {
        let path = in_caller.map_or(call.item.path.clone(), Into::into);
        let places: Vec<String> =
            call.places.iter().map(|range| fixture.show(&FileRange { path: path.clone(), range: *range })).collect();
        format!("{} in {}: {}\n", call.item.symbol.name, call.item.path, places.join(" "))
    };
    calls.iter().map(line).collect()
}

#[test]
fn who_calls_whom() {
    let fixture = Fixture::new(FILES);
    let (path, range) = fixture.marked();
    let analysis = fixture.analysis();
    let item = analysis.call_item(path, range.start()).unwrap().unwrap();
    assert_eq!((&*item.symbol.name, &*item.path), ("twice", "a.lift"));
    let incoming = analysis.incoming_calls(&item.path, item.symbol.focus.start()).unwrap();
    expect![[r#"
        quad in main.lift: 2:`twice` 2:`twice`
        both in main.lift: 3:`twice`
    "#]]
    .assert_eq(&show(&fixture, &incoming, None));
    let both = fixture.files[0].1.find("both").unwrap() as u32;
    let outgoing = analysis.outgoing_calls(path, both.into()).unwrap();
    expect![[r#"
        quad in main.lift: 3:`quad`
        twice in a.lift: 3:`twice`
        sum in lift:prelude.lift: 3:`sum`
    "#]]
    .assert_eq(&show(&fixture, &outgoing, Some(path)));
    assert_eq!(analysis.call_item(path, 0.into()).unwrap(), None);
}

#[test]
fn symbols_of_all_files() {
    let fixture = Fixture::new(FILES);
    let names = |query: &str| -> Vec<String> {
        fixture
            .analysis()
            .workspace_symbols(query)
            .unwrap()
            .into_iter()
            .map(|(path, s)| format!("{path} {}", s.name))
            .collect()
    };
    assert_eq!(names("tw"), ["a.lift twice"]);
    assert_eq!(names(""), ["main.lift both", "main.lift main", "main.lift quad", "a.lift twice"]);
    assert_eq!(names("ma"), ["main.lift main"]);
    assert_eq!(names("sum"), [""; 0]);
}
