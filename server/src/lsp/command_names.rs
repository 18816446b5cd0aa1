//! The names of commands and of the code actions that run them.

pub const GENERATE_OPENCL: &str = "lift.server.generateOpenCL";
pub const RUN_KERNEL: &str = "lift.server.runKernel";
pub const KERNELS: &str = "lift.server.kernels";
pub const SETUP: &str = "lift.server.setup";
/// Variants of [`GENERATE_OPENCL`] and [`RUN_KERNEL`] for editors that ignore a command's result: the server shows it
/// as a document.
pub const SHOW_OPENCL: &str = "lift.server.showOpenCL";
pub const SHOW_RUN: &str = "lift.server.showRun";
/// Runs the `;;; test:` lines of a kernel.
pub const TEST_KERNEL: &str = "lift.server.testKernel";
pub const SHOW_TESTS: &str = "lift.server.showTests";
/// Searches for the parameters that make a kernel fastest.
pub const TUNE_KERNEL: &str = "lift.server.tuneKernel";
pub const SHOW_TUNING: &str = "lift.server.showTuning";
/// Writes the record of such a search into the program.
pub const WRITE_TUNED: &str = "lift.server.writeTuned";
/// Compares two kernels: results, times, costs and generated code.
pub const COMPARE_KERNELS: &str = "lift.server.compareKernels";
pub const NAMES: [&str; 12] = [
    GENERATE_OPENCL,
    RUN_KERNEL,
    KERNELS,
    SETUP,
    SHOW_OPENCL,
    SHOW_RUN,
    TEST_KERNEL,
    SHOW_TESTS,
    TUNE_KERNEL,
    SHOW_TUNING,
    WRITE_TUNED,
    COMPARE_KERNELS,
];
/// Kinds of the code actions that run these commands.
pub const OPENCL_ACTION: &str = "source.lift.opencl";
pub const RUN_ACTION: &str = "source.lift.run";
pub const TUNED_ACTION: &str = "source.lift.tuned";
