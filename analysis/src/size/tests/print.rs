//! Printing of sizes.

use super::*;

#[test]
fn sizes_print_as_a_person_writes_them() {
    let (big_n, m, k, s, t) = (v("N"), v("M"), v("k"), v("S"), v("T"));
    let i = Var::new(VarKind::Position, 0, "i");
    let iv = Size::var(i.clone());
    let cases = [
        (big_n.clone(), "N"),
        (big_n.div_exact(&n(2)), "N/2"),
        ((&big_n - 1).div_exact(&n(2)), "(N-1)/2"),
        (n(2) * &big_n + 1, "2*N+1"),
        (&big_n * &m, "M*N"),
        (Size::min(&big_n, &n(4)), "min(N,4)"),
        (big_n.rem(&n(4)), "N mod 4"),
        (n(2).pow(&k), "2^k"),
        (n(2).pow(&(&k * 2)), "4^k"),
        (n(6).pow(&k), "6^k"),
        (&big_n - &m + 1, "N-M+1"),
        (n(5) - &big_n, "5-N"),
        ((&big_n - &s).div_exact(&t) + 1, "(N-S)/T+1"),
        (Size::sum(i.clone(), big_n.clone(), &iv + 1), "N*(N+1)/2"),
        (Size::sum(i.clone(), big_n.clone(), (&iv * &iv).div_floor(&n(3))), "sum(i<N, floor(i*i/3))"),
        (Size::max(&k, &n(0)), "k"),
        ((&k - &iv).max(n(0)), "max(k-i,0)"),
        (Size::min(&big_n, &n(4)) + &m, "M+min(N,4)"),
        (Size::max(&big_n, &m), "max(M,N)"),
        (Size::min(&Size::min(&big_n, &m), &k), "min(M,N,k)"),
        (big_n.div_floor(&n(4)), "floor(N/4)"),
        ((&big_n - 1).div_floor(&n(4)), "floor((N-1)/4)"),
        (big_n.div_floor(&n(4)).rem(&n(8)), "floor(N/4) mod 8"),
        ((&big_n * 3 + &m).rem(&n(4)), "(M+3*N) mod 4"),
        (&big_n * &big_n - &big_n, "N*N-N"),
        (big_n.div_exact(&n(2)) + m.div_exact(&n(3)), "M/3+N/2"),
        (big_n.div_exact(&(&big_n + 1)), "N/(N+1)"),
        (Size::if_le(&big_n, &m, &k, &n(7)), "if(N<=M,k,7)"),
        (v("X10") + v("X2") + &big_n, "N+X2+X10"),
        (n(0), "0"),
        (-&big_n, "-N"),
        (big_n.rem(&n(4)) + 1, "(N mod 4)+1"),
        (big_n.rem(&n(4)) * 3, "3*(N mod 4)"),
    ];
    let printed: Vec<String> = cases.iter().map(|(size, _)| size.to_string()).collect();
    let wanted: Vec<String> = cases.iter().map(|(_, text)| text.to_string()).collect();
    assert_eq!(printed, wanted);
}

#[test]
fn names_stand_in_the_order_in_which_they_were_declared() {
    let declared = |id: u32, name: &str| Size::var(Var::new(VarKind::Param, id, name));
    let (rows, columns) = (declared(0, "R"), declared(1, "C"));
    let kept = Size::var(Var::new(VarKind::Skolem, 0, "A1"));
    let cases = [
        (&columns + &rows, "R+C"),
        (&columns * &rows, "R*C"),
        (Size::min(&columns, &rows), "min(R,C)"),
        (&columns * &rows + &columns + &kept, "R*C+C+A1"),
        (&rows - &columns, "R-C"),
    ];
    for (size, wanted) in cases {
        assert_eq!(size.to_string(), wanted);
    }
}
