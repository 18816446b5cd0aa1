//! Closed forms equal the sums written out.

use super::*;
use expect_test::expect;
use proptest::prelude::*;

/// Bodies over the index `p`, with the free variables `k`, `M` and `N`.
fn table() -> Vec<Size> {
    let p = v("p");
    vec![
        v("k"),
        p.clone(),
        &p * &p,
        &p * &p * &p,
        n(2).pow(&p),
        n(3).pow(&p),
        &p * n(2).pow(&p),
        &p * n(6).pow(&p),
        p.div_floor(&v("k")),
        p.div_floor(&n(4)),
        p.rem(&v("k")),
        p.rem(&n(4)),
        (&p + v("M")).div_floor(&v("k")),
        Size::min(&(&p + 1), &v("M")),
        Size::max(&(v("k") - &p), &n(0)),
        Size::max(&(&p - v("k")), &n(0)),
        Size::if_le(&(&p + 1), &v("k"), &v("M"), &n(7)),
        Size::if_le(&v("k"), &p, &(&p * &p), &p),
        &p * Size::min(&p, &v("k")),
    ]
}

#[test]
fn the_table_of_closed_forms() {
    let mut lines = String::new();
    for body in table() {
        match closed_form(&var("p"), &v("N"), &body) {
            Some(closed) => lines += &format!("{body}: {closed}\n"),
            None => panic!("no closed form for {body}"),
        }
    }
    expect![[r#"
        k: N*k
        p: N*(N-1)/2
        p*p: N*(N-1)*(2*N-1)/6
        p^3: N*N*(N-1)*(N-1)/4
        2^p: 2^N-1
        3^p: (3^N-1)/2
        p*2^p: N*2^N-2*2^N+2
        p*6^p: (5*N*6^N-6*6^N+6)/25
        floor(p/k): floor(N/k)*(2*N-k*floor(N/k)-k)/2
        floor(p/4): floor(N/4)*(N-2*floor(N/4)-2)
        p mod k: (N*k+(N mod k)*(N mod k)-k*(N mod k)-N)/2
        p mod 4: ((N mod 4)*(N mod 4)+3*N)/2-2*(N mod 4)
        floor((M+p)/k): k*(floor(M/k)-floor((M+N)/k))*(floor((M+N)/k)+floor(M/k)+1)/2+M*floor((M+N)/k)+N*floor((M+N)/k)-M*floor(M/k)
        min(M,p+1): M*N+min(M,N)*(min(M,N)+1)/2-M*min(M,N)
        max(k-p,0): min(N,k)*(2*k-min(N,k)+1)/2
        max(p-k,0): (k-max(N,k))*(k+max(N,k)-2*N+1)/2
        if(k<=p,7,M): M*min(N,k)+7*N-7*min(N,k)
        if(k<=p,p*p,p): (2*N^3+N-2*min(N,k)^3-3*N*N-4*min(N,k))/6+min(N,k)*min(N,k)
        p*min(k,p): (3*N*N*k+2*min(N,k)^3+3*k*min(N,k)+min(N,k)-3*k*min(N,k)*min(N,k)-3*N*k-3*min(N,k)*min(N,k))/6
    "#]].assert_eq(&lines);
}

#[test]
fn sums_without_a_closed_form_stay_sums() {
    let body = (v("p") * v("p")).div_floor(&v("k"));
    assert_eq!(closed_form(&var("p"), &v("N"), &body), None);
    let sum = Size::sum(var("p"), v("N"), body);
    assert_eq!(sum.to_string(), "sum(i<N, floor(i*i/k))");
    // The sum has a value, is linear, and does not depend on the name of the index.
    let body = |index: &str| (v(index) * v(index)).div_floor(&v("k")) * 3 + v(index);
    let other = Size::sum(var("q"), v("N"), body("q"));
    assert_eq!(other, Size::sum(var("p"), v("N"), body("p")));
    assert_eq!(other - sum * 3, Size::sum(var("p"), v("N"), v("p")));
}

#[test]
fn nested_sums_keep_their_indices_apart() {
    let inner = |bound: &Size| Size::sum(var("q"), bound.clone(), (v("q") * v("p")).div_floor(&v("k")));
    let size = Size::sum(var("p"), v("N"), inner(&v("p")));
    assert_eq!(size.to_string(), "sum(i<N, sum(j<i, floor(i*j/k)))");
    assert_eq!(size.vars(), [var("N"), var("k")]);
    let value = size.eval(&env(&[("N", 6), ("k", 3)])).unwrap();
    let mut expected = 0;
    for p in 0..6 {
        for q in 0..p {
            expected += p * q / 3;
        }
    }
    assert_eq!(value, expected);
    // Substitute a sum for a variable of a sum.
    let outer = Size::sum(var("p"), v("M"), (v("p") * v("p") * v("N")).div_floor(&v("k")));
    let put_in = outer.subst_var(&var("N"), &size);
    let inner_value = size.eval(&env(&[("N", 5), ("k", 2)])).unwrap();
    let values = [("N", inner_value), ("M", 4), ("k", 2)];
    assert_eq!(put_in.eval(&env(&[("N", 5), ("M", 4), ("k", 2)])), outer.eval(&env(&values)),);
}

#[test]
fn the_element_of_a_triangle_lies_behind_the_rows_before() {
    // Row r of a lower triangle has r+1 elements.
    let before = Size::sum(var("p"), v("M"), v("p") + 1);
    assert_eq!((before + v("N")).to_string(), "M*(M+1)/2+N");
    assert_eq!(Size::sum(var("p"), n(0), v("p")), n(0));
    assert_eq!(Size::sum(var("p"), n(3), (v("p") * v("p")).div_floor(&v("k"))).vars(), [var("k")]);
}

proptest! {
    #![proptest_config(cases(4000))]

    #[test]
    fn closed_forms_are_equal_to_the_sums_written_out(
        which in 0..19usize,
        count in small(),
        k in 1..12i64,
        m in small(),
    ) {
        let body = &table()[which];
        // Powers with the index as the exponent overflow soon.
        let count = if (4..=7).contains(&which) { count % 20 } else { count };
        let closed = closed_form(&var("p"), &v("N"), body).unwrap();
        let mut sum = 0;
        for p in 0..count {
            sum += body.eval_int(&env(&[("p", p), ("k", k), ("M", m), ("N", count)])).unwrap();
        }
        let got = closed.eval_int(&env(&[("k", k), ("M", m), ("N", count)]));
        prop_assert_eq!(got, Ok(sum), "{} for {}", closed, body);
    }

    #[test]
    fn powers_of_the_index_are_summed(power in 0..=12i64, count in 0..20i64) {
        let body = v("p").pow(&n(power));
        let closed = closed_form(&var("p"), &v("N"), &body).unwrap();
        let mut sum = 0i64;
        for p in 0..count {
            sum += p.pow(u32::try_from(power).unwrap());
        }
        prop_assert_eq!(closed.eval_int(&env(&[("N", count)])), Ok(sum));
    }
}
