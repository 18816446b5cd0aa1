"""Sessions for tests: each with a server of its own, whose traffic is checked when it ends.

The server is the program that the environment variable LIFT names, or the debug build of this repository.
"""

import asyncio
import os
import pathlib

import pytest
import pytest_asyncio
from lsprotocol import types as lsp
from pytest_lsp import client_capabilities
from pytest_lsp.client import make_test_lsp_client
from wellformed import problems

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
EDITORS = ["visual-studio-code", "neovim", "emacs"]
# Time limit in seconds for any answer.
PATIENCE = 120


@pytest.fixture(scope="session")
def lift() -> str:
    named = os.environ.get("LIFT")
    program = pathlib.Path(named) if named else REPOSITORY / "target" / "debug" / "lift"
    assert program.exists(), f"there is no {program}: run `cargo build -p lift-lang`, or name the program in LIFT"
    return str(program.resolve())


class Session:
    """A server with a client that is not ours, in a folder."""

    def __init__(self, client, folder: pathlib.Path):
        self.client, self.folder = client, folder
        self.versions: dict[str, int] = {}

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def document(self, name: str) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(uri=self.uri(name))

    async def until(self, happened):
        """Waits until `happened()` returns something, and returns it."""
        async with asyncio.timeout(PATIENCE):
            while not (result := happened()):
                await asyncio.sleep(0.01)
            return result

    async def open(self, name: str, text: str) -> list[lsp.Diagnostic]:
        """Opens a document and returns its diagnostics."""
        self.versions[name] = 1
        item = lsp.TextDocumentItem(uri=self.uri(name), language_id="lift", version=1, text=text)
        return await self.diagnosed(
            name, lambda: self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        )

    async def edit(self, name: str, range_: lsp.Range, text: str) -> list[lsp.Diagnostic]:
        """Edits a document and returns its diagnostics."""
        self.versions[name] += 1
        document = lsp.VersionedTextDocumentIdentifier(version=self.versions[name], uri=self.uri(name))
        change = lsp.TextDocumentContentChangePartial(range=range_, text=text)
        params = lsp.DidChangeTextDocumentParams(document, [change])
        return await self.diagnosed(name, lambda: self.client.text_document_did_change(params))

    async def diagnosed(self, name: str, act) -> list[lsp.Diagnostic]:
        self.client.diagnostics.pop(self.uri(name), None)
        act()
        await self.until(lambda: self.uri(name) in self.client.diagnostics)
        return list(self.client.diagnostics[self.uri(name)])

    async def execute(self, command: str, argument: dict):
        params = lsp.ExecuteCommandParams(command=command, arguments=[argument])
        return plain(await self.client.workspace_execute_command_async(params))


def plain(value):
    """Converts objects of pygls back to dictionaries."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value


@pytest_asyncio.fixture(params=EDITORS)
async def session(request, lift, tmp_path):
    log = tmp_path / "traffic.log"
    client = make_test_lsp_client()
    await client.start_io(lift, "lsp", "--stdio", "--log", str(log))
    folder = tmp_path / "work"
    folder.mkdir()
    root = lsp.WorkspaceFolder(uri=folder.as_uri(), name="work")
    capabilities = client_capabilities(request.param)
    await client.initialize_session(lsp.InitializeParams(capabilities=capabilities, workspace_folders=[root]))
    yield Session(client, folder)
    await client.shutdown_session()
    assert client._server.returncode == 0
    assert client.error is None
    await client.stop()
    assert problems(log.read_text()) == []
