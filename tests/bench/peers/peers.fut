-- The benchmarks in Futhark, as a Futhark programmer writes them: fusion and placement are its compiler's business.
-- Arguments are the inputs of the gallery's kernels, tuples as arrays of their parts.

entry b_scale (xs: []f32) = map (* 2) xs
entry b_reverse (xs: []f32) = reverse xs
entry b_sum (xs: []f32) = f32.sum xs
entry b_dot [n] (xs: [n]f32) (ys: [n]f32) = f32.sum (map2 (*) xs ys)
entry b_scan (xs: []i32) = scan (+) 0 xs
entry b_filter (xs: []f32) = filter (> 0.5) xs
entry b_filter_map (xs: []f32) = map (* 2) (filter (> 0.5) xs)

-- By what the language has for it: no sort.
entry b_histogram (xs: []i32) = hist (+) 0i32 256 (map i64.i32 xs) (map (const 1) xs)

entry b_transpose [n] [m] (a: [n][m]f32) = transpose a
entry b_gemv [n] [m] (a: [n][m]f32) (x: [m]f32) (y: [n]f32) (alpha: f32) (beta: f32) =
  map2 (\row y -> alpha * f32.sum (map2 (*) row x) + beta * y) a y
entry b_matmul [n] [k] [m] (a: [n][k]f32) (b: [k][m]f32) =
  map (\row -> map (\column -> f32.sum (map2 (*) row column)) (transpose b)) a
entry b_spmv [n] [k] [m] (starts: [n]i32) (columns: [k]i32) (values: [k]f32) (x: [m]f32) =
  tabulate (n - 1) (\i ->
    loop s = 0f32 for j in starts[i]..<starts[i + 1] do s + values[j] * x[columns[j]])

def at [n] [m] (a: [n][m]f32) (i: i64) (j: i64) : f32 =
  #[unsafe] a[i64.max 0 (i64.min (n - 1) i), i64.max 0 (i64.min (m - 1) j)]
entry b_box3 [n] [m] (a: [n][m]f32) =
  tabulate_2d n m (\i j ->
    0.11111111f32 * (#[unroll] loop s = 0 for di < 3 do #[unroll] loop s for dj < 3 do s + at a (i + di - 1) (j + dj - 1)))
entry b_box9 [n] [m] (a: [n][m]f32) =
  tabulate_2d n m (\i j ->
    0.012345679f32 * (#[unroll] loop s = 0 for di < 9 do #[unroll] loop s for dj < 9 do s + at a (i + di - 4) (j + dj - 4)))
entry b_jacobi2d [n] [m] (a: [n][m]f32) =
  tabulate_2d n m (\i j ->
    0.2f32 * (at a i j + at a (i - 1) j + at a i (j - 1) + at a i (j + 1) + at a (i + 1) j))
entry b_hotspot [n] [m] (a: [n][m]f32) (power: [n][m]f32) =
  tabulate_2d n m (\i j ->
    let h = at a i j
    in h + 0.0068f32 * (power[i, j] + 0.1 * (at a (i - 1) j + at a (i + 1) j - 2 * h)
                        + 0.1 * (at a i (j - 1) + at a i (j + 1) - 2 * h) + 0.0125 * (80 - h)))
entry b_blur [n] [m] (a: [n][m]f32) =
  let weighted (x: i64 -> f32) = x 0 + x 4 + 4 * (x 1 + x 3) + 6 * x 2
  in tabulate_2d n m (\i j ->
    weighted (\di -> weighted (\dj -> at a (i + di - 2) (j + dj - 2))) / 256)
entry b_life [n] [m] (a: [n][m]i32) =
  let cell i j = #[unsafe] a[(i + n) % n, (j + m) % m]
  in tabulate_2d n m (\i j ->
    let s = cell (i - 1) (j - 1) + cell (i - 1) j + cell (i - 1) (j + 1) + cell i (j - 1) + cell i (j + 1)
            + cell (i + 1) (j - 1) + cell (i + 1) j + cell (i + 1) (j + 1)
    in if s == 3 || (s == 2 && a[i, j] == 1) then 1i32 else 0i32)
entry b_jacobi3d [n] [m] [k] (a: [n][m][k]f32) =
  let cell h i j =
    #[unsafe] a[i64.max 0 (i64.min (n - 1) h), i64.max 0 (i64.min (m - 1) i), i64.max 0 (i64.min (k - 1) j)]
  in tabulate_3d n m k (\h i j ->
    (cell h i j + cell (h - 1) i j + cell (h + 1) i j + cell h (i - 1) j + cell h (i + 1) j + cell h i (j - 1)
     + cell h i (j + 1)) / 7f32)

entry b_nbody [n] (x: [n]f32) (y: [n]f32) (z: [n]f32) (m: [n]f32) (vx: [n]f32) (vy: [n]f32) (vz: [n]f32) (dt: f32) =
  let bodies = zip4 x y z m
  let pull (px: f32, py: f32, pz: f32) (qx, qy, qz, qm) =
    let (dx, dy, dz) = (qx - px, qy - py, qz - pz)
    let d2 = dx * dx + dy * dy + dz * dz + 0.01f32
    let s = qm / (d2 * f32.sqrt d2)
    in (dx * s, dy * s, dz * s)
  let step (px, py, pz, pm) (ux, uy, uz) =
    let (ax, ay, az) =
      reduce (\(a, b, c) (d, e, f) -> (a + d, b + e, c + f)) (0, 0, 0) (map (pull (px, py, pz)) bodies)
    let (wx, wy, wz) = (ux + dt * ax, uy + dt * ay, uz + dt * az)
    in ((px + dt * wx, py + dt * wy, pz + dt * wz, pm), (wx, wy, wz))
  let (ps, vs) = unzip (map2 step bodies (zip3 vx vy vz))
  let (a, b, c, d) = unzip4 ps
  let (e, f, g) = unzip3 vs
  in (a, b, c, d, e, f, g)

def nearest_of [k] [d] (centroids: [k][d]f32) (point: [d]f32) : i32 =
  let distance c = f32.sum (map2 (\a b -> (a - b) * (a - b)) point c)
  let (_, i) =
    loop (best, at) = (3.0e38f32, 0i32) for i < k do
      let s = distance centroids[i]
      in if s < best then (s, i32.i64 i) else (best, at)
  in i
entry b_kmeans_assign [n] [k] [d] (points: [n][d]f32) (centroids: [k][d]f32) = map (nearest_of centroids) points
entry b_kmeans [n] [k] [d] (points: [n][d]f32) (centroids: [k][d]f32) =
  let clusters = map (\p -> i64.i32 (nearest_of centroids p)) points
  let counts = hist (+) 0i32 k clusters (replicate n 1)
  let sums = reduce_by_index (replicate k (replicate d 0f32)) (map2 (+)) (replicate d 0f32) clusters points
  in map3 (\s c old -> map2 (\s o -> if c == 0 then o else s / f32.i32 c) s old) sums counts centroids

entry b_nearest [n] (lat: [n]f32) (lon: [n]f32) (y: f32) (x: f32) =
  let distance a b = f32.sqrt ((b - x) * (b - x) + (a - y) * (a - y))
  in reduce_comm (\(a, i) (b, j) -> if b < a || (b == a && j < i) then (b, j) else (a, i))
                 (3.0e38f32, i32.highest)
                 (zip (map2 distance lat lon) (map i32.i64 (iota n)))

entry b_mriq [n] [k] (x: [n]f32) (y: [n]f32) (z: [n]f32) (kx: [k]f32) (ky: [k]f32) (kz: [k]f32) (mag: [k]f32) =
  unzip (map3 (\x y z ->
    reduce (\(a, b) (c, d) -> (a + c, b + d)) (0, 0)
           (map4 (\kx ky kz mag ->
              let angle = 6.2831853f32 * (kx * x + ky * y + kz * z)
              in (mag * f32.cos angle, mag * f32.sin angle)) kx ky kz mag)) x y z)

def normal (x: f32) : f32 =
  let k = 1 / (1 + 0.2316419 * f32.abs x)
  let p = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
  let tail = 0.39894228 * f32.exp (-0.5 * x * x) * p
  in if x < 0 then tail else 1 - tail
entry b_blackscholes [n] (stock: [n]f32) (strike: [n]f32) (years: [n]f32) (r: f32) (v: f32) =
  unzip (map3 (\s x t ->
    let spread = v * f32.sqrt t
    let d1 = (f32.log (s / x) + (r + 0.5 * v * v) * t) / spread
    let d2 = d1 - spread
    let discounted = x * f32.exp (-r * t)
    let call = s * normal d1 - discounted * normal d2
    in (call, call + discounted - s)) stock strike years)

-- The size of the picture follows from the limit on steps: 50 in the smoke test, 100 on a processor, 255 on a GPU.
entry b_mandelbrot (limit: i32) =
  let n = if limit == 50 then 64i64 else if limit == 100 then 1024 else 4096
  in tabulate_2d n n (\row column ->
    let cx = 3 * f32.i64 column / f32.i64 n - 2.25
    let cy = 2.5 * f32.i64 row / f32.i64 n - 1.25
    let (_, _, i) =
      loop (x, y, i) = (0f32, 0f32, 0i32) while x * x + y * y < 4 && i < limit do
        (x * x - y * y + cx, 2 * (x * y) + cy, i + 1)
    in i)

entry b_option [n] (stock: [n]f32) (strike: [n]f32) (rate: f32) (volatility: f32) =
  let dt = 1f32 / 255
  let factor = volatility * f32.sqrt dt
  let up = f32.exp factor
  let chance = (f32.exp (rate * dt) - 1 / up) / (up - 1 / up)
  let discount = f32.exp (-rate * dt)
  in map2 (\s x ->
    let leaves = tabulate 256 (\i -> f32.max 0 (s * f32.exp (factor * f32.i64 (2 * i - 255)) - x))
    let values =
      loop values = leaves for _step < 255 do
        tabulate 256 (\i ->
          let later = if i == 255 then 0 else #[unsafe] values[i + 1]
          in discount * (chance * later + (1 - chance) * values[i]))
    in values[0]) stock strike

-- The programs in APL (`programs/*.apl`).

entry b_apl_signal [n] (x: [n]f64) =
  f64.sum (tabulate (n - 1) (\i -> f64.max (-50) (f64.min 50 (50 * ((x[i + 1] - x[i]) / (0.01 + x[i + 1]))))))

entry b_apl_life [n] [m] (a: [n][m]bool) =
  loop a for _i < 100i32 do
    let cell i j = #[unsafe] i32.bool a[(i + n) % n, (j + m) % m]
    in tabulate_2d n m (\i j ->
      let s = cell (i - 1) (j - 1) + cell (i - 1) j + cell (i - 1) (j + 1) + cell i (j - 1) + cell i j + cell i (j + 1)
              + cell (i + 1) (j - 1) + cell (i + 1) j + cell (i + 1) (j + 1)
      in s == 3 || (s == 4 && a[i, j]))

entry b_apl_hotspot [n] [m] (power: [n][m]f64) (a: [n][m]f64) =
  loop a for _i < 100i32 do
    let cell i j = #[unsafe] a[i64.max 0 (i64.min (n - 1) i), i64.max 0 (i64.min (m - 1) j)]
    in tabulate_2d n m (\i j ->
      let h = a[i, j]
      in h + 0.0068f64 * (power[i, j] + 0.1 * (cell i (j - 1) + cell i (j + 1) - 2 * h)
                          + 0.1 * (cell (i - 1) j + cell (i + 1) j - 2 * h) + 0.0125 * (80 - h)))

entry b_apl_easter (years: []i32) =
  let easter (year: i32) =
    let golden = 1 + year % 19
    let century = 1 + year / 100
    let leaps = 3 * century / 4 - 12
    let orbit = (5 + 8 * century) / 25 - 5
    let sunday = 5 * year / 4 - (leaps + 10)
    let epact = (11 * golden + 20 + orbit - leaps) % 30
    let epact = epact + i32.bool (epact == 24 || (epact == 25 && golden > 11))
    let full = 44 - epact
    let full = full + (if epact > 23 then 30 else 0)
    let day = full + 7 - (sunday + full) % 7
    in if day > 31 then 400 + day - 31 else 300 + day
  in i32.maximum (map easter years)

entry b_apl_blackscholes [n] (years: [n]f64) =
  let normal (x: f64) =
    let k = 1 / (1 + 0.2316419 * f64.abs x)
    let p = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    let tail = p * f64.exp (-(x * x / 2)) / f64.sqrt (2 * f64.pi)
    in if x >= 0 then 1 - tail else tail
  let price t =
    let spread = 0.2 * f64.sqrt t
    let d = (f64.log (60f64 / 65) + t * (0.1 + 0.2 * 0.2 / 2)) / spread
    in 60 * normal d - 65 * f64.exp (-0.1 * t) * normal (d - spread)
  in f64.sum (map price years) / f64.i64 n

entry b_apl_sobol (directions: [2][30]i32) (n: i32) =
  let inside (i: i32) =
    let gray = i ^ (i >> 1)
    let along (d: [30]i32) = f64.i32 (reduce (^) 0 (map2 (\d k -> if gray >> i32.i64 k & 1 == 1 then d else 0) d (iota 30))) / 1073741824
    let (x, y) = (along directions[0], along directions[1])
    in i32.bool (x * x + y * y < 1)
  in 4 * f64.i32 (i32.sum (tabulate (i64.i32 n) (\i -> inside (i32.i64 i + 1)))) / f64.i32 n
