"""Programs for `lift build --emit`."""

KEPT = """(lift kept (N) ((array-type float N))
  (lambda (xs) (map (lambda (x) (* x 2.0f)) (filter (lambda (x) (> x 0.5f)) xs))))
"""
SUM = "(lift sum (N) ((array-type int N)) (lambda (xs) (reduce 0 (lambda (a b) (+ a b)) xs)))\n"
TABLE = """(lift table (N M) ((array-type (array-type int M) N) int)
  (lambda (xss k) (map (map (lambda (x) (* k x))) (transpose xss))))
"""
COUNTED = (
    "(lift counted () (int) (lambda (k) (map (lambda (i) (* i i)) (filter (lambda (i) (= (mod i 2) 1)) (iota k)))))\n"
)
PRODUCTS = """(lift products (N) ((array-type int N))
  (lambda (xs)
    (let f (tail (filter (lambda (x) (= (mod x 30000) 0)) xs))
      (map (lambda (a) (map (+ a) f)) f))))
"""
ROWS = """(lift rows (N M) ((array-type (array-type int M) N))
  (lambda (xss) (map (filter (lambda (x) (> x 2))) xss)))
"""
PAIR = """(lift pair (N) ((array-type int N))
  (lambda (xs) (tuple (scan 0 (lambda (a b) (+ a b)) xs) (filter (lambda (x) (> x 2)) xs))))
"""
SUMS = """(lift sums (N) ((array-type (exists (X) (array-type int X)) N))
  (lambda (rows) (map (lambda (row) (head (reduceSeq 0 (lambda (a b) (+ a b)) row))) rows)))
"""
AT = "(lift at (N) ((array-type int N) int) (lambda (xs i) (map (lambda (x) (+ x (aref xs i))) xs)))\n"
HALVES = (
    "(lift halves (N) ((array-type int N)) (lambda (xs) (map (reduceSeq 0 (lambda (a b) (+ a b))) (split #2 xs))))\n"
)
# Local memory of a length that the caller says.
TILES = """(lift tiles (N K) ((array-type int N))
  (lambda (xs) (join (mapWrg (o (mapLcl (lambda (x) (* x 2))) (toLocal (mapLcl (lambda (x) (+ x 1))))) (split #K xs)))))
"""
ROUNDS = (
    "(lift rounds (N) ((array-type int N)) (lambda (xs) (iterate 20 (lambda (ys) (map (lambda (y) (+ y 1)) ys)) xs)))\n"
)
UNTIL = """(lift until (N) ((array-type int N) int)
  (lambda (xs by)
    (iterateWhile (lambda (ys) (< (head (reduce 0 + ys)) 100)) (map (lambda (y) (+ y (/ 12 by)))) xs)))
"""
# The state of the loop grows.
GROWN = """(lift grown (N) ((array-type int N) int)
  (lambda (xs most) (iterateWhile (lambda (s) (< (length s) most)) (lambda (s) (concat s (map (+ 1) s))) xs)))
"""
EITHER = """(lift either (N) ((array-type int N))
  (lambda (xs) (if (< N 4) (map (lambda (x) (+ x 1)) xs) (map (lambda (x) (* x 2)) xs))))
"""

TRIANGLE = """(lift triangle (N) ((array-type (i) (array-type float (+ i 1)) N) (array-type float N))
  (lambda (rows xs)
    (join (map (lambda (row)
      (reduce 0.0f + (map (lambda (p) (* (get1 p) (get2 p))) (zip row (take #(length row) xs))))) rows))))
"""
DOUBLED = """(lift doubled (N) ((array-type (i) (array-type int (+ i 1)) N))
  (lambda (rows) (map (map (lambda (x) (* 2 x))) rows)))
"""
UNEVEN = """(lift uneven (N) ((array-type (i) (array-type int (mod (* i i) 3)) N))
  (lambda (rows) (map (map (lambda (x) (* 2 x))) rows)))
"""
# In the branch that is not taken for `M = 0`, `N/M` has no value.
QUOTIENT = """
(lift quotient (N M) ((array-type int N) (array-type int M))
  (lambda (xs ys)
    (if (> M 0)
      (tuple (sumi (sort < (iota #(+ 3 (/ N M)))))
        (head (reduce 0 + (map (lambda (y) (mod y #(/ N M))) (iota #(mod N M))))))
      (tuple (sumi xs) -1))))
"""
