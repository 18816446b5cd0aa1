//! `lift run`: formats of inputs and results, standard input and pipes, conversion of numbers.

use crate::programs::Bench;
use expect_test::expect;
use std::io::Write;
use std::process::Stdio;

const PROGRAM: &str = "\
(lift double (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (* x 2.0f)) xs)))
(lift flip (H W) ((array-type (array-type int W) H)) (lambda (rows) (map reverse rows)))
(lift swap (N) ((array-type (tuple-type int float) N)) (lambda (rows) (map (lambda (r) (tuple (get2 r) (get1 r))) rows)))
(lift bytes (H W) ((array-type (array-type ubyte W) H)) (lambda (rows) (map reverse rows)))
(lift invert (H W) ((array-type (array-type float W) H)) (lambda (rows) (map (map (lambda (x) (- 1.0f x))) rows)))
(lift shape (H W) ((array-type (array-type ubyte W) H)) (lambda (_rows) (tuple H W)))
(lift rgb (H W) ((array-type (array-type (array-type int 3) W) H)) (lambda (rows) (map (map reverse) rows)))
";

fn bench() -> Bench {
    Bench::new(&[("p.lift", PROGRAM)])
}

fn arguments<'a>(kernel: &'a str, inputs: &[&'a str]) -> Vec<&'a str> {
    [&["run", "p.lift", "--device", "interpreter", "--kernel", kernel], inputs].concat()
}

fn run(bench: &Bench, kernel: &str, inputs: &[&str]) -> String {
    bench.fine(&arguments(kernel, inputs))
}

fn refusal(bench: &Bench, kernel: &str, inputs: &[&str]) -> String {
    let said = bench.wrong(&arguments(kernel, inputs));
    said.lines().next().unwrap_or_default().to_owned()
}

/// Returns what is printed if `given` comes on standard input.
fn piped(bench: &Bench, kernel: &str, inputs: &[&str], given: &[u8]) -> String {
    let mut command = bench.command(&arguments(kernel, inputs));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(given).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

fn npy(dtype: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}");
    let header = format!("{header:<117}\n");
    [b"\x93NUMPY\x01\x00".as_slice(), &(header.len() as u16).to_le_bytes(), header.as_bytes(), data].concat()
}

#[test]
fn standard_input_has_any_format() {
    let bench = bench();
    assert_eq!(piped(&bench, "double", &["-"], b"1 2.5\n"), "2.0\n5.0\n");
    assert_eq!(piped(&bench, "double", &["-"], &npy("<f4", "(1,)", &1.5f32.to_le_bytes())), "3.0\n");
    assert_eq!(piped(&bench, "swap", &["csv:-", "-o", "csv:-"], b"id,\"the price\"\r\n1,0.5\r\n"), "0.5,1\n");
    #[cfg(unix)]
    assert_eq!(piped(&bench, "double", &["/dev/stdin"], b"4"), "8.0\n");
    assert!(refusal(&bench, "double", &["[1]", "-o", "-"]).contains("`-o -` needs a format"));
}

#[test]
fn an_archive_without_rows_says_how_long_they_are() {
    let bench = bench();
    let empty = npy("|u1", "(0, 3)", &[]);
    bench.write("empty.npy", &empty);
    assert_eq!(run(&bench, "shape", &["empty.npy"]), "0 3\n");
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.start_file("values.npy", zip::write::SimpleFileOptions::default()).expect("a name");
    archive.write_all(&empty).expect("memory takes everything");
    bench.write("empty.npz", archive.finish().expect("memory takes everything").get_ref());
    assert_eq!(run(&bench, "shape", &["empty.npz"]), "0 3\n");
}

#[test]
fn csv_files_have_cells_with_places() {
    let bench = bench();
    bench.write("rows.csv", "\u{feff}name,\"price, net\"\n1 ,\"2.5\"\n\n3, 4\n".as_bytes());
    assert_eq!(run(&bench, "swap", &["rows.csv", "-o", "out.csv"]), "");
    assert_eq!(bench.read("out.csv"), "2.5,1\n4.0,3\n");
    bench.write("word.csv", b"name,price\r\n1,2\r\n\r\n3,four\r\n");
    bench.write("hole.csv", b"1,2\n,3\n");
    bench.write("short.csv", b"1,2\n3\n");
    bench.write("semicolons.csv", b"1;2\n");
    let said = ["word", "hole", "short", "semicolons"]
        .map(|file| refusal(&bench, "swap", &[&format!("{file}.csv")]) + "\n")
        .concat();
    expect![[r#"
        error[input]: input `rows`, given as `word.csv`: line 4, column 2 (`price`): `four` is not a Float
        error[input]: input `rows`, given as `hole.csv`: line 2, column 1: the cell is empty
        error[input]: input `rows`, given as `short.csv`: line 2 has 1 cell; `Array[(Int, Float),N]` has 2 columns
        error[input]: input `rows`, given as `semicolons.csv`: line 1: `1;2` is not one number: commas separate the cells
    "#]]
    .assert_eq(&said);
}

#[test]
fn pictures_go_in_and_out() {
    let bench = bench();
    bench.write("in.pgm", b"P2 3 1 255 0 51 255\n");
    assert_eq!(run(&bench, "flip", &["in.pgm", "-o", "out.png"]), "");
    assert_eq!(run(&bench, "flip", &["out.png"]), "0 51 255\n");
    assert_eq!(run(&bench, "invert", &["out.png"]), "0.0 0.8 1.0\n");
    assert_eq!(run(&bench, "invert", &["out.png", "-o", "out.pgm"]), "");
    assert_eq!(run(&bench, "flip", &["out.pgm"]), "255 204 0\n");
    assert_eq!(run(&bench, "rgb", &["[[[1,2,3],[4,5,6]]]", "-o", "colours.png"]), "");
    assert_eq!(run(&bench, "rgb", &["colours.png"]), "1 2 3\n4 5 6\n");
    let said = [
        refusal(&bench, "flip", &["colours.png"]),
        refusal(&bench, "rgb", &["out.png"]),
        refusal(&bench, "flip", &["[[1,300]]", "-o", "x.png"]),
        refusal(&bench, "rgb", &["[[[1,2,3]]]", "-o", "x.pgm"]),
        refusal(&bench, "double", &["[1]", "-o", "x.png"]),
    ];
    expect![[r#"
        error[input]: input `rows`, given as `colours.png`: the picture has 3 channels (red, green, blue); the parameter `Array[Array[Int,W],H]` takes one number per pixel
        error[input]: input `rows`, given as `out.png`: the picture has 1 channel (grey); the parameter `Array[Array[Array[Int,3],W],H]` takes 3 numbers per pixel
        error[unwritable-file]: the pixel in row 0, column 0 has the number 300; a picture has 0 to 255
        error[unwritable-file]: the picture has 3 channels (red, green, blue), the file has 1 channel (grey); write `.ppm` or `.png`
        error[unwritable-file]: `Array[Float,1]` is not a picture, which is rows of pixels, each a number or an array, tuple or vector of 1 to 4
    "#]].assert_eq(&(said.join("\n") + "\n"));
    assert!(!bench.path("x.png").exists());
}

#[test]
fn numbers_are_converted_on_demand_if_they_fit() {
    let bench = bench();
    let doubles = |numbers: &[f64]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    bench.write("x.npy", &npy("<f8", "(2,)", &doubles(&[0.1, 3.0])));
    bench.write("large.npy", &npy("<f8", "(2,)", &doubles(&[1.0, 1e300])));
    bench.write("bytes.npy", &npy("|u1", "(1, 2)", &[7, 255]));
    bench.write("half.npy", &npy("<f2", "(1,)", &[0, 0]));
    let said = ["x", "large", "half"].map(|file| refusal(&bench, "double", &[&format!("{file}.npy")]) + "\n").concat();
    expect![[r#"
        error[input]: input `xs`, given as `x.npy`: the file holds `float64`, but the parameter is `Array[Float,N]`: `Float` is NumPy's `float32`; run with `--cast`, or convert with `.astype(numpy.float32)`
        error[input]: input `xs`, given as `large.npy`: the file holds `float64`, but the parameter is `Array[Float,N]`: `Float` is NumPy's `float32`; run with `--cast`, or convert with `.astype(numpy.float32)`
        error[input]: input `xs`, given as `half.npy`: the file holds `float16`, but the parameter is `Array[Float,N]`: `Float` is NumPy's `float32`; run with `--cast`, or convert with `.astype(numpy.float32)`
    "#]].assert_eq(&said);
    assert_eq!(run(&bench, "double", &["x.npy", "--cast"]), "0.2\n6.0\n");
    assert_eq!(run(&bench, "flip", &["bytes.npy", "--cast"]), "255 7\n");
    let said = refusal(&bench, "double", &["large.npy", "--cast"]);
    expect!["error[input]: input `xs`, given as `large.npy`: the number 1e300, at index 1, does not fit `Float`"]
        .assert_eq(&said);
}

#[test]
fn a_picture_of_bytes_is_converted_only_for_other_types() {
    let bench = bench();
    bench.write("picture.npy", &npy("|u1", "(2, 2)", &[7, 255, 0, 128]));
    bench.write("wide.npy", &npy("<i4", "(1, 2)", &[[7, 0, 0, 0], [0, 1, 0, 0]].concat()));
    for options in [&["picture.npy"][..], &["picture.npy", "--cast"]] {
        assert_eq!(run(&bench, "bytes", options), "255 7\n128 0\n");
    }
    assert_eq!(run(&bench, "flip", &["picture.npy", "--cast"]), "255 7\n128 0\n");
    assert_eq!(run(&bench, "invert", &["picture.npy", "--cast"]), "-6.0 -254.0\n1.0 -127.0\n");
    let said = [
        refusal(&bench, "flip", &["picture.npy"]),
        refusal(&bench, "bytes", &["wide.npy"]),
        refusal(&bench, "bytes", &["wide.npy", "--cast"]),
    ];
    expect![[r#"
        error[input]: input `rows`, given as `picture.npy`: the file holds `uint8`, but the parameter is `Array[Array[Int,W],H]`: `Int` is NumPy's `int32`; run with `--cast`, or convert with `.astype(numpy.int32)`
        error[input]: input `rows`, given as `wide.npy`: the file holds `int32`, but the parameter is `Array[Array[UByte,W],H]`: `UByte` is NumPy's `uint8`; run with `--cast`, or convert with `.astype(numpy.uint8)`
        error[input]: input `rows`, given as `wide.npy`: the number 256, at index 1, does not fit `UByte`
    "#]].assert_eq(&(said.join("\n") + "\n"));
}
