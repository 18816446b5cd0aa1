"""How fast the language server answers: the real program over its real streams, on generated files.

    tests/bench/run editor [--lines N,…] [--edits N] [--json FILE]
    LIFT=target/release/lift python3 tests/bench/editor.py …

For each size, at the start, the middle and the end of the file: a unique edit, the time until the diagnostics of that
version arrive, then a hover, a hover of a kernel's name (with its cost, or that this is being computed), a definition, the
hints of a screen, a completion, the code actions and the colours of a screen there, and what is shown of the whole file:
its outline, lenses, folds and changed colours. Each is measured from the moment when its bytes are written to the moment when its answer is read. The edits change numbers that nobody wrote before, so
that no cache answers. A burst of edits ends each size: how long after the last one its diagnostics arrive.
Needs nothing but Python. Where `futhark` is installed, `futhark lsp` gets the same kind of edits beside it.
"""

import argparse
import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SCREEN = 50
PATIENCE = 300.0

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


class Server:
    """A language server and its answers, each with the time when it was read."""

    def __init__(self, command: list[str]):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.answers: dict[int, queue.Queue] = {}
        self.diagnostics: queue.Queue = queue.Queue()
        self.next_id = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
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
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

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
        arrived, message = answer.get(timeout=PATIENCE)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return arrived - start, message["result"]

    def diagnosed(self, start: float, version: int | None) -> float:
        """The seconds from `start` until the diagnostics of the version (of any, without one)."""
        while True:
            arrived, params = self.diagnostics.get(timeout=PATIENCE)
            if version is None or params.get("version") in (version, None):
                return arrived - start

    def memory(self) -> int:
        """Resident bytes, where the system says; else 0."""
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
        except (OSError, RuntimeError, queue.Empty, subprocess.TimeoutExpired):
            self.process.kill()


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


def measure(command: list[str], block: str, suffix: str, lines: int, edits: int, features: bool) -> dict:
    folder = tempfile.mkdtemp(prefix="lift-bench-")
    path = pathlib.Path(folder) / f"main{suffix}"
    text = program(block, lines)
    path.write_text(text)
    uri = path.as_uri()
    times: dict[str, list[float]] = {}
    note = lambda what, seconds: times.setdefault(what, []).append(1000 * seconds)

    start = time.perf_counter()
    server = Server(command)
    folders = [{"uri": pathlib.Path(folder).as_uri(), "name": "bench"}]
    server.ask("initialize", {"processId": os.getpid(), "rootUri": folders[0]["uri"], "workspaceFolders": folders, "capabilities": CAPABILITIES})
    note("server start", time.perf_counter() - start)
    server.notify("initialized", {})
    document = {"uri": uri, "languageId": suffix[1:], "version": 1, "text": text}
    start = server.notify("textDocument/didOpen", {"textDocument": document})
    note("open -> diagnostics", server.diagnosed(start, 1))

    source = text.splitlines()
    # Lines with a number to change, near each of the three places.
    numbers = [line for line, content in enumerate(source) if " by (+ x " in content or "= by * (x + " in content]
    spots = [numbers[0], numbers[len(numbers) // 2], numbers[-1]]
    current = {spot: source[spot] for spot in spots}
    version = 1

    def edit(spot: int, unique: int) -> float:
        nonlocal version
        version += 1
        content = current[spot]
        at = content.index("x ", content.index("+ x") if "(+ x" in content else content.index("(x +")) + (2 if "(+ x" in content else 4)
        end = next(i for i in range(at, len(content)) if content[i] not in "0123456789.")
        value = f"{unique}.25"
        current[spot] = content[:at] + value + content[end:]
        change = {"range": {"start": {"line": spot, "character": at}, "end": {"line": spot, "character": end}}, "text": value}
        return server.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]})

    document = {"uri": uri}
    colours = server.ask("textDocument/semanticTokens/full", {"textDocument": document})[1]["resultId"] if features else ""
    unique = 1000
    for turn in range(edits):
        for spot in spots:
            unique += 1
            start = edit(spot, unique)
            note("edit -> diagnostics", server.diagnosed(start, version))
            if not features:
                continue
            # Each question comes after an edit of its own, so that it meets a program that was never seen.
            place = {"line": spot, "character": current[spot].index("by (") + 1}
            at = {"textDocument": document, "position": place}
            kernel = {"textDocument": document, "position": {"line": spot + 3, "character": len("(lift k")}}
            screen = {"start": {"line": max(0, spot - SCREEN // 2), "character": 0}, "end": {"line": spot + SCREEN // 2, "character": 0}}
            for what, method, params in [
                ("hover", "textDocument/hover", at),
                ("hover of a kernel", "textDocument/hover", kernel),
                ("definition", "textDocument/definition", at),
                ("hints of a screen", "textDocument/inlayHint", {"textDocument": document, "range": screen}),
                ("completion", "textDocument/completion", at),
                ("code actions", "textDocument/codeAction", {**at, "range": {"start": place, "end": place}, "context": {"diagnostics": []}}),
                ("tokens of a screen", "textDocument/semanticTokens/range", {"textDocument": document, "range": screen}),
                ("tokens that changed", "textDocument/semanticTokens/full/delta", {"textDocument": document, "previousResultId": colours}),
                ("outline", "textDocument/documentSymbol", {"textDocument": document}),
                ("lenses", "textDocument/codeLens", {"textDocument": document}),
                ("folds", "textDocument/foldingRange", {"textDocument": document}),
            ]:
                unique += 1
                start = edit(spot, unique)
                seconds, answer = server.ask(method, params)
                assert answer, f"{method} says nothing"
                note(what, seconds)
                server.diagnosed(start, version)
                if what == "tokens that changed":
                    colours = answer["resultId"]
    last = 0.0
    for _ in range(200):
        unique += 1
        last = edit(spots[1], unique)
    note("200 edits -> diagnostics of the last", server.diagnosed(last, version))
    memory = server.memory()
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)
    return {
        "lines": len(source),
        "memory_mb": round(memory / 1e6, 1),
        "ms": {
            what: {"n": len(all_), "p50": percentile(all_, 0.5), "p95": percentile(all_, 0.95), "p99": percentile(all_, 0.99)}
            for what, all_ in times.items()
        },
    }


def show(name: str, result: dict):
    print(f"\n{name}, {result['lines']} lines; memory {result['memory_mb']} MB")
    print(f"  {'milliseconds':38} {'p50':>9} {'p95':>9} {'p99':>9} {'n':>5}")
    for what, row in result["ms"].items():
        print(f"  {what:38} {row['p50']:9.2f} {row['p95']:9.2f} {row['p99']:9.2f} {row['n']:5}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", default="100,1000,10000,100000", help="sizes of the generated files")
    parser.add_argument("--edits", type=int, default=30, help="edits at each of the three places")
    parser.add_argument("--json", type=pathlib.Path, help="writes the numbers there too")
    arguments = parser.parse_args()
    lift = os.environ.get("LIFT") or str(REPOSITORY / "target" / "release" / "lift")
    if not pathlib.Path(lift).exists():
        sys.exit(f"there is no {lift}: run `cargo build --release -p lift`, or name the program in LIFT")
    servers = [("lift lsp", [lift, "lsp"], LIFT_BLOCK, ".lift", True)]
    if futhark := shutil.which("futhark"):
        servers.append(("futhark lsp", [futhark, "lsp"], FUTHARK_BLOCK, ".fut", False))
    else:
        print("without futhark lsp: there is no futhark here")
    results = []
    for lines in [int(n) for n in arguments.lines.split(",")]:
        for name, command, block, suffix, features in servers:
            result = measure(command, block, suffix, lines, arguments.edits, features)
            results.append({"server": name, **result})
            show(name, result)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
