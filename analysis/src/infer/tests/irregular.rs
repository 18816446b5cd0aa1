//! Arrays whose row lengths depend on the index.

use super::harness::check;
use expect_test::expect;

#[test]
fn triangle_times_vector() {
    check(
        "(lift basic (N) ((array-type (i) (array-type float (+ i 1)) N) (array-type float N))
  (lambda (tri v)
    (join (map (lambda (row)
      (reduceSeq 0.0f + (map (lambda (p) (* (get1 p) (get2 p))) (zip row (take #(length row) v))))) tri))))
(lift best (N) ((array-type (i) (array-type float (+ i 1)) N) (array-type float N))
  (lambda (tri v)
    (map (lambda (row)
      (join (map (reduceSeq 0.0f +) (split #2
        (map (lambda (p) (* (get1 p) (get2 p))) (zip (padConstant #0 #(- N (length row)) 0.0f row) v)))))) tri)))",
        expect![[r#"
            basic : Array[i => Array[Float,i+1],N] -> Array[Float,N] -> Array[Float,N]
            best : Array[i => Array[Float,i+1],N] -> Array[Float,N] -> Array[Array[Float,N/2],N]
              assumes 2 divides N
        "#]],
    );
}

#[test]
fn definitions_are_polymorphic_over_row_lengths() {
    check(
        "(define (a xss) (map (lambda (row) row) xss))
(define (b xss) (map (reduceSeq 0.0f +) xss))
(define (c f xss) (map (map f) xss))
(define (d xss) (map (lambda (row) (take #2 row)) xss))
(define (e xss) (join xss))
(define (two xss) (zip (map (map sqrt) xss) (map (reduceSeq 0.0f +) xss)))
(lift k (N) ((array-type (r) (array-type float (* 2 r)) N)) (lambda (xss) (a xss)))
(lift l (N) ((array-type (r) (array-type float (* 2 r)) N)) (lambda (xss) (b xss)))
(lift m (N) ((array-type (r) (array-type float (* 2 r)) N)) (lambda (xss) (c (lambda (x) (tuple x x)) xss)))
(lift n (N) ((array-type (r) (array-type float (+ 2 r)) N)) (lambda (xss) (d xss)))
(lift o (N) ((array-type (r) (array-type float (+ 2 r)) N)) (lambda (xss) (let f (lambda (ys) (map (map sqrt) ys)) (f (f xss)))))
(lift p (N) ((array-type (r) (array-type float (+ 2 r)) N)) (lambda (xss) (two xss)))",
        expect![[r#"
            a : Array[a,n] -> Array[a,n]
            b : Array[Array[Float,m],n] -> Array[Array[Float,1],n]
            c : (a -> b) -> Array[Array[a,m],n] -> Array[Array[b,m],n]
            d : Array[Array[a,m],n] -> Array[Array[a,2],n]
              assumes 2 is at most m
            e : Array[Array[a,m],n] -> Array[a,n*m]
            two : Array[Array[Float,m],n] -> Array[(Array[Float,m], Array[Float,1]),n]
            k : Array[r => Array[Float,2*r],N] -> Array[i => Array[Float,2*i],N]
            l : Array[r => Array[Float,2*r],N] -> Array[Array[Float,1],N]
            m : Array[r => Array[Float,2*r],N] -> Array[i => Array[(Float, Float),2*i],N]
            n : Array[r => Array[Float,r+2],N] -> Array[Array[Float,2],N]
            o : Array[r => Array[Float,r+2],N] -> Array[i => Array[Float,i+2],N]
            p : Array[r => Array[Float,r+2],N] -> Array[(Array[Float,?], Array[Float,1]),N]
              depends-on-position at `xss`: `two` needs an array whose elements are all of one type, but the elements of this one depend on the position: at `r` it has `Array[Float,r+2]`
        "#]],
    );
}

#[test]
fn the_order_in_which_parts_are_met_does_not_matter() {
    check(
        "(define tri-sums (o join (map (reduceSeq 0.0f +)) (partition #4 (lambda (i) (+ i 1)))))
(lift k (N) ((array-type (i) (array-type float (+ i 1)) N))
  (lambda (xss) ((o (map (lambda (row) (join (map (reduceSeq 0.0f +) (split #1 row))))) (map (map sqrt))) xss)))
(lift l (N) ((array-type (i) (array-type float (+ i 1)) N))
  (lambda (xss) ((lambda (f) (f xss)) (map (lambda (row) (zip row (map sqrt row)))))))
(lift m (N) ((array-type (i) (array-type float (+ i 1)) N))
  (lambda (xss) ((lambda (ys) (zip (map (map sqrt) ys) (map (map sqrt) (map (map sqrt) ys)))) xss)))",
        expect![[r#"
            tri-sums : Array[Float,10] -> Array[Float,4]
            k : Array[i => Array[Float,i+1],N] -> Array[i => Array[Float,i+1],N]
            l : Array[i => Array[Float,i+1],N] -> Array[i => Array[(Float, Float),i+1],N]
            m : Array[i => Array[Float,i+1],N] -> Array[i => (Array[Float,i+1], Array[Float,i+1]),N]
        "#]],
    );
}

#[test]
fn views_of_dependent_rows() {
    check(
        "(lift k (N) ((array-type (i) (array-type float (+ i 1)) N))
  (lambda (t) (tuple (take #2 t) (drop #2 t) (slice #1 #2 t) (reverse t) (tail t))))
(lift l (N) ((array-type (i) (array-type float (+ i 1)) N)) (lambda (t) (tuple (head t) (last t) (aref t 3) (split #2 t) (join t))))
(lift m (N) ((array-type (i) (array-type (tuple-type int float) (+ i 1)) N))
  (lambda (t) (let u (map unzip t) (unzip u))))
(lift n (N M) ((array-type (i) (array-type (j) (array-type float (+ j 1)) M) N)) (lambda (t) (transpose t)))
(lift o (N) ((array-type (i) (array-type float (+ i 1)) N) (array-type (j) (array-type float (+ 1 j)) N))
  (lambda (t u) (tuple (zip t u) (zip t u t))))
(lift p (N) ((array-type (i) (array-type float (+ i 1)) N)) (lambda (t) (slide #2 #1 t)))",
        expect![[r#"
            k : Array[i => Array[Float,i+1],N] -> (Array[i => Array[Float,i+1],2], Array[i => Array[Float,i+3],N-2], Array[i => Array[Float,i+2],2], Array[i => Array[Float,N-i],N], Array[i => Array[Float,i+2],N-1])
              assumes 2 is at most N
              assumes 3 is at most N
              assumes N is positive
            l : Array[i => Array[Float,i+1],N] -> (Array[Float,1], Array[Float,N], Array[Float,4], Array[i => Array[j => Array[Float,2*i+j+1],2],N/2], Array[Float,N*(N+1)/2])
              assumes N is positive
              assumes 2 divides N
            m : Array[i => Array[(Int, Float),i+1],N] -> (Array[i => Array[Int,i+1],N], Array[i => Array[Float,i+1],N])
            n : Array[Array[j => Array[Float,j+1],M],N] -> Array[j => Array[Array[Float,j+1],N],M]
            o : Array[i => Array[Float,i+1],N] -> Array[j => Array[Float,j+1],N] -> (Array[i => (Array[Float,i+1], Array[Float,i+1]),N], Array[i => (Array[Float,i+1], Array[Float,i+1], Array[Float,i+1]),N])
            p : Array[i => Array[Float,i+1],N] -> Array[i => Array[j => Array[Float,i+j+1],2],N-1]
              assumes 2 is at most N
        "#]],
    );
}

#[test]
fn partitions() {
    check(
        "(lift k (N) ((array-type float (/ (* N (+ N 1)) 2))) (lambda (xs) (partition #N (lambda (i) (+ i 1)) xs)))
(lift l (N M) ((array-type float M)) (lambda (xs) (join (partition #N (lambda (i) (* 2 i)) xs))))
(lift m (N) ((array-type float N)) (lambda (xs) (map (map sqrt) (partition #3 (caseSplit 2 (- N 4) 2) xs))))
(lift n (N) ((array-type float N)) (lambda (xs) (join (map (map sqrt) (partition #3 (caseSplit 2 (- N 4) 2) xs)))))
(lift o (N) ((array-type float (+ N 1)))
  (lambda (xs) (partition #3 (lambda (i) (if (= i 0) 1 (if (< i 2) (- N 1) 1))) xs)))
(define (q xs) (partition #2 (lambda (i) (+ i 1)) xs))
(lift r (N) ((array-type float (- (pow 2 N) 1))) (lambda (xs) (partition #N (lambda (i) (shl 1 i)) xs)))
(lift b (N) ((array-type float (* 2 N))) (lambda (xs) (partition #N (lambda (i) (min (+ i 1) (- N i))) xs)))",
        expect![[r#"
            k : Array[Float,N*(N+1)/2] -> Array[i => Array[Float,i+1],N]
            l : Array[Float,M] -> Array[Float,N*N-N]
              assumes M equals N*N-N
            m : Array[Float,N] -> Array[i => Array[Float,if(2<=i,2,if(1<=i,N-4,2))],3]
              assumes N-4 is not negative
            n : Array[Float,N] -> Array[Float,N]
              assumes N-4 is not negative
            o : Array[Float,N+1] -> Array[i => Array[Float,if(2<=i,1,if(1<=i,N-1,1))],3]
              assumes N-1 is not negative
            q : Array[a,3] -> Array[i => Array[a,i+1],2]
            r : Array[Float,2^N-1] -> Array[i => Array[Float,2^i],N]
            b : Array[Float,2*N] -> Array[i => Array[Float,min(N-i,i+1)],N]
              assumes 2*N equals N*(N+1)/2-sum(i<N, max(2*i-N+1,0))
        "#]],
    );
}

#[test]
fn grouping_rows() {
    check(
        "(lift fig7 () ((array-type (k) (array-type int (+ k 1)) 4))
  (lambda (t) (partition #3 (caseSplit 2 1 1) t)))
(lift back () ((array-type (k) (array-type int (+ k 1)) 4))
  (lambda (t) (join (partition #3 (caseSplit 2 1 1) t))))
(lift work (N) ((array-type (k) (array-type int (+ k 1)) (* 2 N)))
  (lambda (t) (map (map (reduceSeq 0 +)) (split #2 t))))",
        expect![[r#"
            fig7 : Array[k => Array[Int,k+1],4] -> Array[i => Array[j => Array[Int,i+j+min(i+1,2)],if(1<=i,1,2)],3]
            back : Array[k => Array[Int,k+1],4] -> Array[i => Array[Int,i+1],4]
            work : Array[k => Array[Int,k+1],2*N] -> Array[Array[Array[Int,1],2],N]
        "#]],
    );
}

#[test]
fn generated_rows() {
    check(
        "(lift k (N) ((array-type float N)) (lambda (xs) (generate #N (lambda (i) (take #i xs)))))
(lift l (N) ((array-type (r) (array-type float (- N r)) N)) (lambda (t) t))
(lift u (N) ((array-type (array-type float N) N)) (lambda (m) (generate #N (lambda (i) (drop #i (aref m i))))))
(lift v (N) ((array-type float N)) (lambda (xs) (generate #N (lambda (i) (aref xs (mod (+ i 1) N))))))",
        expect![[r#"
            k : Array[Float,N] -> Array[i => Array[Float,i],N]
            l : Array[r => Array[Float,N-r],N] -> Array[r => Array[Float,N-r],N]
            u : Array[Array[Float,N],N] -> Array[i => Array[Float,N-i],N]
            v : Array[Float,N] -> Array[Float,N]
        "#]],
    );
}

#[test]
fn hidden_lengths_inside() {
    check(
        "(lift k (N) ((array-type (i) (array-type float (+ i 1)) N)) (lambda (t) (map (filter (lambda (x) (> x 0.0f))) t)))
(lift l (N) ((array-type (i) (array-type float (+ i 1)) N))
  (lambda (t) (map (lambda (row) (reduceSeq 0.0f + (filter (lambda (x) (> x 0.0f)) row))) t)))
(lift m (N) ((array-type float N))
  (lambda (xs) (let ys (filter (lambda (x) (> x 0.0f)) xs) (generate #(length ys) (lambda (i) (take #i ys))))))",
        expect![[r#"
            k : Array[i => Array[Float,i+1],N] -> Array[<∃X, Array[Float,X]>,N]
            l : Array[i => Array[Float,i+1],N] -> Array[Array[Float,1],N]
            m : Array[Float,N] -> <∃X, Array[i => Array[Float,i],X]>
        "#]],
    );
}

#[test]
fn nested_dependence() {
    check(
        "(lift k (N) ((array-type (i) (array-type (j) (array-type float (+ i (+ j 1))) (+ i 1)) N))
  (lambda (t) (map (lambda (plane) (map (lambda (row) (reduceSeq 0.0f + row)) plane)) t)))
(lift l (N) ((array-type (i) (array-type (j) (array-type float (+ i (+ j 1))) (+ i 1)) N))
  (lambda (t) (map (map (map sqrt)) t)))
(lift m (N) ((array-type (i) (array-type (j) (array-type float (+ i 1)) (+ i 1)) N))
  (lambda (t) (map join t)))",
        expect![[r#"
            k : Array[i => Array[j => Array[Float,i+j+1],i+1],N] -> Array[i => Array[Array[Float,1],i+1],N]
            l : Array[i => Array[j => Array[Float,i+j+1],i+1],N] -> Array[i => Array[j => Array[Float,i+j+1],i+1],N]
            m : Array[i => Array[Array[Float,i+1],i+1],N] -> Array[i => Array[Float,(i+1)*(i+1)],N]
        "#]],
    );
}

#[test]
fn an_index_is_read_as_a_size_only_where_the_type_depends_on_it() {
    check(
        "(lift k (N) ((array-type int N)) (lambda (xs) (aref xs (abs (mod -3 3)))))
(lift l (N) ((array-type int N)) (lambda (xs) (aref (concat (fill #3 1) xs) (abs (mod (- N 5) 3)))))
(lift m (N) ((array-type int N)) (lambda (xs) (aref xs (mod (- N 5) 3))))
(lift n (N) ((array-type (i) (array-type float (+ i 1)) N)) (lambda (t) (aref t (mod (- N 5) 3))))
(lift o (N) ((array-type (i) (array-type float (+ i 5)) N)) (lambda (t) (aref t (+ (/ -7 2) 4))))",
        expect![[r#"
            k : Array[Int,N] -> Int
            l : Array[Int,N] -> Int
            m : Array[Int,N] -> Int
            n : Array[i => Array[Float,i+1],N] -> Array[Float,((N+1) mod 3)+1]
              assumes N-5 is not negative
            o : Array[i => Array[Float,i+5],N] -> Array[Float,6]
        "#]],
    );
}

#[test]
fn mistakes() {
    check(
        "(lift a (N) ((array-type (i) (array-type float (+ i 1)) N) (array-type float N)) (lambda (t v) (map (lambda (row) (zip row v)) t)))
(lift b (N) ((array-type (i) (array-type float (+ i 1)) N)) (lambda (t) (transpose t)))
(lift c (N) ((array-type (i) (array-type float (+ i 1)) N)) (lambda (t) (filter (lambda (row) true) t)))
(lift d (N) ((array-type (i) (array-type float (+ i 1)) N) int) (lambda (t k) (aref t k)))
(lift e (N) ((array-type (i) (array-type float (- 3 i)) N)) (lambda (t) t))
(lift f () ((array-type (i) (array-type float (- 3 i)) 8)) (lambda (t) t))
(lift g (N) ((array-type float N)) (lambda (xs) (partition #2 (lambda (i) N) xs)))
(lift h (N) ((array-type float N)) (lambda (xs) (partition #2 (caseSplit 1 2 3) xs)))
(lift i (N) ((array-type float N)) (lambda (xs) (partition #2 (lambda (i) (head xs)) xs)))
(lift j (N) ((array-type float N) int) (lambda (xs k) (partition #2 (lambda (i) (+ i k)) xs)))
(lift k (N) ((array-type (i) (array-type float (+ i 1)) N) (array-type (i) (array-type float (+ i 2)) N)) (lambda (t u) (zip t u)))
(lift l (N) ((array-type (i) (array-type float (+ i 1)) N)) (lambda (t) (reduceSeq (head t) (lambda (a b) b) t)))
(lift m (N) ((array-type (i) (array-type float (+ i 1)) N)) (lambda (t) (map (lambda (row) (map (lambda (row2) (zip row row2)) t)) t)))
(define (n f (t (array-type (i) (array-type float (+ i 1)) N))) (map f t))
(lift o (N) ((array-type (i) (array-type float (+ i 1)) N)) (lambda (t) (concat t t)))",
        expect![[r#"
            a : Array[i => Array[Float,i+1],N] -> Array[Float,N] -> Array[i => Array[(Float, Float),i+1],N]
              unequal-lengths at `v`: `zip` needs two arrays of one length: the first has length `i+1` (the length of `row`), the second `N` (the length of `t`); at i = 0 `row` has 1 element, `v` N
                `row`: length `i+1` comes from here
                `t`: length `N` comes from here
            b : Array[i => Array[Float,i+1],N] -> Array[Array[Float,N],?]
              depends-on-position at `t`: `transpose` needs an array whose elements are all of one type, but the elements of this one depend on the position: at `i` it has `Array[Float,i+1]`
            c : Array[i => Array[Float,i+1],N] -> <∃X, Array[?,X]>
              depends-on-position at `t`: `filter` needs an array whose elements are all of one type, but the elements of this one depend on the position: at `i` it has `Array[Float,i+1]`
            d : Array[i => Array[Float,i+1],N] -> Int -> ?
              needs-size at `k`: the rows of this array have different lengths, `Array[Float,i+1]` at position `i`, so which one is taken must be known before the run, but `k` is not a size
            e : Array[i => Array[Float,3-i],N] -> Array[i => Array[Float,3-i],N]
              assumes 3-i is not negative for every i below N
            f : Array[i => Array[Float,3-i],8] -> Array[i => Array[Float,3-i],8]
              assumption-false at `(lambda (t) t)`: `(lambda …)` needs that 3-i is not negative for every i below 8, which is false whatever the sizes are
            g : Array[Float,N] -> Array[Array[Float,N],2]
              assumes N equals 2*N
            h : Array[Float,N] -> ?
              piece-count at `(caseSplit 1 2 3)`: `partition` makes `2` pieces, but `caseSplit` gives the lengths of 3
            i : Array[Float,N] -> ?
              assumes N is positive
              type-mismatch at `(lambda (i) (head xs))`: this would have to be both `Int -> Int` and `Int -> Float` (`Int` is not `Float`)
            j : Array[Float,N] -> Int -> ?
              needs-size at `(+ i k)`: the length of a piece must be known before the run: natural numbers, sizes and the position, with `+ - * / mod min max` and `if`, but `(+ i k)` is not made of these; write the rule as `(lambda (i) …)`
            k : Array[i => Array[Float,i+1],N] -> Array[i => Array[Float,i+2],N] -> Array[i => (Array[Float,i+1], Array[Float,i+2]),N]
            l : Array[i => Array[Float,i+1],N] -> Array[Array[Float,1],1]
              assumes N is positive
              unequal-lengths at `(lambda (a b) b)`: `reduceSeq` needs arrays of one length: the first argument has length `1`, the second `i+1` (the length of `(lambda …)`); at i = 1 `(head t)` has 1 element, `(lambda …)` 2; the accumulator keeps its length; the state of `iterateWhile` may change it: `(tuple state i)`, with the index of the next element
                `(lambda (a b) b)`: length `i+1` comes from here
            m : Array[i => Array[Float,i+1],N] -> Array[i => Array[Array[(Float, Float),i+1],N],N]
              unequal-lengths at `row2`: `zip` needs two arrays of one length: the first has length `i+1` (the length of `row`), the second `j+1` (the length of `row2`); at i = 0 `row` has 1 element, `row2` j+1
                `row`: length `i+1` comes from here
                `row2`: length `j+1` comes from here
            n : (a -> b) -> Array[i => Array[Float,i+1],N] -> Array[b,N]
              depends-on-position at `t`: `map` needs an array whose elements are all of one type, but the elements of this one depend on the position: at `i` it has `Array[Float,i+1]`
            o : Array[i => Array[Float,i+1],N] -> Array[?,2*N]
              depends-on-position at `t`: `concat` needs an array whose elements are all of one type, but the elements of this one depend on the position: at `i` it has `Array[Float,i+1]`
        "#]],
    );
}
