"""How fast the language server answers: the real program over its real streams, on generated files.

    tests/bench/run editor [--lines N,…] [--edits N] [--starts N] [--patience SECONDS] [--json FILE] [FILE…]
    LIFT=target/release/lift python3 tests/bench/editor.py …

For each size, at the start, the middle and the end of the file: a unique edit, the time until the diagnostics of that
version arrive; edits that bring a name which occurs nowhere else, or take it away; then a hover, a hover of a
kernel's name (with its cost, or that this is being computed), a definition, the hints of a screen, a completion, the
code actions at the cursor, those of a menu (which waits for the effects of laws) and the colours of a screen there,
and what is shown of the whole file: its outline, lenses, folds and changed colours. Each is measured from the moment
when its bytes are written to the moment when its answer is read. The edits change numbers that nobody wrote before,
so that no cache answers. A burst of edits ends each size: how long after the last one its diagnostics arrive. How
long a start and an opening take is measured with several servers, one after the other.
With FILEs (`tests/apl/*.apl tests/fcl/*.fcl`), these programs are edited instead: each edit changes one of their
numbers, and the last table has all files of a language together.
Needs nothing but Python. Where `futhark` is installed, `futhark lsp` gets the same kind of edits beside it. A server
that ends, or that leaves a question without an answer for too long, is left out with the reason, and the rows that it
had.

On a machine that does other work too, `chrt -r 5 tests/bench/run editor …` (Linux, as root) lets this go first: what is
measured then is the server, and not what else runs. Linux stops what goes first for the last 50 ms of a second in which
it never paused, which then stands under p99 of one row or another.
"""

import argparse
import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SCREEN = 50
OURS = "lift lsp"

LIFT_BLOCK = """\
;;; What is above a threshold, scaled, number {i}.
(define (kept{i} (xs (array-type float n)))
  (filter (lambda (x) (> x {value}f)) xs))

(define (scale{i} by x) (* by (+ x {value}f)))

;;; run: xs=iota N=16
(lift kernel{i} (N) ((array-type float N) float)
  (lambda (xs by)
    (let ys (kept{i} xs)
      (zip ys (map (lambda (y) (scale{before} by (scale{i} by y))) ys)))))
"""
FUTHARK_BLOCK = """\
-- What is above a threshold, scaled, number {i}.
def kept{i} (xs: []f32) : []f32 =
  filter (\\x -> x > {value}f32) xs

def scale{i} (by: f32) (x: f32) : f32 = by * (x + {value}f32)

-- The whole of it.
entry kernel{i} [n] (xs: [n]f32) (by: f32) =
  let ys = kept{i} xs
  in zip ys (map (\\y -> scale{before} by (scale{i} by y)) ys)
"""


def program(block: str, lines: int) -> str:
    """At least so many lines of definitions that use one another."""
    height = block.count("\n") + 1
    count = -(-lines // height)
    blocks = (block.format(i=i, before=max(i - 1, 0), value=f"{i % 7}.5") for i in range(count))
    return "\n".join(blocks)


class Silent(Exception):
    """The server does not answer in time."""


class Server:
    """A language server; each answer has the time when it was read."""

    def __init__(self, command: list[str], patience: float = 60.0):
        self.patience = patience
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the server
        self.started = time.perf_counter()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        self.answers: dict[int, queue.Queue] = {}
        self.diagnostics: queue.Queue = queue.Queue()
        self.next_id = 0
        self.ended = False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            self._messages()
        finally:
            self.ended = True
            for waiting in [self.diagnostics, *list(self.answers.values())]:
                waiting.put(None)

    def _messages(self):
        out = self.process.stdout
        while True:
            length = 0
            while (line := out.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not length:
                return
            body = out.read(length)
            now = time.perf_counter()
            message = json.loads(body)
            if message.get("method") == "textDocument/publishDiagnostics":
                self.diagnostics.put((now, message["params"]))
            elif "method" in message and "id" in message:
                self._write({"id": message["id"], "result": None})
            elif "id" in message and message["id"] in self.answers:
                self.answers.pop(message["id"]).put((now, message))

    def _write(self, message: dict):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        try:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            self.process.stdin.flush()
        except OSError:
            raise Silent(self._end()) from None

    def _end(self) -> str:
        """The server's exit status and its first line of output."""
        try:
            status = self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        self.errors.seek(0)
        said = next(
            (line.strip() for line in self.errors.read().decode(errors="replace").splitlines() if line.strip()), ""
        )
        return f"it ended with status {status}" + (f": {said}" if said else "")

    def _next(self, waiting: queue.Queue, what: str):
        """The next message. Raises `Silent` after the time limit."""
        # The reader reports the end of the server only once.
        if self.ended and waiting.empty():
            raise Silent(self._end())
        try:
            arrived = waiting.get(timeout=self.patience)
        except queue.Empty:
            raise Silent(f"{what} did not come within {self.patience:g} s") from None
        if arrived is None:
            raise Silent(self._end())
        return arrived

    def notify(self, method: str, params) -> float:
        start = time.perf_counter()
        self._write({"method": method, "params": params})
        return start

    def ask(self, method: str, params):
        """The seconds until the answer, and the answer."""
        self.next_id += 1
        self.answers[self.next_id] = answer = queue.Queue()
        start = time.perf_counter()
        self._write({"id": self.next_id, "method": method, "params": params})
        arrived, message = self._next(answer, f"the answer to {method}")
        if "error" in message:
            raise Silent(f"it has no answer to {method}: {message['error'].get('message')}")
        return arrived - start, message["result"]

    def diagnosed(self, start: float, version: int | None) -> float:
        """The seconds from `start` until the diagnostics of the version (of any, without one)."""
        of = "" if version is None else f" of version {version}"
        while True:
            arrived, params = self._next(self.diagnostics, f"diagnostics{of}")
            if version is None or params.get("version") in (version, None):
                return arrived - start

    def forget_diagnostics(self):
        """Drops diagnostics that arrived before an edit, because some servers send no version."""
        while not self.ended and not self.diagnostics.empty():
            self.diagnostics.get()

    def memory(self) -> int:
        """Resident bytes; 0 if the system does not report them."""
        try:
            status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return 0
        kib = next((line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")), "0")
        return 1024 * int(kib)

    def stop(self):
        try:
            self.ask("shutdown", None)
            self.notify("exit", None)
            self.process.wait(timeout=10)
        except (Silent, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {"inlayHint": {"refreshSupport": True}},
    "textDocument": {
        "hover": {"contentFormat": ["markdown"]},
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "inlayHint": {"resolveSupport": {"properties": ["tooltip", "textEdits"]}},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}},
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
        "completion": {"completionItem": {"snippetSupport": True}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
    },
}


def percentile(times: list[float], part: float) -> float:
    times = sorted(times)
    return times[min(len(times) - 1, int(part * len(times)))]


class Measured:
    """Measurements of one server on one file, possibly incomplete."""

    def __init__(self):
        self.lines = 0
        self.memory = 0
        self.times: dict[str, list[float]] = {}
        self.failed = ""

    def note(self, what: str, seconds: float):
        self.times.setdefault(what, []).append(1000 * seconds)

    def json(self) -> dict:
        def row(times: list) -> dict:
            return {"n": len(times)} | {f"p{p}": percentile(times, p / 100) for p in (50, 95, 99)}

        result = {
            "lines": self.lines,
            "memory_mb": round(self.memory / 1e6, 1),
            "ms": {what: row(all_) for what, all_ in self.times.items()},
        }
        return {**result, "failed": self.failed} if self.failed else result


def measure(command: list[str], block: str, suffix: str, arguments, lines: int, features: bool) -> Measured:
    measured = Measured()
    with tempfile.TemporaryDirectory(prefix="lift-bench-") as folder:
        path = pathlib.Path(folder) / f"main{suffix}"
        path.write_text(program(block, lines))
        try:
            for last in range(arguments.starts, 0, -1):
                server = Server(command, arguments.patience)
                try:
                    begin(server, path, measured)
                    if last == 1:
                        session(server, path, arguments.edits, features, measured)
                finally:
                    server.stop()
        except Silent as why:
            measured.failed = str(why)
    return measured


def begin(server: Server, path: pathlib.Path, measured: Measured):
    """Starts the session and opens the file."""
    text = path.read_text()
    measured.lines = text.count("\n")
    folders = [{"uri": path.parent.as_uri(), "name": "bench"}]
    server.ask(
        "initialize",
        {
            "processId": os.getpid(),
            "rootUri": folders[0]["uri"],
            "workspaceFolders": folders,
            "capabilities": CAPABILITIES,
        },
    )
    measured.note("server start", time.perf_counter() - server.started)
    server.notify("initialized", {})
    document = {"uri": path.as_uri(), "languageId": path.suffix[1:], "version": 1, "text": text}
    start = server.notify("textDocument/didOpen", {"textDocument": document})
    measured.note("open -> diagnostics", server.diagnosed(start, 1))


def session(server: Server, path: pathlib.Path, edits: int, features: bool, measured: Measured):
    """Sends edits and requests for an open file."""
    uri, note = path.as_uri(), measured.note
    source = path.read_text().splitlines()
    # Lines with a number to change, near each of the three places.
    numbers = [line for line, content in enumerate(source) if " by (+ x " in content or "= by * (x + " in content]
    spots = [numbers[0], numbers[len(numbers) // 2], numbers[-1]]
    current = {spot: source[spot] for spot in spots}
    version = 1

    def replace(line: int, place: tuple[int, int, int], text: str) -> float:
        """Replaces the text from a column of the line to an end position."""
        nonlocal version
        version += 1
        start, last, end = place
        change = {
            "range": {"start": {"line": line, "character": start}, "end": {"line": last, "character": end}},
            "text": text,
        }
        server.forget_diagnostics()
        return server.notify(
            "textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}
        )

    def number(spot: int) -> tuple[int, int]:
        """The columns of the number that edits change."""
        content = current[spot]
        at = content.index("x ", content.index("+ x") if "(+ x" in content else content.index("(x +")) + (
            2 if "(+ x" in content else 4
        )
        return at, next(i for i in range(at, len(content)) if content[i] not in "0123456789.")

    def edit(spot: int, unique: int) -> float:
        at, end = number(spot)
        value = f"{unique}.25"
        current[spot] = current[spot][:at] + value + current[spot][end:]
        return replace(spot, (at, spot, end), value)

    def new_words(spot: int, unique: int):
        """Edits that insert or remove a name which occurs nowhere else in the file."""
        at, end = number(spot)
        old = current[spot][at : end + 1]
        local, definition = f"(let u{unique} {old} u{unique})", f"(define d{unique} {old})\n"
        for what, place, text in [
            ("new local name -> diagnostics", (at, spot, end + 1), local),
            ("local name removed -> diagnostics", (at, spot, at + len(local)), old),
            ("new definition -> diagnostics", (0, spot, 0), definition),
            ("definition removed -> diagnostics", (0, spot + 1, 0), ""),
        ]:
            note(what, server.diagnosed(replace(spot, place, text), version))

    document = {"uri": uri}
    colours = (
        server.ask("textDocument/semanticTokens/full", {"textDocument": document})[1]["resultId"] if features else ""
    )
    # Nobody edits a file before they have seen it.
    time.sleep(1)
    unique = 1000
    for _ in range(edits):
        for spot in spots:
            unique += 1
            start = edit(spot, unique)
            note("edit -> diagnostics", server.diagnosed(start, version))
            if not features:
                continue
            new_words(spot, unique)
            # Each request follows an edit of its own, so that no answer is cached.
            place = {"line": spot, "character": current[spot].index("by (") + 1}
            at = {"textDocument": document, "position": place}
            kernel = {"textDocument": document, "position": {"line": spot + 3, "character": len("(lift k")}}
            cursor = {"range": {"start": place, "end": place}}
            screen = {
                "start": {"line": max(0, spot - SCREEN // 2), "character": 0},
                "end": {"line": spot + SCREEN // 2, "character": 0},
            }
            for what, method, params in [
                ("hover", "textDocument/hover", at),
                ("hover of a kernel", "textDocument/hover", kernel),
                ("definition", "textDocument/definition", at),
                ("hints of a screen", "textDocument/inlayHint", {"textDocument": document, "range": screen}),
                ("completion", "textDocument/completion", at),
                (
                    "code actions",
                    "textDocument/codeAction",
                    {**at, **cursor, "context": {"diagnostics": [], "triggerKind": 2}},
                ),
                (
                    "menu of actions",
                    "textDocument/codeAction",
                    {**at, **cursor, "context": {"diagnostics": [], "triggerKind": 1}},
                ),
                (
                    "tokens of a screen",
                    "textDocument/semanticTokens/range",
                    {"textDocument": document, "range": screen},
                ),
                (
                    "tokens that changed",
                    "textDocument/semanticTokens/full/delta",
                    {"textDocument": document, "previousResultId": colours},
                ),
                ("outline", "textDocument/documentSymbol", {"textDocument": document}),
                ("lenses", "textDocument/codeLens", {"textDocument": document}),
                ("folds", "textDocument/foldingRange", {"textDocument": document}),
            ]:
                unique += 1
                start = edit(spot, unique)
                seconds, answer = server.ask(method, params)
                if not answer:
                    raise Silent(f"its answer to {method} is empty")
                note(what, seconds)
                server.diagnosed(start, version)
                if what == "tokens that changed":
                    colours = answer["resultId"]
    last = 0.0
    for _ in range(200):
        unique += 1
        last = edit(spots[1], unique)
    note("200 edits -> diagnostics of the last", server.diagnosed(last, version))
    measured.memory = server.memory()


NUMBER = re.compile(r"(?<![\w.¯#'-])\d+(?![\w.])")
COMMENT = {".apl": "⍝", ".fcl": "--", ".lift": ";"}


def edited(server: Server, path: pathlib.Path, edits: int, measured: Measured):
    """Edits numbers in an open program; requests a hover and the hints of the whole file after each edit."""
    uri, document = path.as_uri(), {"uri": path.as_uri()}
    lines = path.read_text().splitlines()
    mark = COMMENT.get(path.suffix, "#")
    found = [
        (row, match.start(), match.group())
        for row, line in enumerate(lines)
        if mark not in line
        for match in NUMBER.finditer(line)
    ]
    # Columns are UTF-16 units; all characters of APL are one.
    spots = found[:: max(1, len(found) // edits)][:edits] or [(0, 0, "")]
    version, turn = 1, 0
    time.sleep(0.3)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    for turn in range(edits):
        row, column, number = spots[turn % len(spots)]
        # A new number, then the old one again.
        for old, new in [(number, str(2 + turn % 97)), (str(2 + turn % 97), number)]:
            version += 1
            change = {
                "range": {
                    "start": {"line": row, "character": column},
                    "end": {"line": row, "character": column + len(old)},
                },
                "text": new,
            }
            server.forget_diagnostics()
            start = server.notify(
                "textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}
            )
            measured.note("edit -> diagnostics", server.diagnosed(start, version))
        measured.note(
            "hover",
            server.ask(
                "textDocument/hover", {"textDocument": document, "position": {"line": row, "character": column}}
            )[0],
        )
        measured.note("hints", server.ask("textDocument/inlayHint", {"textDocument": document, "range": whole})[0])
    measured.memory = server.memory()


def of_files(command: list[str], arguments) -> list[dict]:
    """Measurements of each file, and of all files of each language together."""
    results, together = [], {}
    for file in arguments.files:
        measured = Measured()
        server = Server(command, arguments.patience)
        try:
            begin(server, file.resolve(), measured)
            edited(server, file.resolve(), arguments.edits, measured)
        except Silent as why:
            measured.failed = str(why)
        finally:
            server.stop()
        results.append({"server": OURS, "file": file.name, **measured.json()})
        show(file.name, results[-1])
        all_ = together.setdefault(file.suffix, Measured())
        all_.lines += measured.lines
        all_.memory = max(all_.memory, measured.memory)
        for what, times in measured.times.items():
            all_.times.setdefault(what, []).extend(times)
    for suffix, measured in together.items():
        results.append({"server": OURS, "file": f"*{suffix}", **measured.json()})
        show(f"all of *{suffix}", results[-1])
    return results


def show(name: str, result: dict):
    print(f"\n{name}, {result['lines']} lines; memory {result['memory_mb']} MB")
    print(f"  {'milliseconds':38} {'p50':>9} {'p95':>9} {'p99':>9} {'n':>5}")
    for what, row in result["ms"].items():
        print(f"  {what:38} {row['p50']:9.2f} {row['p95']:9.2f} {row['p99']:9.2f} {row['n']:5}")
    if "failed" in result:
        print(f"  no more of {name}: {result['failed']}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", default="100,1000,10000,100000", help="sizes of the generated files")
    parser.add_argument("--edits", type=int, default=30, help="edits at each of the three places")
    parser.add_argument("--starts", type=int, default=10, help="servers that are started and open each file")
    parser.add_argument(
        "--patience", type=float, default=60.0, help="seconds after which an answer is taken to be lost"
    )
    parser.add_argument("--json", type=pathlib.Path, help="writes the numbers there too")
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="programs to edit instead of generated files")
    arguments = parser.parse_args()
    lift = os.environ.get("LIFT") or str(REPOSITORY / "target" / "release" / "lift")
    if not pathlib.Path(lift).exists():
        sys.exit(f"there is no {lift}: run `cargo build --release -p lift-lang`, or name the program in LIFT")
    if arguments.files:
        results = of_files([lift, "lsp"], arguments)
        if arguments.json:
            arguments.json.write_text(json.dumps(results, indent=1) + "\n")
        sys.exit(1 if any("failed" in result for result in results) else 0)
    servers = [(OURS, [lift, "lsp"], LIFT_BLOCK, ".lift", True)]
    if futhark := shutil.which("futhark"):
        servers.append(("futhark lsp", [futhark, "lsp"], FUTHARK_BLOCK, ".fut", False))
    else:
        print("without futhark lsp: there is no futhark here")
    results = []
    for lines in [int(n) for n in arguments.lines.split(",")]:
        for name, command, block, suffix, features in servers:
            result = measure(command, block, suffix, arguments, lines, features).json()
            results.append({"server": name, **result})
            show(name, result)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    if any("failed" in result and result["server"] == OURS for result in results):
        sys.exit(1)


if __name__ == "__main__":
    main()
