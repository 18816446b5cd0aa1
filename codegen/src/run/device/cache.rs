//! A cache on disk of binaries built by a device's compiler.
//!
//! The key of an entry is everything that determines the binary: the text, the options, the device, its driver and the
//! version of lift. The entry contains its key, so that hash collisions of file names are detected. Entries are private
//! to the user, and the oldest are evicted when they exceed a total size. If an entry or the folder is unusable, the
//! text is compiled as if there were no cache.
//!
//! The folder is `$XDG_CACHE_HOME/lift/programs` or `~/.cache/lift/programs`. The environment variable `LIFT_CACHE`
//! names another one, or is `off`.

use super::DeviceInfo;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Maximum total size of all entries, in bytes.
const MOST_BYTES: u64 = 64 << 20;
const MAGIC: &[u8; 8] = b"liftbin1";
const ENDING: &str = "bin";

/// A folder of cache entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
    most: u64,
}

impl Cache {
    /// The cache as the environment configures it; `None` if it is turned off or no folder is known.
    pub fn from_environment() -> Option<Cache> {
        Cache::of(&|name| std::env::var_os(name))
    }

    fn of(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<Cache> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let folder = match set("LIFT_CACHE") {
            Some(value) if value == "off" => return None,
            Some(folder) => PathBuf::from(folder),
            None => {
                // The XDG specification requires relative paths to be ignored.
                let xdg = set("XDG_CACHE_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
                let cache = xdg.or_else(|| Some(PathBuf::from(set("HOME")?).join(".cache")))?;
                cache.join("lift").join("programs")
            }
        };
        Some(Cache { folder, most: MOST_BYTES })
    }

    /// The binary for a key, if there is a valid one.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.path(key);
        let entry = fs::read(&path).ok()?;
        match decode(&entry, key) {
            Found::Binary(binary) => {
                // Mark the entry as recently used.
                let touched = fs::File::options().append(true).open(&path);
                let _ = touched.and_then(|file| file.set_modified(SystemTime::now()));
                Some(binary.to_vec())
            }
            Found::OfAnother => None,
            Found::Damaged => {
                let _ = fs::remove_file(&path);
                None
            }
        }
    }

    /// Stores a binary, if possible.
    pub fn put(&self, key: &Key, binary: &[u8]) {
        if encoded_len(key, binary) <= self.most / 4 {
            let _ = self.write(key, binary).and_then(|()| self.shrink());
        }
    }

    /// Removes an entry that the device rejected.
    pub fn remove(&self, key: &Key) {
        let _ = fs::remove_file(self.path(key));
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(format!("{:016x}.{ENDING}", hash(&key.0)))
    }

    fn write(&self, key: &Key, binary: &[u8]) -> io::Result<()> {
        make_private_folder(&self.folder)?;
        // A reader finds a complete entry or none: it is renamed into place when it is complete.
        let unfinished = self.folder.join(format!("{:016x}.{}.part", hash(&key.0), std::process::id()));
        let written = private_file(&unfinished)
            .and_then(|mut file| file.write_all(&encode(key, binary)))
            .and_then(|()| fs::rename(&unfinished, self.path(key)));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        written
    }

    /// Evicts the oldest entries until the total is small enough, and removes unfinished files of interrupted writers.
    fn shrink(&self) -> io::Result<()> {
        const HOUR: u64 = 3600;
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let path = entry.path();
            let Ok(about) = entry.metadata() else { continue };
            let modified = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
            if ending == "part" && modified.elapsed().is_ok_and(|age| age.as_secs() > HOUR) {
                let _ = fs::remove_file(&path);
            }
            if ending == ENDING && about.is_file() {
                entries.push((modified, about.len(), path));
            }
        }
        let mut bytes: u64 = entries.iter().map(|(_, len, _)| len).sum();
        entries.sort();
        for (_, len, path) in entries {
            if bytes <= self.most {
                break;
            }
            if fs::remove_file(path).is_ok() {
                bytes -= len;
            }
        }
        Ok(())
    }
}

/// Everything that determines a binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key(Vec<u8>);

impl Key {
    pub fn new(text: &str, options: &str, device: &DeviceInfo) -> Key {
        let parts = [
            env!("CARGO_PKG_VERSION"),
            options,
            &device.platform,
            &device.vendor,
            &device.name,
            &device.driver,
            &device.version,
            text,
        ];
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part.as_bytes());
        }
        Key(bytes)
    }
}

/// FNV-1a, which does not change between versions of a library.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}

/// Magic, length and bytes of the key, then hash, length and bytes of the binary.
fn encode(key: &Key, binary: &[u8]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend((key.0.len() as u64).to_le_bytes());
    out.extend(&key.0);
    out.extend(hash(binary).to_le_bytes());
    out.extend((binary.len() as u64).to_le_bytes());
    out.extend(binary);
    out
}

fn encoded_len(key: &Key, binary: &[u8]) -> u64 {
    (MAGIC.len() + 24 + key.0.len() + binary.len()) as u64
}

#[derive(Debug, PartialEq, Eq)]
enum Found<'a> {
    Binary(&'a [u8]),
    OfAnother,
    Damaged,
}

fn decode<'a>(entry: &'a [u8], key: &Key) -> Found<'a> {
    fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
        let (number, rest) = bytes.split_first_chunk::<8>()?;
        Some((u64::from_le_bytes(*number), rest))
    }
    fn parts(entry: &[u8]) -> Option<(&[u8], u64, &[u8])> {
        let (len, rest) = number(entry.strip_prefix(MAGIC)?)?;
        let (key, rest) = rest.split_at_checked(usize::try_from(len).ok()?)?;
        let (sum, rest) = number(rest)?;
        let (len, binary) = number(rest)?;
        (binary.len() as u64 == len).then_some((key, sum, binary))
    }
    match parts(entry) {
        Some((_, sum, binary)) if hash(binary) != sum => Found::Damaged,
        Some((of, _, binary)) if of == key.0 => Found::Binary(binary),
        Some(_) => Found::OfAnother,
        None => Found::Damaged,
    }
}

#[cfg(unix)]
fn make_private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}
#[cfg(not(unix))]
fn make_private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(unix)]
fn private_file(path: &Path) -> io::Result<fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}
#[cfg(not(unix))]
fn private_file(path: &Path) -> io::Result<fs::File> {
    fs::OpenOptions::new().write(true).create_new(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// A temporary folder, removed after the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("lift-cache-test-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            Folder(folder)
        }
        fn cache(&self, most: u64) -> Cache {
            Cache { folder: self.0.clone(), most }
        }
        fn files(&self) -> usize {
            fs::read_dir(&self.0).map_or(0, Iterator::count)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn key(text: &str) -> Key {
        Key::new(text, "-cl-std=CL1.2", &crate::testing::device().info)
    }

    #[test]
    fn what_is_put_is_there() {
        let folder = Folder::new("put");
        let cache = folder.cache(1 << 20);
        assert_eq!(cache.get(&key("a")), None);
        cache.put(&key("a"), b"binary of a");
        cache.put(&key("b"), b"binary of b");
        assert_eq!(cache.get(&key("a")).as_deref(), Some(&b"binary of a"[..]));
        cache.put(&key("a"), b"another");
        assert_eq!(cache.get(&key("a")).as_deref(), Some(&b"another"[..]));
        cache.remove(&key("a"));
        assert_eq!((cache.get(&key("a")), folder.files()), (None, 1));
        assert_ne!(key("a"), Key::new("a", "", &crate::testing::device().info));
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = Folder::new("private");
        let cache = folder.cache(1 << 20);
        cache.put(&key("a"), b"x");
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!((mode(&folder.0), mode(&cache.path(&key("a")))), (0o700, 0o600));
    }

    #[test]
    fn damaged_entries_are_none() {
        let folder = Folder::new("damaged");
        let cache = folder.cache(1 << 20);
        let sound = encode(&key("a"), b"binary");
        for len in 0..sound.len() {
            assert_eq!(decode(&sound[..len], &key("a")), Found::Damaged, "cut at {len}");
        }
        let mut other = sound.clone();
        *other.last_mut().expect("not empty") ^= 1;
        assert_eq!(decode(&other, &key("a")), Found::Damaged);
        assert_eq!(decode(&sound, &key("b")), Found::OfAnother);
        cache.put(&key("a"), b"binary");
        fs::write(cache.path(&key("a")), &sound[..20]).expect("it can be written");
        assert_eq!((cache.get(&key("a")), folder.files()), (None, 0));
    }

    /// Simulates a full disk by a limit on file sizes: the write fails in the middle. The process is this test, started
    /// by a shell that sets the limit.
    #[cfg(unix)]
    #[test]
    fn on_a_full_disk_nothing_is_kept() {
        const FOLDER: &str = "LIFT_TEST_FULL_DISK";
        let (large, small) = (Key(b"large".to_vec()), Key(b"small".to_vec()));
        if let Some(folder) = std::env::var_os(FOLDER) {
            let cache = Cache { folder: PathBuf::from(folder), most: MOST_BYTES };
            cache.put(&small, b"binary");
            cache.put(&large, &[7; 1 << 20]);
            return;
        }
        let folder = Folder::new("full");
        let cache = folder.cache(MOST_BYTES);
        let thread = std::thread::current();
        let output = std::process::Command::new("sh")
            .args(["-c", r#"trap '' XFSZ; ulimit -f 64; exec "$0" "$@""#])
            .arg(std::env::current_exe().expect("this program"))
            .args(["--exact", thread.name().expect("tests have names")])
            .env(FOLDER, &folder.0)
            .output()
            .expect("a shell");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        assert_eq!(cache.get(&small).as_deref(), Some(&b"binary"[..]));
        // Nothing remains of the entry that did not fit.
        assert_eq!((cache.get(&large), folder.files()), (None, 1));
        cache.put(&large, &[7; 1 << 20]);
        assert!(cache.get(&large).is_some(), "with room there is nothing wrong with it");
    }

    #[test]
    fn the_oldest_go() {
        let folder = Folder::new("oldest");
        let size = encoded_len(&key("a"), &[0; 100]);
        let cache = folder.cache(size * 4);
        let names = ["a", "b", "c", "d", "e"];
        for (i, name) in names.iter().enumerate() {
            cache.put(&key(name), &[0; 100]);
            let path = cache.path(&key(name));
            let then = SystemTime::now() - Duration::from_secs(1000 - 100 * i as u64);
            if let Ok(file) = fs::File::options().append(true).open(path) {
                file.set_modified(then).expect("a time can be set");
            }
            // Use makes the entry recent again.
            cache.get(&key("a"));
        }
        let left: Vec<&str> = names.into_iter().filter(|n| cache.get(&key(n)).is_some()).collect();
        assert_eq!(left, ["a", "c", "d", "e"]);
        cache.put(&key("large"), &vec![0; size as usize * 2]);
        assert_eq!(cache.get(&key("large")), None, "nothing takes more than a quarter");
    }

    #[test]
    fn the_environment_says_where() {
        let of = |given: &[(&str, &str)]| {
            let find = |name: &str| given.iter().find(|(n, _)| *n == name).map(|(_, value)| OsString::from(value));
            Cache::of(&find).map(|c| c.folder)
        };
        assert_eq!(of(&[("HOME", "/h")]), Some("/h/.cache/lift/programs".into()));
        assert_eq!(of(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/c")]), Some("/c/lift/programs".into()));
        assert_eq!(of(&[("HOME", "/h"), ("XDG_CACHE_HOME", "c")]), Some("/h/.cache/lift/programs".into()));
        assert_eq!(of(&[("HOME", "/h"), ("LIFT_CACHE", "/mine")]), Some("/mine".into()));
        assert_eq!(of(&[("HOME", "/h"), ("LIFT_CACHE", "off")]), None);
        assert_eq!(of(&[]), None);
    }
}
