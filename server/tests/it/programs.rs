//! Runs command lines for tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A temporary folder in which command lines run.
pub struct Bench {
    folder: tempfile::TempDir,
}

/// The result of a command line.
pub struct Ran {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Bench {
    pub fn new(files: &[(&str, &str)]) -> Bench {
        let bench = Bench { folder: tempfile::tempdir().expect("a folder") };
        for (name, text) in files {
            bench.write(name, text.as_bytes());
        }
        bench
    }
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    pub fn write(&self, name: &str, content: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a file")
    }
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lift"));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        command.env_remove("NO_COLOR");
        command
    }
    pub fn lift(&self, arguments: &[&str]) -> Ran {
        let output = self.command(arguments).output().expect("it starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Ran { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
    /// Returns the output of a command that must succeed.
    pub fn fine(&self, arguments: &[&str]) -> String {
        let ran = self.lift(arguments);
        assert_eq!((ran.status, &*ran.err), (Some(0), ""), "{arguments:?}: {}", ran.out);
        ran.out
    }
    /// Returns the messages of a command that must fail after it has printed something.
    pub fn wrong_after(&self, arguments: &[&str]) -> String {
        let ran = self.lift(arguments);
        assert_eq!((ran.status, ran.out.is_empty()), (Some(1), false), "{arguments:?}: {}", ran.err);
        ran.err
    }
    /// Returns the messages of a command that must find an error in the program or an input.
    pub fn wrong(&self, arguments: &[&str]) -> String {
        let ran = self.lift(arguments);
        assert_eq!((ran.status, &*ran.out), (Some(1), ""), "{arguments:?}: {}", ran.err);
        ran.err
    }
}
