"""A lighter pocl: the driver with fewer built-in functions, for programs that compile many small kernels.

pocl parses declarations of 15,000 functions for each program and reads as many definitions in each process, which takes
a second; a kernel of a test takes a few hundredths. Most are variants for vectors, images and conversions that the code
of `lift` never calls. Here they are left out of the header and of the library; what is left is unchanged. A kernel that
calls a function that is not there fails to build, so nothing passes that would fail otherwise.

`tests/run` starts this as a program of its own, `driver.py FOLDER`, because LLVM ends a process that surprises it.
`tests/run all` uses the driver as it is.
"""

import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# Left out are declarations with these words …
VECTORS = re.compile(r"\b(half|float|double|u?char|u?short|u?int|u?long)(2|3|4|8|16)\b|\b(image\w*_t|event_t|pipe)\b")
FAMILIES = re.compile(r"\b((convert_|vloada|vstorea|async|intel_|amd_|arm_|sub_group_)\w+|shuffle2?|prefetch) *\(")
# … and definitions with these mangled names (`Dv8_f` is a vector of eight floats).
MANGLED = re.compile(r"Dv\d+_|^_Z\d+(_cl_)?(vloada_|vstorea_|shuffle|async|prefetch|(read|write|get)_image)")
# What is called all the same: what tiles (`tile/cores.rs`) and kernels by hand (`tests/bench/kernels`) compute with
# vectors, reads and writes of several elements, conversions of integers.
OF_VECTORS = "fma|fmin|fmax|fabs|sqrt|exp|dot"
DECLARED = re.compile(rf"\b({OF_VECTORS}|vload\d+|vstore\d+|convert_u?(char|short|int|long)(_sat)?) *\(")
DEFINED = re.compile(rf"^_Z\d+(_cl_)?(({OF_VECTORS})Dv|vload\d+[a-z]|vstore\d+Dv)")
# Classes of processors, each with a flag in /proc/cpuinfo, in the order in which pocl prefers them.
PROCESSORS = {"avx512": "avx512f", "avx2": "avx2", "avx_fma4": "fma4", "avx_f16c": "f16c", "avx": "avx"}


def declarations(text: str) -> str:
    """A header without what is left out; only declarations of one line are."""

    def stays(line: str) -> bool:
        if not line.endswith(");") or line.lstrip().startswith(("#", "//", "typedef")) or DECLARED.search(line):
            return True
        return not (VECTORS.search(line) or FAMILIES.search(line))

    return "\n".join(line for line in text.split("\n") if stays(line))


class Library:
    """A module of definitions, read and written with LLVM's C library."""

    def __init__(self, llvm: str, path: Path):
        self.llvm = ctypes.CDLL(llvm)
        for name in ("LLVMContextCreate", "LLVMGetFirstFunction", "LLVMGetNextFunction", "LLVMGetFirstUse"):
            getattr(self.llvm, name).restype = ctypes.c_void_p
        self.llvm.LLVMGetValueName2.restype = ctypes.c_char_p
        context = ctypes.c_void_p(self.llvm.LLVMContextCreate())
        # LLVM 15 and 16 support typed and opaque pointers; other versions only one kind.
        if hasattr(self.llvm, "LLVMContextSetOpaquePointers"):
            self.llvm.LLVMContextSetOpaquePointers(context, 1)
        buffer, self.module, why = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_char_p()
        read = self.llvm.LLVMCreateMemoryBufferWithContentsOfFile(
            os.fsencode(path), ctypes.byref(buffer), ctypes.byref(why)
        )
        if read != 0 or self.llvm.LLVMParseBitcodeInContext2(context, buffer, ctypes.byref(self.module)) != 0:
            raise OSError(f"LLVM does not read {path}")

    def functions(self) -> Iterator[tuple[ctypes.c_void_p, str]]:
        following, length = self.llvm.LLVMGetFirstFunction(self.module), ctypes.c_size_t()
        while following:
            function = ctypes.c_void_p(following)
            following = self.llvm.LLVMGetNextFunction(function)
            yield function, self.llvm.LLVMGetValueName2(function, ctypes.byref(length)).decode()

    def shrink(self):
        """Removes the definitions that are left out and that no remaining one uses."""
        self.llvm.LLVMStripModuleDebugInfo(self.module)
        removed = True
        while removed:
            removed = False
            for function, name in self.functions():
                left_out = MANGLED.search(name) and not DEFINED.match(name)
                unknown = self.llvm.LLVMIsDeclaration(function)
                if (left_out or unknown) and not self.llvm.LLVMGetFirstUse(function):
                    self.llvm.LLVMDeleteFunction(function)
                    removed = True

    def write(self, path: Path):
        if self.llvm.LLVMWriteBitcodeToFile(self.module, os.fsencode(path)) != 0:
            raise OSError(f"{path} cannot be written")


def processor() -> str:
    """The class of this processor by which pocl chooses its library."""
    try:
        flags = set(re.findall(r"^flags\s*:(.*)", Path("/proc/cpuinfo").read_text(), re.MULTILINE)[0].split())
    except (OSError, IndexError):
        return "none"
    return next((name for name, flag in PROCESSORS.items() if flag in flags), "none")


def linked(library: Path, name: str) -> str:
    """The library with that name with which another is linked."""
    told = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
    return re.search(rf"\b{name}\S* => (\S+)", told)[1]


def loaded(name: str) -> Path:
    """The path at which the dynamic loader finds a library."""
    ctypes.CDLL(name)
    maps = Path("/proc/self/maps").read_text()
    return Path(re.search(rf"/\S*/{re.escape(Path(name).name)}\S*", maps)[0])


def make(driver: Path, folder: Path):
    """Makes the lighter driver: links to all files of pocl except two. pocl looks for its files beside its library."""
    library, shared = folder / "lib/pocl", folder / "share/pocl"
    (shared / "include").mkdir(parents=True)
    library.mkdir(parents=True)
    (library / driver.name).symlink_to(driver)
    (library / "pocl").symlink_to(driver.parent / "pocl")
    installed = driver.parent / "../../share/pocl"
    installed = installed if installed.is_dir() else Path("/usr/share/pocl")
    for file in installed.glob("include/*"):
        if file.name == "opencl-c.h":
            (shared / "include" / file.name).write_text(declarations(file.read_text()))
        else:
            (shared / "include" / file.name).symlink_to(file.resolve())
    for file in installed.glob("*.bc"):
        if file.name.endswith(f"-{processor()}.bc"):
            definitions = Library(linked(driver, "libLLVM"), file)
            definitions.shrink()
            definitions.write(shared / file.name)
        else:
            (shared / file.name).symlink_to(file.resolve())


def vendors(folder: Path, installed: Path = Path("/etc/OpenCL/vendors")) -> Path | None:
    """The folder of all drivers that are installed, with the lighter pocl in place of pocl, if pocl is."""
    named = {file.name: file.read_text().strip() for file in sorted(installed.glob("*.icd"))}
    ours = [name for name, library in named.items() if Path(library).name.startswith("libpocl.so")]
    if len(ours) != 1:
        return None
    driver = loaded(named[ours[0]])
    # Another driver, processor or version of this file makes another folder.
    made_of = f"{driver.resolve()} {driver.stat().st_mtime} {processor()} {Path(__file__).read_text()}"
    own = folder / hashlib.sha256(made_of.encode()).hexdigest()[:16]
    if not (own / "vendors").is_dir():
        shutil.rmtree(folder, ignore_errors=True)
        make(driver, own)
        (own / "unfinished").mkdir()
        for name, library in named.items():
            library = own / "lib/pocl" / driver.name if name == ours[0] else library
            (own / "unfinished" / name).write_text(f"{library}\n")
        (own / "unfinished").rename(own / "vendors")
    return own / "vendors"


if __name__ == "__main__":
    print(vendors(Path(sys.argv[1]).resolve()) or "")
