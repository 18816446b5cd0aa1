//! Results of tuning, in the file `PROGRAM.tuned` beside the program.
//!
//! A record holds for a kernel (a fingerprint of its core), a device with its driver, and sizes of about the same
//! magnitude. A record of another version of the kernel or of another driver is not used, and the run says so.

use super::choice::Choice;
use crate::files::{self, ReadError};
use lift_codegen::device::DeviceInfo;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

const HEAD: &str = "lift-tuned 1";
/// Largest file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Sizes that differ by at most this many powers of two count as equal.
const NEAR: u32 = 2;

#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub kernel: String,
    /// The fingerprint of the kernel's core.
    pub meaning: String,
    /// Name, platform and driver.
    pub device: [String; 3],
    pub sizes: BTreeMap<String, i64>,
    pub choice: Choice,
    /// The fingerprint of the core that the choice's rewritings gave; empty without rewritings.
    pub rewritten: String,
    /// Microseconds of the choice, and of the default.
    pub times: [f64; 2],
    /// When it was measured, if the file says so: seconds since 1970.
    pub at: Option<u64>,
}

/// The file of the records of a program.
pub fn file(program: &Path) -> PathBuf {
    let mut name = program.as_os_str().to_owned();
    name.push(".tuned");
    PathBuf::from(name)
}

/// The identity of a device in records.
pub fn identity(device: &DeviceInfo) -> [String; 3] {
    [&device.name, &device.platform, &device.driver].map(|text| text.replace(['|', '\n'], " ").trim().to_owned())
}

/// The choice that a run uses, and its notices.
#[derive(Debug, Default, PartialEq)]
pub struct Lookup {
    pub record: Option<Record>,
    pub notice: Option<String>,
}

/// Identifies the records that may be used: those of a kernel as it is now, on a device.
#[derive(Debug, Clone, Copy)]
pub struct Key<'a> {
    /// The file of the program.
    pub program: &'a Path,
    pub kernel: &'a str,
    /// The fingerprint of what the kernel computes.
    pub meaning: &'a str,
    pub device: &'a DeviceInfo,
}

impl Key<'_> {
    /// Finds the record that a run with these sizes uses, or the reason why it uses none.
    pub fn lookup(&self, sizes: &BTreeMap<String, i64>) -> Lookup {
        let Key { program, kernel, meaning, device } = *self;
        let file = file(program);
        let shown = shown(&file);
        let told = |what: &str| Lookup { record: None, notice: Some(format!("{shown} {what}")) };
        let records = match read(&file) {
            Ok(records) => records,
            Err(why) => return Lookup { record: None, notice: Some(unused(program, &why)) },
        };
        let of_device = identity(device);
        let here: Vec<&Record> =
            records.iter().filter(|r| r.kernel == kernel && r.device[..2] == of_device[..2]).collect();
        let is_valid = |r: &&&Record| r.meaning == meaning && r.device == of_device;
        let near = here.iter().filter(is_valid).filter_map(|r| Some((distance(&r.sizes, sizes)?, r)));
        match near.min_by_key(|(distance, _)| *distance) {
            Some((_, record)) => match record.choice.on(device) {
                Ok(_) => Lookup { record: Some((**record).clone()), notice: None },
                Err(why) => Lookup { record: None, notice: Some(unused(program, &why)) },
            },
            None if here.iter().any(|r| r.meaning == meaning && r.device != of_device) => {
                told(&format!("is of another driver than {}: `{kernel}` runs as if never tuned", of_device[2]))
            }
            None if !here.is_empty() && here.iter().all(|r| r.meaning != meaning) => {
                told(&format!("is of another version of `{kernel}`, which runs as if never tuned"))
            }
            None => Lookup::default(),
        }
    }

    /// Finds the record for code that is generated once, for all sizes: the nearest to `sizes`, or without sizes the one
    /// that was kept last.
    pub fn for_code(&self, sizes: &BTreeMap<String, i64>) -> Lookup {
        if !sizes.is_empty() {
            return self.lookup(sizes);
        }
        let all = read(&file(self.program)).unwrap_or_default();
        let (kernel, meaning, device) = (self.kernel, self.meaning, identity(self.device));
        match all.iter().rfind(|r| r.kernel == kernel && r.meaning == meaning && r.device == device) {
            Some(last) => self.lookup(&last.sizes),
            // To say why a record is not used.
            None => self.lookup(sizes),
        }
    }
}

/// The notice of a run whose records cannot be used.
pub fn unused(program: &Path, why: &str) -> String {
    format!("{} is not used: {why}", shown(&file(program)))
}

fn shown(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The distance of sizes; `None` if it is too great, or if their names differ. Sizes of the same divisibility come
/// first.
fn distance(a: &BTreeMap<String, i64>, b: &BTreeMap<String, i64>) -> Option<u32> {
    if !a.keys().eq(b.keys()) {
        return None;
    }
    let mut all = 0;
    for (a, b) in a.values().zip(b.values()) {
        let magnitude = |n: &i64| n.unsigned_abs().max(1).ilog2();
        let apart = magnitude(a).abs_diff(magnitude(b));
        if apart > NEAR {
            return None;
        }
        let differ = [4, 16].iter().filter(|k| (a % **k == 0) != (b % **k == 0)).count() as u32;
        all += 4 * apart + differ;
    }
    Some(all)
}

/// Reads all records; none if there is no file.
pub fn read(file: &Path) -> Result<Vec<Record>, String> {
    match files::read_bytes(file, MAX_BYTES).and_then(files::text_of) {
        Ok(text) => parse(&text),
        Err(ReadError::Missing) => Ok(Vec::new()),
        Err(why) => Err(why.to_string()),
    }
}

/// Adds a record, in place of what [`forget`] would remove.
pub fn add(file: &Path, record: Record) -> io::Result<()> {
    let _held = hold(file, HELD_FOR);
    let mut records = others(file, &record)?;
    records.push(record);
    files::write_atomically(file, print(&records).as_bytes())
}

/// Removes the record for the same kernel, device and magnitudes, if there is one, and those of other versions of the
/// kernel, which cannot be used any more.
pub fn forget(file: &Path, like: &Record) -> io::Result<()> {
    let _held = hold(file, HELD_FOR);
    if !file.exists() {
        return Ok(());
    }
    match others(file, like)? {
        none if none.is_empty() => std::fs::remove_file(file),
        records => files::write_atomically(file, print(&records).as_bytes()),
    }
}

impl Record {
    /// How the choice was found, for people: `on NVIDIA H200 for N=4096, 1.80 times as fast as the default`.
    pub fn found(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(|(name, n)| format!("{name}={n}")).collect();
        let sizes = if sizes.is_empty() { String::new() } else { format!(" for {}", sizes.join(" ")) };
        format!("on {}{sizes}, {:.2} times as fast as the default", self.device[0], self.gain())
    }

    /// How many times as fast as the default the choice is.
    pub fn gain(&self) -> f64 {
        let [best, default] = self.times;
        default / best.max(1e-3)
    }
}

/// How long to wait for another process that holds the folder. A tuning holds it for milliseconds.
const HELD_FOR: Duration = Duration::from_secs(5);

/// Locks the folder of a file until the result is dropped, so that of several tunings one changes the file at a time. A
/// file system without locks is used without, and so is a folder that another program keeps locked.
#[cfg(unix)]
fn hold(file: &Path, most: Duration) -> Option<std::fs::File> {
    use rustix::fs::{FlockOperation, flock};
    use std::time::Instant;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = std::fs::File::open(folder).ok()?;
    let end = Instant::now() + most;
    while let Err(why) = flock(&folder, FlockOperation::NonBlockingLockExclusive) {
        if ![rustix::io::Errno::WOULDBLOCK, rustix::io::Errno::INTR].contains(&why) || Instant::now() > end {
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Some(folder)
}

#[cfg(not(unix))]
fn hold(_: &Path, _: Duration) {}

fn others(file: &Path, record: &Record) -> io::Result<Vec<Record>> {
    let mut records = read(file).map_err(io::Error::other)?;
    let is_same = |r: &Record| r.device[..2] == record.device[..2] && distance(&r.sizes, &record.sizes) == Some(0);
    records.retain(|r| r.kernel != record.kernel || (r.meaning == record.meaning && !is_same(r)));
    Ok(records)
}

fn print(records: &[Record]) -> String {
    let mut out = format!("{HEAD}\n");
    for r in records {
        let sizes: Vec<String> = r.sizes.iter().map(|(name, n)| format!("{name}={n}")).collect();
        let fingerprints = format!("{} {}", r.meaning, r.rewritten);
        let _ = write!(out, "\nkernel {} {}\ndevice {}\n", r.kernel, fingerprints.trim_end(), r.device.join(" | "));
        let _ = writeln!(out, "sizes {}", sizes.join(" "));
        let _ = writeln!(out, "use {}", r.choice);
        let at = r.at.map_or(String::new(), |at| format!(" at {at}"));
        let _ = writeln!(out, "time {:.3} of {:.3}{at}", r.times[0], r.times[1]);
    }
    out
}

fn parse(text: &str) -> Result<Vec<Record>, String> {
    let mut lines = text.lines().enumerate().map(|(n, line)| (n + 1, line.trim())).filter(|(_, line)| !line.is_empty());
    let first = lines.next().map(|(_, line)| line);
    if first != Some(HEAD) {
        return Err(format!("its first line is not `{HEAD}`"));
    }
    let mut records = Vec::new();
    while let Some((at, line)) = lines.next() {
        let wrong = |at: usize, why: &str| format!("line {at}: {why}");
        let field = |(at, line): (usize, &str), word: &str| match line.strip_prefix(word) {
            Some(rest) if rest.is_empty() || rest.starts_with(' ') => Ok((at, rest.trim().to_owned())),
            _ => Err(wrong(at, &format!("`{word} …` is expected"))),
        };
        let (_, kernel) = field((at, line), "kernel")?;
        let (kernel, meaning, rewritten) = match kernel.split_whitespace().collect::<Vec<_>>().as_slice() {
            [kernel, meaning, rest @ ..] if rest.len() < 2 => {
                let rewritten = rest.first().copied().unwrap_or_default();
                ((*kernel).to_owned(), (*meaning).to_owned(), rewritten.to_owned())
            }
            _ => return Err(wrong(at, "`kernel NAME FINGERPRINT` is expected")),
        };
        let mut next =
            |word: &str| field(lines.next().ok_or_else(|| format!("`{word} …` is missing at the end"))?, word);
        let (at, device) = next("device")?;
        let device: Vec<String> = device.split('|').map(|part| part.trim().to_owned()).collect();
        let device =
            <[String; 3]>::try_from(device).map_err(|_| wrong(at, "`NAME | PLATFORM | DRIVER` is expected"))?;
        let (at, sizes) = next("sizes")?;
        let size = |word: &str| {
            let pair = word.split_once('=').and_then(|(name, n)| Some((name.to_owned(), n.parse::<i64>().ok()?)));
            pair.filter(|(_, n)| *n >= 0).ok_or_else(|| wrong(at, "`NAME=NUMBER …` is expected"))
        };
        let sizes = sizes.split_whitespace().map(size).collect::<Result<_, _>>()?;
        let (at, choice) = next("use")?;
        let choice = Choice::parse(&choice).map_err(|why| wrong(at, &why))?;
        let (at, time) = next("time")?;
        let is_time = |t: &f64| t.is_finite() && *t >= 0.0;
        let micros = |word: &str| word.parse::<f64>().ok().filter(is_time);
        let (times, when) = match time.split_whitespace().collect::<Vec<_>>().as_slice() {
            [a, "of", b] => (micros(a).zip(micros(b)), Some(None)),
            [a, "of", b, "at", when] => (micros(a).zip(micros(b)), when.parse().ok().map(Some)),
            _ => (None, None),
        };
        let told = times.zip(when);
        let ((a, b), when) = told.ok_or_else(|| wrong(at, "`time MICROSECONDS of MICROSECONDS` is expected"))?;
        records.push(Record { kernel, meaning, device, sizes, choice, rewritten, times: [a, b], at: when });
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(n: i64, choice: &str) -> Record {
        Record {
            kernel: "f".to_owned(),
            meaning: "00ff".to_owned(),
            device: ["NVIDIA H200", "NVIDIA CUDA", "550.54"].map(str::to_owned),
            sizes: BTreeMap::from([("N".to_owned(), n)]),
            choice: Choice::parse(choice).expect("a choice"),
            rewritten: String::new(),
            times: [1.5, 3.0],
            at: None,
        }
    }

    const TEXT: &str = "lift-tuned 1

kernel f 00ff
device NVIDIA H200 | NVIDIA CUDA | 550.54
sizes N=4096
use target=gpu rows.team=16
time 1.500 of 3.000
";

    #[test]
    fn records_are_text() {
        let records = vec![record(4096, "target=gpu rows.team=16")];
        assert_eq!(print(&records), TEXT);
        assert_eq!(parse(TEXT), Ok(records));
        let rewritten = Record { rewritten: "12ab".to_owned(), at: Some(1_764_418_488), ..record(4096, "law=map-map") };
        let rewritten = vec![rewritten];
        let text = print(&rewritten);
        assert!(text.contains("\nkernel f 00ff 12ab\n"), "{text}");
        assert!(text.ends_with("\ntime 1.500 of 3.000 at 1764418488\n"), "{text}");
        assert_eq!(parse(&text), Ok(rewritten));
        let edited = |from: &str, to: &str| parse(&TEXT.replace(from, to));
        assert_eq!(edited("=16", "=17"), Err("line 6: `rows.team` cannot be 17; it is one of 2, 4, 8, 16, 32".into()));
        assert_eq!(edited("team", "teams"), Err("line 6: there is no parameter `rows.teams`".into()));
        assert!(edited("=gpu", "=tpu").is_err_and(|why| why.contains("no target `tpu`")));
        assert_eq!(edited("sizes", "size"), Err("line 5: `sizes …` is expected".into()));
        assert_eq!(edited("1.500", "fast"), Err("line 7: `time MICROSECONDS of MICROSECONDS` is expected".into()));
        assert_eq!(edited("tuned 1", "tuned 2"), Err("its first line is not `lift-tuned 1`".into()));
        // A file that is cut off is refused or has fewer records, and is never taken for something else.
        for end in 0..TEXT.len() {
            if let Ok(all) = parse(&TEXT[..end]) {
                assert!(all.is_empty() || all[0].choice == record(1, "target=gpu rows.team=16").choice, "cut at {end}");
            }
        }
    }

    #[test]
    fn sizes_are_near_in_powers_of_two() {
        let sizes = |n: i64| BTreeMap::from([("N".to_owned(), n)]);
        assert_eq!(distance(&sizes(4096), &sizes(5000)), Some(1));
        assert_eq!(distance(&sizes(4096), &sizes(4096 * 4)), Some(8));
        assert_eq!(distance(&sizes(4096), &sizes(4096 * 8)), None);
        assert_eq!(distance(&sizes(0), &sizes(1)), Some(2));
        assert_eq!(distance(&sizes(1), &BTreeMap::new()), None);
    }

    #[test]
    fn a_record_takes_the_place_of_its_like() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("f.lift.tuned");
        for (n, choice) in [(4096, "group=64"), (4096, "group=32"), (1 << 20, "")] {
            add(&file, record(n, choice)).expect("it is written");
        }
        let kept: Vec<String> = read(&file).expect("it is read").iter().map(|r| r.choice.to_string()).collect();
        assert_eq!(kept, ["group=32", ""]);
        add(&file, Record { meaning: "1".to_owned(), ..record(7, "") }).expect("it is written");
        assert_eq!(read(&file).expect("it is read").len(), 1);
        forget(&file, &record(7, "")).expect("it is written");
        assert_eq!(read(&file), Ok(Vec::new()));
    }

    #[test]
    fn tunings_at_the_same_time_lose_no_record() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("f.lift.tuned");
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let file = &file;
                scope.spawn(move || {
                    for n in 0..8 {
                        let kernel = format!("f{thread}.{n}");
                        add(file, Record { kernel, ..record(4096, "group=64") }).expect("it is written");
                    }
                });
            }
        });
        assert_eq!(read(&file).expect("it is read").len(), 32);
    }

    /// Another program may lock the folder for as long as it runs.
    #[cfg(unix)]
    #[test]
    fn a_folder_that_stays_locked_is_used_without_a_lock() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("f.lift.tuned");
        let held = hold(&file, HELD_FOR).expect("nobody else holds it");
        assert!(hold(&file, Duration::from_millis(1)).is_none());
        drop(held);
        assert!(hold(&file, Duration::ZERO).is_some());
    }

    /// Set in the process that is killed.
    const WRITES: &str = "LIFT_TEST_WRITES";

    #[test]
    fn a_process_that_is_killed_while_it_writes_leaves_a_file_that_can_be_read() {
        if let Some(file) = std::env::var_os(WRITES) {
            for n in 0.. {
                add(Path::new(&file), record(1 << (n % 40), "group=64")).expect("it is written");
            }
        }
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("f.lift.tuned");
        let own = std::env::current_exe().expect("this program");
        let name = "tuned::records::tests::a_process_that_is_killed_while_it_writes_leaves_a_file_that_can_be_read";
        let mut most = 0;
        for milliseconds in 0..6 {
            let mut command = std::process::Command::new(&own);
            command.args(["--exact", name]).env(WRITES, &file).stdout(std::process::Stdio::null());
            let mut child = command.spawn().expect("it starts");
            while most == 0 && read(&file).is_ok_and(|records| records.is_empty()) {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            std::thread::sleep(std::time::Duration::from_millis(20 + milliseconds));
            child.kill().and_then(|()| child.wait()).expect("it is killed");
            let records = read(&file).expect("it is read").len();
            assert!(records >= most, "{records} after {most}");
            most = records;
        }
        assert!(most > 1, "{most}");
    }
}
