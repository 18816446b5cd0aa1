//! Tests of reading the declarations of the primitives.

use super::*;

#[test]
fn every_declaration_can_be_read() {
    let text = PRIMITIVES_TEXT;
    for declaration in read::declarations(text) {
        if let Err((range, message)) = declaration {
            panic!("{message} in:\n{}", &text[range]);
        }
    }
}

#[test]
fn no_name_is_declared_twice() {
    let mut names: Vec<&str> = names().collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn every_primitive_says_what_it_means_and_shows_an_example() {
    for primitive in all() {
        assert!(primitive.docs.contains("```lift\n"), "{} has no example", primitive.name);
        assert!(!primitive.docs.starts_with("```"), "{} has no meaning", primitive.name);
        assert_eq!(&PRIMITIVES_TEXT[primitive.name_range], &*primitive.name);
    }
}

fn check(name: &str, expected: expect_test::Expect) {
    let p = lookup(name).unwrap();
    let mut text = format!("{} : {}", p.name, p.scheme);
    for (index, class) in p.scheme.types.iter().enumerate() {
        if let Some(class) = class {
            text += &format!(", {} is {class:?}", crate::ty::type_variable_name(index as u32));
        }
    }
    for assumption in &p.scheme.assumptions {
        text += &format!(", {assumption}");
    }
    if let Some(most) = &p.at_most {
        text += &format!(", at most {most}");
    }
    if let Some(level) = p.level {
        text += &format!(", {level:?}");
    }
    expected.assert_eq(&text);
}

#[test]
fn types_print_as_in_the_documentation_of_the_language() {
    use expect_test::expect;
    check("map", expect![[r#"map : (a -> b) -> Array[a,n] -> Array[b,n]"#]]);
    check("reduceSeq", expect![[r#"reduceSeq : b -> (b -> a -> b) -> Array[a,n] -> Array[b,1], Seq"#]]);
    check("filterGlb", expect![[r#"filterGlb : (a -> Bool) -> Array[a,n] -> <∃X, Array[a,X]>, at most n, Glb(0)"#]]);
    check("mod", expect![[r#"mod : a -> a -> a, a is Integral"#]]);
}

#[test]
fn static_sizes_come_first_and_divisions_are_assumed_exact() {
    use expect_test::expect;
    check("split", expect!["split : #k -> Array[a,n] -> Array[Array[a,k],n/k], k divides n"]);
    check(
        "slide",
        expect![
            "slide : #size -> #step -> Array[a,n] -> Array[Array[a,size],(n-size)/step+1], size is at most n, step divides n-size"
        ],
    );
    check("partRed", expect!["partRed : #m -> a -> (a -> a -> a) -> Array[a,n] -> Array[a,m], m divides n"]);
    check("splitVec", expect!["asVector : #k -> Array[a,n] -> Array[Vec[a,k],n/k], a is Scalar, k divides n"]);
    check("padConstant", expect!["padConstant : #l -> #r -> a -> Array[a,n] -> Array[a,l+r+n]"]);
    check("iota", expect!["iota : #n -> Array[Int,n]"]);
}

#[test]
fn an_alias_finds_the_primitive_under_its_own_name() {
    assert_eq!(&*lookup("mapGlobal").unwrap().name, "mapGlb0");
    assert_eq!(&*lookup("gather").unwrap().name, "reorder");
    assert_eq!(lookup("mapLcl").unwrap().level, Some(Level::Lcl(0)));
    assert_eq!(lookup("no-such-name"), None);
}
