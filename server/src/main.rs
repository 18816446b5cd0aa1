//! The program `lift`.

fn main() -> std::process::ExitCode {
    lift_server::main(std::env::args_os())
}
