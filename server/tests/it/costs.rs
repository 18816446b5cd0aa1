//! The cost of a kernel, in its hover.

use crate::session::{Options, Session, at, rich_client};
use expect_test::expect;

const URI: &str = "file:///tmp/lift-test/twice.lift";

#[test]
fn the_name_of_a_kernel_tells_what_it_costs() {
    let mut session = Session::with(Options { capabilities: rich_client(), ..Options::default() });
    session.open(URI, "(lift twice (N) ((array-type float N))\n  (lambda (xs) (map (lambda (x) (* x 2.0f)) xs)))\n");
    let said = |session: &mut Session, character| {
        let hover = session.call("textDocument/hover", at(URI, 0, character)).expect("a hover");
        hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    // Until the kernel is compiled, the hover says so; request it again.
    let name = loop {
        let said = said(&mut session, 7);
        assert!(said.starts_with("```lift\nArray[Float,N] -> Array[Float,N]"), "the type is there at once: {said}");
        if !said.contains("Cost: being computed.") {
            break said;
        }
    };
    let cost = name.find("Cost for").map(|start| &name[start..]).unwrap_or(&name);
    expect![[r#"
        Cost for portable devices: launches 1
        - global bytes read: 4·N
        - global bytes written: 4·N
        - barriers: 0"#]]
    .assert_eq(cost);
    assert!(!said(&mut session, 13).contains("Cost"), "only the kernel has a cost");

    #[cfg(target_os = "linux")]
    {
        let nice = session.niceness();
        let (compiler, worker) = (nice.get("compiler").copied(), nice.get("worker 0").copied());
        assert_eq!(worker, nice.get("main loop").copied(), "answers are as urgent as the program: {nice:?}");
        // The whole program may have been started with little urgency.
        assert_eq!(compiler, worker.map(|own| own.max(10)), "the compiler gives way to answers: {nice:?}");
    }
}
