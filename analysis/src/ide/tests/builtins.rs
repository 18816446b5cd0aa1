//! The files built into the program.

use super::{Fixture, describe};
use crate::diagnostics::Severity;

#[test]
fn the_prelude_and_the_primitives_check() {
    for path in [crate::db::PRELUDE_PATH, crate::prims::PRIMITIVES_PATH] {
        let fixture = Fixture::new("");
        let found = fixture.analysis().diagnostics(path).unwrap();
        assert!(found.is_empty(), "{}", describe(&fixture, path, &found));
    }
}

#[test]
fn types_of_the_prelude() {
    let fixture = Fixture::new("");
    let types = fixture.analysis().types(crate::db::PRELUDE_PATH).unwrap();
    let lines = types.into_iter().map(|t| format!("{} : {}\n", t.name, t.ty));
    expect_test::expect![[r#"
        const : a -> b -> a
        flip : (a -> b -> c) -> b -> a -> c
        uncurry : (a -> b -> c) -> (a, b) -> c
        curry : ((a, b) -> c) -> a -> b -> c
        fst : (a, b) -> a
        snd : (a, b) -> b
        sum : Array[a,n] -> a
        sumi : Array[Int,n] -> Int
        product : Array[a,n] -> a
        producti : Array[Int,n] -> Int
        maximum : Array[a,n] -> a
        minimum : Array[a,n] -> a
        average : Array[a,n] -> a
        any : (a -> Bool) -> Array[a,n] -> Bool
        all : (a -> Bool) -> Array[a,n] -> Bool
        count : (a -> Bool) -> Array[a,n] -> Int
        zipWith : (a -> b -> c) -> Array[a,n] -> Array[b,n] -> Array[c,n]
        zipWith3 : (a -> b -> c -> d) -> Array[a,n] -> Array[b,n] -> Array[c,n] -> Array[d,n]
        map2 : (a -> b -> c) -> Array[a,n] -> Array[b,n] -> Array[c,n]
        map3 : (a -> b -> c -> d) -> Array[a,n] -> Array[b,n] -> Array[c,n] -> Array[d,n]
        enumerate : Array[a,n] -> Array[(Int, a),n]
        flatMap : (a -> Array[b,n]) -> Array[a,m] -> Array[b,n*m]
        partition2 : (a -> Bool) -> Array[a,n] -> <∃X Y, (Array[a,X], Array[a,Y])>
        joinRows : Array[<∃X, Array[a,X]>,n] -> <∃X, Array[a,X]>
        windows : #n -> #m -> Array[a,k] -> Array[Array[a,n],floor((k-n)/m)+1]
        pieces : #n -> Array[a,m] -> Array[Array[a,n],floor(m/n)]
        searchSorted : Array[a,n] -> a -> Int
        unique : Array[a,n] -> <∃X, Array[a,X]>
        reduceByKey : #n -> a -> (a -> a -> a) -> Array[Int,m] -> Array[a,m] -> Array[a,n]
        groupBy : #n -> Array[Int,m] -> Array[a,m] -> Array[<∃X, Array[a,X]>,n]
        scatterInto : Array[a,n] -> Array[Int,m] -> Array[a,m] -> Array[a,n]
        scatterWith : a -> (a -> a -> a) -> Array[a,n] -> Array[Int,m] -> Array[a,m] -> Array[a,n]
        update : Array[a,n] -> Int -> a -> Array[a,n]
        dot : Array[a,n] -> Array[a,n] -> a
        doti : Array[Int,n] -> Array[Int,n] -> Int
        map2D : (a -> b) -> Array[Array[a,m],n] -> Array[Array[b,m],n]
        zip2D : Array[Array[a,m],n] -> Array[Array[b,m],n] -> Array[Array[(a, b),m],n]
        pad2D : #n -> #m -> (Int -> Int -> Int) -> Array[Array[a,l],k] -> Array[Array[a,n+m+l],n+m+k]
        slide2D : #n -> #m -> Array[Array[a,l],k] -> Array[Array[Array[Array[a,n],n],(l-n)/m+1],(k-n)/m+1]
        windows2D : #n -> #m -> Array[Array[a,l],k] -> Array[Array[Array[Array[a,n],n],floor((l-n)/m)+1],floor((k-n)/m)+1]
        split2D : #n -> Array[Array[a,k],m] -> Array[Array[Array[Array[a,n],n],k/n],m/n]
        join2D : Array[Array[Array[Array[a,l],k],m],n] -> Array[Array[a,m*l],n*k]
        matvec : Array[Array[a,m],n] -> Array[a,m] -> Array[a,n]
        matmul : Array[Array[a,m],n] -> Array[Array[a,k],m] -> Array[Array[a,k],n]
    "#]]
    .assert_eq(&lines.collect::<String>());
}

/// The code in the fences of a Markdown text.
fn examples(markdown: &str) -> Vec<&str> {
    let fences = markdown.split("```lift\n").skip(1);
    fences.map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn the_examples_of_the_primitives_check() {
    let mut wrong = String::new();
    for primitive in crate::prims::all() {
        for example in examples(&primitive.docs) {
            let fixture = Fixture::new(example);
            let mut found = fixture.analysis().diagnostics("main.lift").unwrap();
            // Ignore hints and warnings, which report features not supported yet.
            found.retain(|diagnostic| diagnostic.severity == Severity::Error);
            let names_it =
                std::iter::once(&primitive.name).chain(&primitive.aliases).any(|name| example.contains(&**name));
            if !found.is_empty() || !names_it {
                wrong += &format!("{}:\n{example}{}\n", primitive.name, describe(&fixture, "main.lift", &found));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn they_cannot_be_changed() {
    let mut fixture = Fixture::new("");
    fixture.host.set_file(crate::db::PRELUDE_PATH, "(define sum 1)".into());
    fixture.host.remove_file(crate::db::PRELUDE_PATH);
    assert_eq!(&*fixture.host.file_text(crate::db::PRELUDE_PATH).unwrap(), crate::db::PRELUDE_TEXT);
}
