//! Claims of paper 004 about `partition`, in the generated text: the middle of a stencil whose border is split off has
//! no conditionals, and a loop with at most one iteration becomes a condition.

use lift_tests::check::Program;
use lift_tests::{files, kernels};

/// Returns the OpenCL text of a kernel of examples/irregular/stencil.lift.
fn text(kernel: &str) -> String {
    let folder = files::root().join("examples/irregular");
    let source = files::read(&folder.join("stencil.lift"));
    let program = Program::new(&folder, "stencil.lift", &source);
    let all = program.kernels();
    let found = all.iter().find(|k| k.name == kernel).expect("the example has this kernel");
    let core = found.core.as_ref().expect("it is well typed");
    kernels::compiled(core).expect("it compiles").opencl.text.clone()
}

/// Returns the bodies of the loops with this head.
fn loops<'t>(text: &'t str, head: &str) -> Vec<&'t str> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(head) {
        let body = &text[at + text[at..].find('{').expect("a loop has a body")..];
        let mut depth = 0;
        let end = body.char_indices().find(|(_, c)| {
            depth += match c {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            depth == 0
        });
        found.push(&body[..=end.expect("brackets match").0]);
    }
    found
}

fn decides(code: &str) -> bool {
    ["if (", " ? ", "min(", "max(", "clamp("].iter().any(|word| code.contains(word))
}

#[test]
fn the_middle_of_a_split_line_decides_nothing() {
    let text = text("line");
    let over_places = loops(&text, "i1 < N - 2;");
    assert_eq!(over_places.len(), 1, "{text}");
    assert!(!decides(over_places[0]), "{}", over_places[0]);
}

#[test]
fn the_middle_of_a_split_grid_decides_nothing() {
    let text = text("split-both");
    let rows = loops(&text, "j < N - 2;");
    assert_eq!(rows.len(), 1, "the rows in the middle are one loop\n{text}");
    let places = loops(rows[0], "< M - 2;");
    assert_eq!(places.len(), 1, "and so are the places in the middle of them\n{}", rows[0]);
    assert!(places[0].contains("grid[") && !decides(places[0]), "{}", places[0]);
    // Near its ends, a row tests whether a column is outside, but not whether a row is.
    assert!(decides(rows[0]));
}

#[test]
fn loops_that_run_at_most_once_are_conditions() {
    for (kernel, loops) in [("line", 1), ("split-both", 4)] {
        let text = text(kernel);
        // Two ends of a line; for a grid, the first and last rows, and two ends in each of three kinds of rows.
        let (conditions, all) = if kernel == "line" { (2, 3) } else { (8, 12) };
        assert_eq!(text.matches("if (get_global_id(").count(), conditions, "{text}");
        let placed = text.matches("+= get_global_size(").count();
        assert_eq!((placed, placed + conditions), (loops, all), "{text}");
    }
}

#[test]
fn without_a_split_each_access_decides() {
    assert!(decides(&text("plain")));
}
