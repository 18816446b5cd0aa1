"""The benchmark of the editor ends, whatever a server does: it says which answer never came."""

import pathlib
import stat
import subprocess
import sys

BENCHMARK = pathlib.Path(__file__).resolve().parents[1] / "bench" / "editor.py"

MUTE = """\
#!{python}
import json, sys
messages = sys.stdin.buffer
while True:
    length = 0
    while (line := messages.readline()) not in (b"\\r\\n", b""):
        length = int(line.split(b":")[1])
    if not length:
        break
    message = json.loads(messages.read(length))
    if "id" in message:
        body = json.dumps({{"jsonrpc": "2.0", "id": message["id"], "result": None}}).encode()
        sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
        sys.stdout.buffer.flush()
    if message["method"] == "exit":
        break
"""


def benchmark(program: str, folder: pathlib.Path, patience: str = "2") -> subprocess.CompletedProcess:
    server = folder / "server"
    server.write_text(program)
    server.chmod(server.stat().st_mode | stat.S_IXUSR)
    command = [sys.executable, BENCHMARK, "--lines", "20", "--edits", "1", "--starts", "2", "--patience", patience]
    # Only the measured server is on the PATH, without `futhark`.
    environment = {"LIFT": str(server), "PATH": str(folder)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


def test_a_server_that_ends(tmp_path):
    result = benchmark("#!/bin/sh\necho 'no such command: lsp' >&2\nexit 3\n", tmp_path)
    assert "no more of lift lsp: it ended with status 3: no such command: lsp" in result.stdout
    assert result.returncode == 1


def test_a_server_that_says_nothing(tmp_path):
    result = benchmark(MUTE.format(python=sys.executable), tmp_path)
    assert "no more of lift lsp: diagnostics of version 1 did not come within 2 s" in result.stdout
    assert "server start" in result.stdout, "what was measured before is shown"
    assert result.returncode == 1


def test_the_server_itself(lift, tmp_path):
    result = benchmark(f'#!/bin/sh\nexec {lift} "$@"\n', tmp_path, patience="120")
    rows = ["open -> diagnostics", "hover of a kernel", "200 edits -> diagnostics of the last"]
    assert all(row in result.stdout for row in rows) and result.returncode == 0, result.stdout + result.stderr
