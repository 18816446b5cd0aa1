//! The table of rules.

use super::{Chapter, Rule};

macro_rules! rules {
    ($($chapter:ident $(#[$doc:meta])* $id:ident $name:literal: $left:literal = $right:literal, if $condition:literal;)*) => {
        $(
            $(#[$doc])*
            pub static $id: Rule =
                Rule { name: $name, left: $left, right: $right, condition: $condition, chapter: Chapter::$chapter };
        )*
        /// Every rule, in the order of the manual.
        pub static ALL: &[&Rule] = &[$(&$id),*];
    };
}

rules! {
    Fusion MAP_MAP "map-map":
        "map f ∘ map g" = "map (f ∘ g)",
        if "Always true. Applied where the array between is read once, or few times and `g` is cheap; not where only some elements are read while computing the others might stop the run.";
    Decomposition FOLD_ANY_ORDER "fold-any-order":
        "reduceSeq (λ(a,x). op a (g x)) z xs" = "op z (reduce op n (map g xs))",
        if "`op` gives the same in any order: `min`, `max`, the operators of truth values and of bits, and `+` and `*` of whole numbers; `n` is its neutral element. Also of several components with an operator each, of which a branch may leave some as they are, and of an element that replaces the accumulator where it is less (or greater) than it: `reduce (λ(a,b). if b < a then b else a) z (map g xs)`. Not in a branch or in a function that the program places, not if `g` might stop the run, and not of a few elements.";
    Fusion SAME_ROWS "same-rows":
        "zipWith g xs (map f xs)" = "map (λx. g x (f x)) xs",
        if "Where a group then computes each element of the result, of a row of its own: the functions fold, scan and map rows. Nothing but these maps reads `map f xs`; at most one of them might stop the run. Also of more arrays, below other maps, and in the rounds of a loop that the host runs.";
    Fusion REDUCE_MAP "reduce-map":
        "reduce f z ∘ map g" = "reduce (λ(acc,x). f acc (g x)) z",
        if "Always true of the left fold; of `reduce`, the operator stays `f`, and `g` is applied as elements are read.";
    Fusion REDUCE_WHILE_MAP "reduceWhile-map":
        "reduceWhileSeq p f z ∘ map g" = "reduceWhileSeq p (λ(acc,x). f acc (g x)) z",
        if "`g` cannot stop the run: the elements after the last one are not computed.";
    Fusion SCAN_MAP "scan-map":
        "scan f z ∘ map g" = "scan (λ(acc,x). f acc (g x)) z",
        if "Always true. Over the device each element is computed twice, so `g` must be cheap.";
    Fusion BY_KEY_MAP "by-key-map":
        "reduceByKey n f z (map k xs) (map g ys)" = "reduceByKey n f z (k as keys are read) (g as elements are read)",
        if "Always true. Elements are read once for each part of a table that does not fit local memory as a whole, so `k` and `g` must be cheap.";
    Fusion FILTER_MAP "filter-map":
        "filter p ∘ map f" = "map f ∘ filter (p ∘ f)",
        if "Always true. `f` is computed before the test and again for kept elements, so over the device it must be cheap.";
    Fusion MAP_FILTER "map-filter":
        "map f ∘ filter p" = "filter p f",
        if "Always true; `filter p f` gives f of each element that passes p. Applied where nothing else uses the kept elements, the elements before and after are scalars or tuples of them, and `f` uses nothing that is computed after the filter, such as how many are kept.";
    Fusion FOLD_FILTER "fold-filter":
        "reduceSeq f z ∘ filter p" = "reduceSeq (λ(acc,x). if p x then f acc x else acc) z",
        if "Always true. Applied as `reduce-filter` is.";
    Fusion REDUCE_FILTER "reduce-filter":
        "reduce f z ∘ filter p" = "reduce f z ∘ map (λx. if p x then x else z)",
        if "`z` is neutral, as `reduce` demands. Also of maps and zips of the kept elements, and of several folds, if p and the functions are brief; a fold by key gets the key -1, which is none, and `z`. Applied where nothing else uses the kept elements; how many are may be used as a number (`count-filter`).";
    Fusion COUNT_FILTER "count-filter":
        "length ∘ filter p" = "reduce + 0 ∘ map (λx. if p x then 1 else 0)",
        if "Always true. Applied where nothing but folds (`reduce-filter`, `fold-filter`) uses the kept elements, and the length of the array is a size.";
    Fusion MAP_OF_SCAN "map-of-scan":
        "map g (scanSeq f z xs)" = "map get2 (scanSeq (λ((s,_),x). let s' = f s x in (s', g s')) (z,0) xs)",
        if "Always true. In functions that return the map, where nothing else reads the states: these are not stored. `g` takes few instructions and gives scalars; it may read elements of other arrays beside each state, and states of several scans, which become one. Also of `scanExcl` in order.";
    Decomposition SORT_END "sort-end":
        "head (sort f xs)" = "head (reduce (λ(a,b). if b goes before a then b else a) z xs)",
        if "`f` compares a number in each element; of equal numbers the first one counts, and NaN comes last. Also of `argsort` and of `last`, where nothing else reads the sorted array; elements have at most three numbers. Not of `aref`, which stops the run if there is no element.";
    Fusion HEAD_MAP "head-map":
        "head (map f xs)" = "f (head xs)",
        if "Always true. On a GPU, where nothing but a fold reads the map besides: it is not stored for the sake of its first element.";

    Decomposition PART_RED "partRed":
        "partRed m f z" = "join ∘ map (reduce f z) ∘ split (n/m)",
        if "m divides n, which the type of `partRed` says.";
    Decomposition REDUCE_PARTS "reduce-parts":
        "reduce f z" = "reduce f z ∘ partRed m f z",
        if "`f` associative and `z` neutral, as `reduce` demands. At the top of a kernel; the elements are scalars, vectors or tuples of them.";
    Decomposition NEUTRAL_START "neutral-start":
        "reduce max (head xs) xs" = "reduce max z xs",
        if "z is the neutral element of `max`: of floating-point numbers NaN, of integers the least. Also of `min`, of `last xs`, and of scans. An empty xs still stops the run.";
    Decomposition FOLDS_TOGETHER "folds-together":
        "(reduce f y xs, reduce g z ys)" = "unzip (reduce (λ(a,b). (f (get1 a) (get1 b), g (get2 a) (get2 b))) (y,z) (zip xs ys))",
        if "Always true. On a GPU, at the top of a kernel: xs and ys are made of one stored array, f and g are operators of the language that commute, and neither fold needs the result of the other; of up to six folds. Also in the function of a map over few long rows, or over columns: of all arrays, if its work is then a single fold.";
    Decomposition PRODUCT_APART "product-apart":
        "map (λ(x,z). map (λ(y,w). g (reduce f e (h x y)) w) (zip ys z)) A" = "map (λ(x,z). map (λ(p,w). g p w) (zip (map (λy. reduce f e (h x y)) ys) z)) A",
        if "Always true. On a GPU, at the top of a kernel, also below maps: then every x meets every y, which is computed in tiles.";
    Decomposition FOLD_CROSSED "fold-crossed":
        "map (λc. reduce f z c) (T (map (λx. map (h x) (g x)) xs))" = "map (λc. reduce f z (map (λ(x,y). h x y) (zip xs c))) (T (map g xs))",
        if "Always true. Applied where g gives the row or a part of it, or windows; where the loops of h take a constant number of steps, at most 128, and the columns are read by nothing else, so that no element is made twice. Also where the columns are zipped with other arrays, and where the function does more with the fold. Not on portable targets.";
    Decomposition FOLD_JOINED "fold-joined":
        "reduce f z (map (reduce f z ∘ map g) xs)" = "reduce f z (map g (join xs))",
        if "`f` associative and `z` neutral, as `reduce` demands; g depends on nothing of its row but an element. On a GPU, in the function of a map, where the rows of xs are adjacent in memory: a group shares all of their elements.";
    Decomposition GENERATE_MAP "generate-map":
        "generate n f" = "map f (iota n)",
        if "Always true. `generate` stays a view if its elements are cheap enough to be computed for each reader, or are a few numbers from scalars; what is stored is a map, and so is an array of which f reads the elements by number.";
    Decomposition PICK_ROWS "pick-rows":
        "map (λi. f i (aref xs i)) (iota n)" = "map (λ(i,x). f i x) (zip (iota n) xs)",
        if "Always true: i counts the elements of xs. Where i is used for nothing else, the map goes over xs alone, and is xs if f gives x. Of a number that only a branch reads only if the elements of another map around read xs, too: then tiles load it once for many.";
    Decomposition PICK_COLUMNS "pick-columns":
        "map (λi. map (λk. f (aref (aref xs k) i)) (iota m)) (iota n)" = "map (λc. map (λk. f (aref c k)) (iota m)) (transpose xs)",
        if "Always true: k counts the rows of xs, and i their elements. So `pick-rows` finds the elements of c. Also if the function reads other things by i, or k is used for more.";
    Decomposition FOLD_BY_KEY "fold-by-key":
        "map (λc. reduce f z (map (λx. if k x = c then g x else z) xs)) (iota n)" = "reduceByKey n f z (map k xs) (map g xs)",
        if "`z` is neutral, as `reduce` demands: an element adds `z` to all folds but that of its own key. k, g and xs do not depend on c. Also where the fold is a part of what the function does. Where `f` is one of the commutative operators of the language, on numbers or on the components of tuples, also for each column of rows at once, whichever of the two maps is the outer one; any other `f` for more than 32 keys, because elements must be sorted for them (`by-key-sorted`). At the top of a kernel.";
    Decomposition COUNT_BETWEEN "count-between":
        "map (λc. search (place of c + 1) s - search (place of c) s) (iota n)" = "reduceByKey n + 0 xs (fill 1)",
        if "s is `sort < xs` of `Int`s. Its neighbours are searched for the two with a bound in between, so each search counts what is less than its bound; between c and c + 1 there is c alone. All outcomes of comparing the neighbours with the bound are considered, and the paddings are on the right sides of all bounds.";
    Decomposition COUNT_BELOW "count-below":
        "map (λc. search (place of c + k) s) (iota n)" = "scan + 0 (reduceByKey n + 0 (map (λx. max (x + 1 - k) 0) xs) (fill 1))",
        if "As `count-between`; k is a number, at most 1. An element less than all bounds counts for all of them, one that is not less than any counts for none.";
    Decomposition BY_KEY_PARTS "by-key-parts":
        "reduceByKey n f z ks xs" = "map (reduce f z) ∘ T ∘ map (reduceByKey n f z) (zip (split m ks) (split m xs))",
        if "`f` associative and commutative, `z` neutral. Each group keeps a table of its part in local memory: on a GPU several side by side, which the work-items of `+`, `min`, `max` and the like of `Int`s share by atomic operations, while every other table belongs to one work-item alone; so the order in which elements meet depends on lengths and the device alone, and floats give one result in every run. A table that is too large is made in turns, each over all elements of the part.";
    Decomposition BY_KEY_TOGETHER "by-key-together":
        "(reduceByKey n f y ks xs, reduceByKey n g z ks ys)" = "unzip (reduceByKey n (f × g) (y,z) ks (zip xs ys))",
        if "At the top of a kernel on a GPU, of up to four folds of scalars by operators without an atomic operation, such as sums of floats.";
    Decomposition BY_KEY_MASKED "by-key-masked":
        "reduceByKey n f z ks xs" = "map (reduce f z) ∘ T ∘ map (reduceByKey n f z) (zip (split m ks) (split m xs))",
        if "As `by-key-parts`, where `f` has no atomic operation and n is at least `keys.masked`, on a GPU: 32 work-items share a table without copies. A mask for each key has a bit for each work-item that meets in it; the first of them folds the values of all, in the order of the work-items.";
    Decomposition BY_KEY_SHARED "by-key-shared":
        "reduceByKey n f z ks xs" = "the table n z, into which every work-item folds its elements",
        if "`f` has an atomic operation, or is `min` or `max` of floats, whose bits have one; and n is so large that tables in local memory would take more than 4 turns.";
    Decomposition BY_KEY_SORTED "by-key-sorted":
        "reduceByKey n f z ks xs" = "map (λp. if p < 0 then z else aref (scan f' z' (sort ks xs)) p) (reduceByKey n max (-1) ends (iota m))",
        if "`f` associative, `z` neutral. At the top of a kernel: on a GPU where `f` has no atomic operation and n values are more than a table in local memory holds; everywhere where `f` is not a commutative operator of the language, on numbers or on the components of tuples. Elements are sorted by their keys; f' folds those of one key and starts again at the next one, whose last element ends the key. So the order in which elements meet depends on nothing but them, and a key that most elements have takes no longer. Rows stay where they are: their places are sorted, and what has one key is folded in pieces (`keys.piece`), of which few keys have several.";
    Decomposition COUNTED_WHILE "counted-while":
        "iterateWhile (λs. s_i < n) (λs. (… s_i + c …)) x" = "iterate (max (n - x_i) 0 / c, rounded up) (λs. (… s_i + c …)) x",
        if "n and x_i are known before the run, and c is a positive number. Also of `s_i * c`, if c is a prime of which n and x_i are powers. At the top of a kernel.";
    Decomposition COUNTED_ROUNDS "counted-rounds":
        "iterate k (λ(i,x). (i + d, f i x)) (s,x)" = "(s + k·d, reduceHost (λ(x,r). f (s + r·d) x) x (iota k))",
        if "d is the same in all iterations; also of `i - d`, and of components that no iteration changes. Also of an `iterateWhile` that asks whether i is less than a number that is known before the loop, where d is 1 and s a natural number: then k is the difference, which the host reads. At the top of a kernel, for more than 16 rounds; `reduceHost` applies the function to one number after the other, and what is in it is at the top of the kernel.";
    Decomposition ITERATE_MAP "iterate-map":
        "iterate k (map f)" = "map (iterate k f)",
        if "Always true; f may have several maps and zips one after the other, of several arrays of one length, of arrays that stay the same, and of scalars that no element changes, such as the counter that an `iterateWhile` tests. On a GPU, in a function that runs in parallel already: an element needs no memory between iterations, and has a work-item of its own.";
    Decomposition LOOP_OUT "loop-out":
        "map (λx. iterate k (f x) (s x)) xs" = "iterate k (λys. map (λ(y,x). f x y) (zip ys xs)) (map s xs)",
        if "Always true; also of `reduceSeq` with an array as accumulator, which becomes `reduceHost`. On a GPU, at the top of a kernel, also below maps: k is known before the run, the state consists of more than 256 numbers, in arrays of lengths known before the run, and neither a work-item nor a group has a strategy for the loop, such as of a state of several dimensions. Each round is then at the top of the kernel.";
    Decomposition LOOP_IN "loop-in":
        "iterate k f z" = "head (map (λi. iterate k f z) (iota 1))",
        if "Always true; also of `iterateWhile`, `reduceHost` and `scanHost`. On a GPU with groups of at least 32 work-items, at the top of a kernel, where the state is arrays of numbers whose lengths are known before the run, and a group can share each round. The host chooses this version if the operators of a round have few elements; else each round has launches of its own.";
    Decomposition UPDATE "update-element":
        "map (λ(i,x). if i = k then v else x) (zip (iota n) xs)" = "update xs k v",
        if "Always true. Applied in a loop (`iterate`, `iterateWhile`, `reduceSeq`, `reduceWhileSeq`) whose state is xs, if nothing reads the old array after the update and the iteration does nothing else with long arrays. It then writes one element in the memory of xs, and one work-item runs all iterations. Also of an element of a row: `update xs i (update (aref xs i) j v)`. In a loop at host level whose iterations have other work, each iteration computes and writes only the element, row or column that changes, in the memory of xs; if it is computed from xs, it is stored before it is written.";
    Decomposition SCAN_CHUNKS "scan-chunks":
        "scan f z" = "join ∘ map (λ(c,xs). map (f c) (scan f z xs)) ∘ zip (scanExcl f z ∘ partRed m f z) (split (n/m))",
        if "`f` associative and `z` neutral. At the top of a kernel; the elements are scalars, vectors or tuples of them.";
    Decomposition SORT_RADIX "sort-radix":
        "sort (λ(a,b). k a < k b)" = "iterate 4 (sort by the next eight bits of k, each by counting and moving)",
        if "k takes a number out of an element; `>` likewise. Stable, as `sort` is. Of floating-point numbers, NaN comes last, as the language says. At the top of a kernel, where the array may be longer than 256 on a GPU, than 65536 on a processor, than 2048 elsewhere: what is shorter is merged, by one work-item where there are few.";

    Decomposition SORT_EXCHANGED "sort-exchanged":
        "sort f" = "iterate (n - 1) (exchange the neighbours of which the right one comes first)",
        if "`f` compares a number in each element, so that the result is that of any stable sort. On a GPU, where one work-item sorts 2 to 32 elements, a number that is known, whose components are scalars: they stay in registers. Also of `argsort`.";
    Decomposition MAP_PARTS "map-parts":
        "map (λx. b (a x))" = "map b ∘ map a",
        if "Always true. On a GPU, at the top of a kernel, also below other maps: one of a and b is a map of folds, the other is one or folds or maps long arrays; and several read what it makes, so that it is stored in any case. Also where a maps long arrays, and b gives a view of them, which is copied (`copy-rows`). Also where one of them makes an array of constant lengths with more elements than a work-item has registers for. Also where nothing but one fold reads what a map of folds makes, perhaps through maps, beside maps of folds that others read: of elements too few for a work-item each, if it has at most 2 GiB. On a processor only where a or b is a product of matrices, whose tiles the caches keep.";

    Decomposition MAP_LOOPS "map-loops":
        "map (λx. b (iterate f z))" = "map b ∘ map (λx. iterate f z)",
        if "Always true. On a GPU, at the top of a kernel, also below other maps: what is iterated, or folded in order, are scalars, and `b` maps long arrays, or folds them, so that work-items can share each; maps that the loop reads are computed again.";

    Decomposition MAP_COMPONENTS "map-components":
        "map (λx. (a x, b x)) xs" = "zip (map a xs) (map b xs)",
        if "Always true. On a GPU, at the top of a kernel, also below other maps: `a` or `b` maps a long array, and neither folds one, so that work-items would not share their work otherwise.";

    Decomposition FOLD_BRANCH "fold-branch":
        "if c then … reduce f z (map g xs) … else b" = "s = reduce f z (map (λx. if c then g x else z) xs); if c then … s … else b",
        if "`z` is neutral, as `reduce` demands. On a GPU, in the function of a map at the top of a kernel: `f` and what `xs` and `z` are made of cannot stop the run. Where the fold meets elements of two maps, and `g` cannot stop the run either, it is computed everywhere, without the condition: it then has tiles, which read each element once for many results.";
    Decomposition MAP_BRANCH "map-branch":
        "if c then map f xs else map g ys" = "map (λ(x,y). if c then f x else g y) (zip xs ys)",
        if "Always true. On a GPU, in the function of a map at the top of a kernel; one of the two may be an array without a map.";
    Decomposition FOLD_COLUMNS "fold-columns":
        "reduce (zipWith f) (fill z) rows" = "T (map (reduce f z) (T rows))",
        if "The operator is element-wise and stops no run; also of `reduceSeq`, `scan` and `scanSeq`, of other starts, and with what is the same for all rows or elements beside.";
    Decomposition FOLD_SCALARS "fold-scalars":
        "reduce f z" = "map array ∘ reduce (tuple ∘ f ∘ array) (tuple z) ∘ map tuple",
        if "The accumulator is an array, or an array of arrays, of constant length with at most 16 scalars; also of `scan`. On a GPU, in functions of maps, also of `scanSeq` and `reduceSeq` with tuples of such arrays and scalars, at most 80 of them, if only scalars of the states are read. f is computed element by element: with constant lengths, and indices that are constant or pick scalars.";
    Decomposition MAP_GUARD "map-guard":
        "map (λx. if n < m then f x else g x) xs" = "if n < m then map f xs else map g xs",
        if "n and m are lengths, or numbers, that are known before the run; also of other comparisons, and below other maps. At the top of a kernel, where f or g has an operator with a function.";
    Decomposition TAKE_SORT "take-sort":
        "take k (sort f xs)" = "generate k (λi. e_i) where (_, e_0, …) = head (reduceSeq (keep f) (0, 0, …) xs)",
        if "Always true; also of `argsort`. At the top of a kernel and in the functions of maps there, where nothing else reads the sorted array and `f` cannot stop the run: k is a constant, and the k elements are at most 32 scalars. `keep f` puts an element before the first kept one that it precedes, and NaN last. Few rows of at least k times `sort.first` elements on a GPU, and arrays of at least `sort.whole`, are folded in parts that lie one after the other, and then what the parts have kept, by ever fewer work-items; shorter arrays at the top of a kernel are sorted.";
    Decomposition MAP_FEW_ROWS "map-few-rows":
        "map g xs" = "generate c (λi. if i = 0 then g (aref xs 0) else … g (aref xs (c - 1)))",
        if "`xs` has a constant number c of rows, at most 4, in a function that makes an array which `g` folds beside its row; or of elements, at most 15, if only folds read the result and `g` folds a long row. The folds then read each element once, and the array is not stored.";
    Decomposition GROUP_BY_KEY "group-by-key":
        "map (λk. filter (λx. key x = k) xs) (iota n)" = "map (λ(s,c). generate c (λj. aref (sort (λ(x,y). key x < key y) xs) (s + j))) (zip starts counts)",
        if "Always true; xs is the same for all k, and has no arrays as elements. At the top of a kernel, where n is 8 at least or not known: xs is sorted once, where each filter read all of it.";
    Decomposition INVARIANT "invariant":
        "map (λx. f x (g z)) xs" = "map (λx. f x y) xs where y = g z",
        if "Always true; also out of the functions of folds, scans, filters and loops, and out of a branch. g folds, scans, filters, sorts or maps long arrays. If it may stop the run, only where xs surely has elements, or the host knows whether it has any, and nothing may stop the run before.";
    Decomposition ONCE "once":
        "let y = g z, w = g z" = "let y = g z, w = y",
        if "Always true. g folds, scans, sorts, filters or loops.";
    Decomposition MAP_INNER "map-inner":
        "map (λx. map (λy. f x y (g y)) ys) xs" = "map (λx. map (λ(y,z). f x y z) (zip ys (map g ys))) xs",
        if "Always true. Also below other maps: g folds, scans, sorts or calls a function of hundreds of instructions, and cannot stop the run. A sine or cosine is computed again unless a fold reads the map. What an innermost map computes of y and of its own element becomes a table, of at most 256 MB, where a fold reads it and xs has 4 elements at least.";

    Placement MAP_GLB "map-glb":
        "map f" = "mapGlb0 f",
        if "At the top of a kernel, and nothing in `f` is placed. On a GPU, also where f makes rows of up to 8 elements which only one map reads.";
    Placement MAP_MAP_GLB "map-map-glb":
        "map (map f)" = "mapGlb1 (mapGlb0 f)",
        if "At the top of a kernel; the inner map is the result, and nothing before it is worth doing only once.";
    Placement MAP_MAP_MAP_GLB "map-map-map-glb":
        "map (map (map f))" = "mapGlb2 (mapGlb1 (mapGlb0 f))",
        if "As `map-map-glb`, for a third map that is the result of the second. On a GPU, maps around the three are loops (`map-seq`), which are joined with those over work-items.";
    Placement COPY_ROWS "copy-rows":
        "map (λx. v)" = "map (λx. map id v)",
        if "Always true. On a GPU, at the top of a kernel: v is a row that is there already, or a view of it, so that it is copied by many work-items; or one of two such rows, of which each element is chosen.";
    Placement COPY_BESIDE "copy-beside":
        "map (λx. iterate k (λs. map (fold s) A) x) xs" = "map (λx. iterate k (λs. map (fold s) (T B)) x) xs, where B is a copy of T A",
        if "Always true. On a GPU, for any loop whose rounds a group shares, where A is stored row by row, is the same for all elements and has long rows. Each work-item folds a row of A; with the copy, neighbouring work-items read adjacent elements.";
    Placement COPY_COLUMNS "copy-columns":
        "map f (T A)" = "map f (map (map id) (T A))",
        if "Always true. On a GPU, at the top of a kernel, also below other maps: f scans, filters, sorts, folds by key or iterates over a column, or folds it more than once below other maps; the copy is stored, and made in squares (`tile-transpose`). A work-item computes each column of fewer than 64 elements, unless f sorts, folds by key or iterates, or scans them into rows of 8 elements or more; fewer than 32 columns of less than 16384 elements that are only folded are not copied. Of columns that the host goes through one after the other, 8 or more are copied before. A transposed result is copied alike if groups make its rows, or if its elements are made of several elements of a row. On a processor: columns that the function of a map folds, without being a product of matrices, are copied before the map.";
    Placement TRANSPOSE_MAP "transpose-map":
        "T ∘ map (map f)" = "map (map f) ∘ T",
        if "Always true. On a GPU, where it is the result of a kernel: reading is done in squares (`tile-transpose`), unless the matrix has fewer than 32 rows or columns.";
    Placement MAP_TURNED "map-turned":
        "T (map (λ(c,y). map (g y) c) (zip (T A) ys))" = "map (λr. map (λ(x,y). g y x) (zip r ys)) A",
        if "Always true. On a GPU, at the top of a kernel, also in its loops: A is not transposed itself, and y is zipped with the column, or made of at most three folds of it. Also where g is applied to windows of the column, padded or not: then over windows of rows.";
    Placement MAP_JOIN "map-join":
        "map (map f)" = "split n ∘ map f ∘ join",
        if "Always true. On a GPU, at the top of a kernel: f folds twice or more, scans, sorts or iterates over a row; not of products, windows, and single folds of rows (`row-teams`).";
    Placement VIEW_ROWS "view-rows":
        "map (λx. f (join x))" = "map f ∘ split n ∘ join ∘ join",
        if "Always true; n is the length of `join x`. On a GPU, where the function does nothing else with x and n is not a small number. Also of `split k` instead of `join`, where the function is a map over parts of no small length k.";
    Placement VIEW_RESULTS "view-results":
        "map (split k ∘ f)" = "map (split k) ∘ map f",
        if "Always true; also of `join` and `transpose`. On a GPU, at the top of a kernel, where every row of a matrix meets every column in f, also below more maps.";
    Placement UNFOLD "unfold":
        "map (λx. map (map (λy. g (reduce f z (h (v x) (w y))))) ys) xs" = "map (split k) (map (λr. map (λc. g (reduce f z (h r c))) (join (map (map w) ys))) (map v xs))",
        if "Always true; v and w are views, such as the joined elements of a window or a filter. On a GPU, at the top of a kernel, where maps go over rows or columns of several dimensions, or over such parts of arrays; with enough rows and columns for tiles.";
    Placement MAP_JOINED "map-joined":
        "map (map f) x" = "split k (map f (join x))",
        if "Always true. On a GPU, in a function that reads `join x`, too; and where a fold, scan or filter at the top of a kernel reads the joined elements.";
    Placement FILTER_ROWS "filter-rows":
        "filter p xs" = "map (λi. xs i) (filter (λi. (map p xs) i) (iota n))",
        if "Always true. On a GPU, at the top of a kernel: the n elements of xs are arrays of one length, which are tested side by side. On every target, of all elements, also in functions, if p has a loop whose state may grow.";
    Placement MAP_ROWS "map-rows":
        "map (map f)" = "mapGlb0 (mapSeq f)",
        if "On a processor, at the top of a kernel: a row is the work of one thread, whose loop over neighbours can be vectorised. Not where there surely are few rows.";
    Placement MAP_FREE_GLB "map-glb-free":
        "map f" = "mapGlb d f",
        if "`f` has a `mapGlb` inside, and d is a dimension that it leaves free.";
    Placement MAP_WRG "map-wrg":
        "map f" = "mapWrg d f",
        if "`f` has a `mapLcl d` inside that is in no `mapWrg`.";
    Placement MAP_FREE_WRG "map-wrg-free":
        "map f" = "mapWrg d f",
        if "`f` has a `mapWrg` inside, and d is a dimension that it leaves free.";
    Placement MAP_REDUCE_WRG "map-reduce-wrg":
        "map (reduce f z ∘ g)" = "mapWrg (reduce f z ∘ g)",
        if "On a GPU, at the top of a kernel: the folded array is made from the row, which has a length that is not known before the run, and g is cheap or a view.";
    Placement MAP_ORDERED_WRG "map-ordered-wrg":
        "map (g ∘ reduceSeq f z)" = "if n < m and k is long then mapWrg (g ∘ reduceSeq f z ∘ join ∘ map (toLocal (mapLcl id)) ∘ split t) else map (g ∘ reduceSeq f z)",
        if "Always true; also of `scanSeq`, and below other maps. On a GPU, where rows of k numbers lie in memory, one after the other, so that work-items with a row each would read far apart: a few work-items load a tile of their row together, and each of them goes through all of it.";
    Placement MAP_FOLDS_WRG "map-folds-wrg":
        "map (… reduce f z …)" = "if n < m or k is long then mapWrg (… reduceLcl f z …) else map (… reduce f z …)",
        if "Always true. On a GPU, at the top of a kernel, also below other maps: the function folds and maps arrays of length k, which depends on no element, and has no map of such in it but in the rounds of a loop; m is a number of elements for which a work-item each keeps the device busy. An array that several of its operators read is kept in registers, of which each work-item has up to 64 words for elements of its own, if nothing else reads these and rows are short enough; else in local memory, if it fits; else it is computed for each who reads it, or stored. The state of a loop (`iterate`, `iterateWhile`, a fold whose accumulator is an array) has two memories: an iteration reads one and writes the other, and each element of a map of folds in it is the work of one work-item. Functions with loops have the version with groups alone. Where n and k are numbers, only that version; where what is folded is not a row of its own, only few elements are the work of groups, and of up to sixteen times as many, few work-items share each if k is long.";
    Placement MAP_RAGGED_WRG "map-ragged-wrg":
        "map (… filter p …)" = "if n < m or k is long then mapWrg (… filterLcl p …) else map (… filter p …)",
        if "Always true. On a GPU, at the top of a kernel, also below other maps: the function goes over rows of k elements, where k depends on the position of the row, is hidden by the row or is that of an array that it filters. It filters, scans, sorts, iterates over or folds them more than once, and has no map of such in it. Groups are of 64 work-items, so that a long row among short ones leaves the others to the rest of the device; of 256 where only filters find lengths. Arrays that several operators read are computed again if that takes few statements, else stored in global memory. A row of hidden length is always the work of a group.";
    Placement MAP_TABLES_WRG "map-tables-wrg":
        "map (… reduceByKey n f z ks xs …)" = "if k is long for n then mapWrg (… reduceByKeyLcl n f z ks xs …) else map (…)",
        if "`f` commutative, as `fold-by-key` demands. On a GPU, at the top of a kernel: the k elements of a row are folded by key, and the function does nothing else but map and fold rows and what is folded. The rules of `reduceByKey` apply to the function in the version with groups alone, each of which has its table in local memory; one that is too large is made in turns, each over the whole row. Also below other maps, and of rows whose lengths depend on their positions, by the mean of k.";
    Placement MAP_IN_TURN "map-in-turn":
        "map f" = "if k is long for n then mapHost f else map f",
        if "Always true. On a GPU, at the top of a kernel, also below other maps: `f` filters, sorts, scans, iterates over or folds by key an array of length k, of which a group at most would do a row. `mapHost` applies `f` to one row after the other, and what is in `f` is at the top of the kernel. The version is taken from the length on for which the whole device does the n rows faster one by one. On every target, if `f` has a loop whose state may grow and results whose memory is known.";
    Placement FOLD_IN_TURN "fold-in-turn":
        "reduceSeq f z" = "if k is long then reduceHost f z else reduceSeq f z",
        if "Always true; also of `scanSeq`. On a GPU, at the top of a kernel: the accumulator has an array of length k, and `f` maps, folds or scans arrays. `reduceHost` applies `f` to one element after the other, and what is in `f` is at the top of the kernel. On every target, also of `reduce` and `scan`, if `f` has a loop whose state may grow.";
    Placement REDUCE_GROUP "reduce-group":
        "reduce f z" = "the fold of what each work-item of a group has folded",
        if "The function is associative. In the function of a `mapWrg` of rule `map-reduce-wrg` or `map-folds-wrg`.";
    Decomposition CHOICE_BY_POSITION "choice-by-position":
        "reduce (λ(a,b). if c a b then b else a) z" = "map get1 ∘ reduce (λ(a,b). if c a b or (not (c b a) and get2 b < get2 a) then b else a) (z, -1) ∘ number",
        if "The operator is associative, as `reduce` asks. On a GPU, where several work-items fold each row of an array, and on a processor, where partial folds do: they may then take the elements in any order. Where an element has its own position, that one is used; where the operator takes the last of equal elements, so does the new one.";
    Placement SMALL_MATRICES "small-matrices":
        "map (map (map (g ∘ reduce f z)))" = "if n·m·k is small then mapGlb2 (mapGlb1 (mapGlb0 (g ∘ reduceSeq f z))) else map (map (map (g ∘ reduce f z)))",
        if "Always true. On a GPU, at the top of a kernel, where every row of a matrix meets every column: n rows and m columns of k elements. Also below more maps. On a processor a work-item computes whole small matrices.";
    Placement MAP_PIECES "map-pieces":
        "map f ∘ partition n p" = "mapSeq f ∘ partition n p",
        if "n is a small number, and f maps over its piece: the pieces follow each other, each over the whole device.";
    Placement ITERATE_WHILE_HOST "iterate-while-rounds":
        "iterateWhile p f x" = "iterate k f x, where k is found round by round",
        if "Always true. At the top of a kernel, where p or f have work for the whole device: each iteration has its own launches, between two memories of x, and the host reads whether p still holds. Elsewhere, and where all arrays are known to have 256 elements at most, one work-item runs all iterations.";
    Placement MAP_SEQ "map-seq":
        "map f" = "mapSeq f",
        if "Always true. Inside of a function that runs in parallel already, or no dimension is free.";
    Placement REDUCE_SEQ "reduce-seq":
        "reduce f z" = "reduceSeq f z",
        if "Always true. Inside of a function one work-item does the work; at the top, where the elements do not fit registers.";
    Placement SCAN_SEQ "scan-seq":
        "scan f z" = "scanSeq f z",
        if "Always true. As `reduce-seq`.";
    Placement FILTER_GLB "filter-glb":
        "filter p" = "filterGlb p",
        if "At the top of a kernel. On a processor the kept elements of each piece are counted, and then moved; up to 16384 elements, if the host knows how many they are, are the work of one work-item, which counts nothing first.";
    Placement FILTER_SEQ "filter-seq":
        "filter p" = "filterSeq p",
        if "Always true. Inside of a function one work-item does the work.";
    Placement FILTER_LCL "filter-lcl":
        "filter p" = "filterLcl p",
        if "Always true. Right inside of a `mapWrg`, whose work-items have nothing else to do there.";
    Placement FILTER_GLB_SEQ "filter-glb-seq":
        "filterGlb p" = "filterSeq p",
        if "Always true. Inside of a function: the device cannot wait for itself there. So for `filterWrg`.";

    Tiling TILE_MATRIX "tile-matrix":
        "map (λx. map (λy. g (reduce f z (h x y))) B) A" = "untile ∘ mapWrg1 (λX. mapWrg0 (λY. mapLcl0 (λ(X',Y'). mapSeq (g ∘ reduceSeq f z ∘ join ∘ map toLocal ∘ split 16 ∘ h) (X' × Y')) (X,Y)) (tile B)) (tile A)",
        if "B does not depend on x, and h reads element k of x and of y, and of nothing else of them, in round k of the fold. True for any f, g and h: each result is folded in its order, rows after the last repeat the last one and rounds after the last are none. On a GPU with room for the tiles in local memory.";
    Tiling WHOLE_TILES "whole-tiles":
        "tile-matrix" = "if 16 divides the rounds, and 4 the lengths of rows, then tile-matrix without a rest else tile-matrix",
        if "Always true; the host chooses before the launch. Where every tile has all of its rounds and is read in vectors of four, the places of what a work-item reads are computed once for all tiles, and there is no code for fewer rounds or single elements: so more work-groups fit a compute unit. For tiles of 8 rounds, 8 divides them.";
    Tiling TILE_FOLD "tile-fold":
        "map (reduce f z) (map (λx. map (λy. g (reduce h w (k x y))) B) A)" = "map (reduce f z) ∘ T ∘ map (λY. map (λx. reduce f z (map (λy. g (reduce h w (k x y))) Y)) A) (split m B)",
        if "`f` commutative, `z` neutral. On a GPU, at the top of a kernel, where nothing else reads the rows of the inner maps: a group goes through tiles (`tile-matrix`) of some of B, and folds what they give in registers, so that the matrix is not stored. Elements of A and B take 12 bytes at most together, results of `h` 4 and of `f` 8. Rows of at most 16 elements, and those that meet fewer than 16, are folded as they are where there are enough of them for all work-items.";
    Tiling TILE_PARTS "tile-parts":
        "tile-matrix" = "map (map (λts. g (reduce f z ts))) (the results of tile-matrix for parts of the rounds)",
        if "`f` associative and `z` neutral, as `reduce` demands. The host chooses how many parts before the launch: one if there are enough tiles to keep the device busy, or few rounds.";
    Tiling TILE_CORES "tile-cores":
        "map (λx. map (λy. g (reduce f z (h x y))) B) A" = "untile ∘ mapWrg1 (λX. mapWrg0 (λY. mapSeq (mapSeq g) ∘ reduceSeq (λ(acc,(X',Y')). mapSeq (mapSeq (reduceSeq f)) (acc,X',Y')) z ∘ map toPrivate ∘ split 128) (tile B)) (tile A)",
        if "As for `tile-matrix`. On a processor: a tile is the work of one work-item, whose rows and columns are copied beside each other, some rounds at a time. Where f and h are arithmetic of floats, several columns are a vector.";
    Tiling FOLD_LANES "reduce-lanes":
        "reduce f z" = "reduce f z ∘ mapSeq (reduceSeq f z) ∘ T ∘ split 32",
        if "`f` associative and `z` neutral, as `reduce` demands, and `f` one of the commutative operators of the language, a tuple of such, or a choice that is a total order. On a processor, for 32 elements and more that take no loop to compute: partial folds of neighbouring elements are vectors.";
    Tiling MAP_LANES "map-lanes":
        "map (g ∘ reduce f z) (T A)" = "join ∘ map (map g ∘ reduceSeq (λ(accs,xs). map f (zip accs xs)) (fill z) ∘ T) ∘ split 256 ∘ T",
        if "Always true. On a processor, where neighbouring elements of the map read adjacent elements and the steps of a fold do not (columns), or where all read the same (points that meet the same others): each step of up to 256 folds is a loop that is a vector. Also for scans, and for maps that read the results of folds; what takes long in the function is computed once for each lane.";
    Tiling SORT_LANES "sort-lanes":
        "map (sort f) A" = "join ∘ map (T ∘ network f ∘ T) ∘ split 16",
        if "`f` compares a number in each element. On a processor, for rows of up to 8192 elements: 16 rows are sorted by the same comparisons (an odd-even merge), each of which is a vector. Also where the function reads the sorted row, or its order.";
    Tiling SLIDE_PAD_PIECES "slide-pad-pieces":
        "map f ∘ slide n s ∘ pad l r" = "join ∘ map (map f) ∘ partition 3 (l', m-l'-r', r') ∘ slide n s ∘ pad l r",
        if "Always true: l' windows reach the padding before the array, r' that after it, fewer if there are not so many. In the middle no index is clamped. On a processor; on a GPU, `blocks` and `windows` have the middle and the edges apart.";
    Tiling ROW_TEAMS "row-teams":
        "map (g ∘ reduce f z) A" = "mapWrg0 (g ∘ reduceLcl f z) A",
        if "`f` associative and `z` neutral, as `reduce` demands; elements meet in order unless `f` is one of the commutative operators of the language, or a tuple of such; elements that keep their order pass through local memory, so that neighbours read neighbours. On a GPU, where the elements of a row are adjacent in memory, or where a row has a length that only the device knows; then 8 work-items have a row each, or more if rows are few. Also below other maps, for all rows at once, if the function mentions nothing else of these.";
    Tiling COLUMN_TEAMS "column-teams":
        "map (g ∘ reduce f z) (T A)" = "join ∘ mapWrg0 (mapLcl0 (g ∘ reduce f z) ∘ T ∘ map (reduceSeq f z) ∘ split (k/8)) ∘ split 32",
        if "`f` associative and `z` neutral, as `reduce` demands; elements meet in their order. On a GPU, where the elements of a column are adjacent in memory: neighbouring work-items read neighbouring columns, and eight of them share one. Below other maps as `row-teams`.";
    Tiling TILE_PAIRS "tile-pairs":
        "map (λx. reduce f z (map (g x) ys)) xs" = "join ∘ mapWrg0 (λX. mapLcl0 (λx. reduceSeq f z (map (g x) (join (map toLocal (split 256 ys))))) X) ∘ split 256",
        if "ys does not depend on x, and its elements are scalars of 32 bits or tuples of them. True for any f and g: each result is folded in its order; rows after the last repeat the last one. On a GPU, where ys is long.";
    Tiling ROUNDS "rounds":
        "map (g ∘ iterate k (map h ∘ w) ∘ map i) A" = "mapWrg0 (g ∘ join ∘ iterate k (mapLcl0 (mapSeq h ∘ toPrivate) ∘ split p ∘ w ∘ toLocal) ∘ map i) A",
        if "Always true. On a GPU, where the array of the rounds has a constant length of 32·p with p at most 16, and w is views: 32 work-items keep p elements each in registers, and only those that others read pass through local memory.";
    Tiling SHORT_ROWS "short-rows":
        "map f A" = "if n = 2 then map (f ∘ toPrivate) A … else if n = 16 then map (f ∘ toPrivate) A else map f A",
        if "Always true; n is the length of the rows of A. On a GPU, where f reads its row in a loop and n is a size parameter: each version has all loops over n elements written out. For n of 2, 3, 4, 8 and 16.";
    Tiling TILE_TRANSPOSE "tile-transpose":
        "T" = "join ∘ map (map join ∘ T ∘ map (T ∘ toLocal) ∘ T) ∘ split 64 ∘ map (split 64)",
        if "Always true; the squares at the edges are smaller. On a GPU, in copies and in maps of maps that do nothing else: where neighbours along the last dimension read memory that is far apart, and neighbours along another one read adjacent elements, forwards or backwards. Dimensions that continue where others end are one. Some of the arrays that a function reads may lie in the order of the result: they are read directly. The host chooses squares unless one of the sides has fewer than 16 elements.";
    Tiling UNROLL_AND_JAM "unroll-and-jam":
        "mapGlb1 (mapGlb0 (reduceSeq f z ∘ g))" = "join ∘ mapGlb1 (T ∘ mapGlb0 (T ∘ reduceSeq (map f) (fill z) ∘ map g) ∘ T) ∘ split 4",
        if "Always true; indices after the last are clamped, and write nothing. Also for more maps, of which two may be split; the elements that a work-item takes of the innermost one are far apart. Neighbours with the same condition share its branch. On a GPU, at the top of a kernel, if the code for neighbours together has at most two thirds of the loads that it has for each of them, and there are enough blocks for the device.";
    Tiling BLOCKS "blocks":
        "map (map f) ∘ slide2D" = "join2D ∘ map (map (mapSeq (mapSeq f) ∘ slide2D ∘ toPrivate)) ∘ slide2D",
        if "Always true; windows of constant size. Also below a `map`, whose windows have three dimensions: a plane after the other. Inside, where no window reaches a padded edge, indices are not clamped, and four neighbours are one load if rows begin at multiples of four; the edges are computed with what `pad` says. On a GPU, for a small `f` and at most 32 elements a window, of a fold 16.";
    Tiling WINDOWS "windows":
        "map (map (g ∘ reduce f z ∘ h ∘ join)) ∘ slide2D" = "join2D ∘ map (map (mapSeq (mapSeq g) ∘ reduceSeq (zipWith (reduceSeq f) ∘ slide) (fill z) ∘ toPrivate)) ∘ slide2D",
        if "h keeps positions. True for any f: each window is folded row after row, as `join` has its elements. Windows of constant size; inside and edges as in `blocks`. On a GPU or a processor, for windows of more than 16 elements.";

    Arithmetic CONTRACT "contract":
        "λ(acc,x,y). acc + x·y" = "fma",
        if "The sum is that of a `reduce` of floats, which may be reordered: rounding once instead of twice is within the same bound. Never in `reduceSeq`. On a GPU.";
    Arithmetic RECIPROCAL_ROOT "reciprocal-root":
        "reduce (+) z (… a / (b·√b) …)" = "reduce (+) z (… a·r·r·r …) where r = rsqrt b",
        if "The quotient is a factor of each term of a `reduce` of floats, or of one of its components, of 256 terms or more, which may be reordered: the terms are off by less than 24 units of rounding, which is within the same bound. So a / √b = a·r. Where b is a sum of squares and of numbers that are not negative, each product of it is rounded with the sum. Up to overflow; never in `reduceSeq`. On a GPU, in `tile-pairs`.";
    Arithmetic LOADS_AHEAD "loads-ahead":
        "reduceSeq f z" = "reduceSeq (reduceSeq f ∘ toPrivate) z ∘ split k",
        if "Always true; the last part may be shorter. Of loops in order, also scans and the steps of `iterate`, whose steps do more with the state than to add to it, and read elements at places that do not depend on it: those of several steps are loaded together. On a GPU.";
    Arithmetic SINE_COSINE "sine-cosine":
        "(sin x, cos x)" = "sincos x",
        if "Always true: the standard of OpenCL promises the same of both. On a GPU, which reduces x to a quarter of a turn only once then.";
    Arithmetic SHARED_BITS "shared-bits":
        "map (λi. g (reduceSeq f z (iota n))) (iota (2^p·m))" = "join ∘ map (λq. map (λr. g (reduceSeq f (reduceSeq f z (drop p (iota n))) (take p (iota n)))) (iota 2^p)) ∘ split 2^p",
        if "f is acc ⊕ t, under conditions perhaps, where ⊕ is exact, associative and commutative, and what is read in round k has no bit of i below k: `(… i …) shr k` of and, or, exclusive or and shifts to the right. The inner fold is the same for all r. On a GPU, below a `reduce` by a commutative operator.";
    Arithmetic NARROW_WORDS "narrow-words":
        "map f" = "join ∘ mapGlb0 (mapSeq f ∘ toPrivate) ∘ split 4",
        if "Always true; the elements after the last whole four are computed one by one. On a GPU, where `f` reads or writes arrays of one or two bytes an element: four neighbours are one vector of each array, also of those of four bytes. An element of the map may take up to four neighbours of an array, such as the colours of a pixel; together, the vectors have 256 bytes at most.";
}
