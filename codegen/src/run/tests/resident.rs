//! Programs that stay on the device.

use super::device::{HostData, Session};
use super::*;

#[test]
fn runs_of_a_resident_program_give_the_result_as_its_buffers_hold_it() {
    let b = map();
    let device = device();
    let session = Session::open(&device, true).expect("the device opens");
    let sizes = sizes(&[("N", 1000)]);
    let xs: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let expected = vec![HostData::Float(xs.iter().map(|x| 2.0 * x).collect())];
    let mut resident =
        Resident::new(&b.program, vec![HostData::Float(xs)], sizes, &session).expect("a program that fits");
    let poisoned = resident.result().expect("buffers can be read");
    assert_ne!(poisoned, expected, "nothing has run yet");
    for _ in 0..3 {
        resident.enqueue().expect("a run");
    }
    assert_eq!(resident.result().expect("a result"), expected);
    let time = resident.take_nanoseconds().expect("times");
    assert!(time > 0, "three launches took no time");
    assert_eq!(resident.take_nanoseconds().expect("times"), 0, "asked twice, without a run in between");
    resident.reset(true).expect("buffers can be filled");
    assert_ne!(resident.result().expect("buffers can be read"), expected);
}

#[test]
fn of_a_dynamic_length_only_what_there_is_is_read() {
    let text = "
kernel void f(global int* ys, global int* count, int n) {
    count[0] = n / 2;
    for (int i = 0; i < n / 2; i++) ys[i] = i;
}
";
    let mut b = Builder::new(text).sizes(&["N"]);
    let ys = b.buffer("ys", Scalar::Int, n(), BufferRole::Output);
    let count = b.buffer("count", Scalar::Int, Size::one(), BufferRole::Output);
    b.step(launch("f", vec![Arg::Buffer(ys), Arg::Buffer(count), size_arg(n())], Size::one(), 1));
    b.result(Ty::int(), exists(count, n(), array_of(Size::var(x()), Layout::Scalar(ys))));
    let device = device();
    let session = Session::open(&device, false).expect("the device opens");
    let mut resident = Resident::new(&b.program, vec![], sizes(&[("N", 9)]), &session).expect("a program that fits");
    resident.enqueue().expect("a run");
    assert_eq!(resident.result(), Ok(vec![HostData::Int(vec![0, 1, 2, 3])]));
}

#[test]
fn inputs_that_do_not_fit_are_named() {
    let b = map();
    let device = device();
    let session = Session::open(&device, false).expect("the device opens");
    let refused = |data| match Resident::new(&b.program, data, sizes(&[("N", 3)]), &session) {
        Ok(_) => panic!("these inputs do not fit"),
        Err(failure) => failure.to_string(),
    };
    assert_eq!(refused(vec![]), "there are 1 input buffers, but data for 0");
    assert_eq!(refused(vec![HostData::Float(vec![0.0; 4])]), "`xs` takes 3 elements of Float, not 4 of Float");
    assert_eq!(refused(vec![HostData::Int(vec![0; 3])]), "`xs` takes 3 elements of Float, not 3 of Int");
}
