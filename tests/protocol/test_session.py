"""A session of each recorded editor with the server, through a client that is not ours.

    pip install -r tests/protocol/requirements.txt
    LIFT=target/debug/lift pytest tests/protocol

pytest-lsp plays the client with the capabilities that VS Code, Neovim and Emacs were recorded to have; afterwards every
message that the server wrote is read by the types of the protocol (`wellformed.py`).
"""

import asyncio

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

pytestmark = pytest.mark.asyncio

PROGRAM = """\
;;; Keeps what is positive.
;;; run: xs=[1.5,-2.0,3.0]
(lift positive (N) ((array-type float N))
  (lambda (xs)
    (let ys (filter (lambda (x) (> x 0.0f)) xs)
      (map (lambda (y) (* y 2.0f)) ys))))
"""
UNEQUAL = """\
(lift pairs (N) ((array-type float N))
  (lambda (xs) (zip (filter (lambda (x) (> x 0.0f)) xs) (filter (lambda (x) (> x 1.0f)) xs))))
"""
ENDLESS = """\
(lift endless () (int)
  (lambda (x) (iterateWhile (lambda (n) (>= n 0)) (lambda (n) (mod (+ n 1) 1000)) x)))
"""


def at(line: int, column: int) -> lsp.Range:
    return lsp.Range(lsp.Position(line, column), lsp.Position(line, column))


async def test_open_type_and_see_what_is_wrong(session):
    assert await session.open("a.lift", PROGRAM) == []
    (error,) = await session.edit("a.lift", lsp.Range(lsp.Position(5, 28), lsp.Position(5, 32)), "true")
    assert (error.code, error.severity, error.source) == ("type-mismatch", lsp.DiagnosticSeverity.Error, "lift")
    assert error.range == lsp.Range(lsp.Position(5, 28), lsp.Position(5, 32))
    assert await session.edit("a.lift", error.range, "2.0f") == []


async def test_a_conflict_names_both_places(session):
    (error,) = await session.open("a.lift", UNEQUAL)
    assert error.code == "unequal-lengths"
    message = error.message + "".join(place.message for place in error.related_information or [])
    assert "length `X1` comes from here" in message and "length `X2` comes from here" in message


async def test_hover_has_the_type_on_its_first_line(session):
    await session.open("a.lift", PROGRAM)
    hover = await session.client.text_document_hover_async(
        lsp.HoverParams(session.document("a.lift"), lsp.Position(4, 9))
    )
    lines = hover.contents.value.splitlines()
    markdown = hover.contents.kind == lsp.MarkupKind.Markdown
    assert lines[1 if markdown else 0] == "<∃X, Array[Float,X]>"
    assert "`Array[Float,X1]`" in hover.contents.value
    formats = session.client.capabilities.text_document.hover.content_format
    assert hover.contents.kind == formats[0]


async def test_hints_show_what_is_inserted(session):
    await session.open("a.lift", PROGRAM)
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(6, 0))
    hints = await session.client.text_document_inlay_hint_async(
        lsp.InlayHintParams(text_document=session.document("a.lift"), range=whole)
    )
    labels = ["".join(part.value for part in hint.label) for hint in hints]
    assert "unpack X1" in labels and "pack" in labels and ": Array[Float,X1]" in labels


async def test_actions_write_it_out(session):
    await session.open("a.lift", PROGRAM)
    context = lsp.CodeActionContext(diagnostics=[], only=["source.lift.explicit.file"])
    (action,) = await session.client.text_document_code_action_async(
        lsp.CodeActionParams(session.document("a.lift"), at(4, 9), context)
    )
    edits = (
        action.edit.document_changes[0].edits
        if action.edit.document_changes
        else action.edit.changes[session.uri("a.lift")]
    )
    written = "".join(edit.new_text for edit in edits)
    assert "unpack (X1" in written and "pack" in written


async def test_definitions_symbols_and_layout(session):
    await session.open("a.lift", PROGRAM)
    document = session.document("a.lift")
    definition = await session.client.text_document_definition_async(lsp.DefinitionParams(document, lsp.Position(5, 36)))
    place = definition[0]
    start = place.target_selection_range.start if hasattr(place, "target_selection_range") else place.range.start
    assert start == lsp.Position(4, 9)
    symbols = await session.client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
    assert [symbol.name for symbol in symbols] == ["positive"]
    options = lsp.FormattingOptions(tab_size=2, insert_spaces=True)
    params = lsp.DocumentFormattingParams(document, options)
    assert not await session.client.text_document_formatting_async(params)


async def test_generate_opencl(session):
    await session.open("a.lift", PROGRAM)
    generated = await session.execute("lift.server.generateOpenCL", {"uri": session.uri("a.lift")})
    assert generated["kernel"] == "positive" and generated["language"] == "opencl"
    assert "__kernel" in generated["text"] and generated["uri"].startswith("lift-opencl:/positive.cl?file")
    with pytest.raises(JsonRpcException, match="there is no kernel none"):
        await session.execute("lift.server.generateOpenCL", {"uri": session.uri("a.lift"), "kernel": "none"})


async def test_run(session):
    await session.open("a.lift", PROGRAM)
    (kernel,) = await session.execute("lift.server.kernels", {"uri": session.uri("a.lift")})
    assert kernel["name"] == "positive" and kernel["inputs"] == [{"name": "xs", "type": "Array[Float,N]"}]
    run = {"uri": session.uri("a.lift"), "device": "interpreter"}
    report = await session.execute("lift.server.runKernel", run)
    assert (report["kernel"], report["device"], report["output"]) == ("positive", "interpreter", "3.0\n6.0\n")
    report = await session.execute("lift.server.runKernel", run | {"inputs": ["iota"], "sizes": {"N": 4}})
    assert report["output"] == "2.0\n4.0\n6.0\n"
    with pytest.raises(JsonRpcException, match="there is no such file"):
        await session.execute("lift.server.runKernel", run | {"inputs": ["missing.npy"]})


async def test_cancel_a_run(session):
    await session.open("a.lift", ENDLESS)
    run = {"uri": session.uri("a.lift"), "device": "interpreter", "inputs": ["0"]}
    params = lsp.ExecuteCommandParams(command="lift.server.runKernel", arguments=[run], work_done_token="run")
    session.client.progress_reports["run"] = reports = []
    answer = asyncio.ensure_future(
        session.client.protocol.send_request_async("workspace/executeCommand", params, msg_id="run")
    )
    await session.until(lambda: reports)
    assert reports[0].cancellable and reports[0].title == "Running endless"
    session.client.cancel_request(lsp.CancelParams(id="run"))
    with pytest.raises(JsonRpcException) as stopped:
        await answer
    assert stopped.value.code == -32800
    await session.until(lambda: isinstance(reports[-1], lsp.WorkDoneProgressEnd))
    # the session goes on
    assert await session.open("b.lift", PROGRAM) == []


async def test_an_import_that_changes_on_disk(session):
    (session.folder / "lib.lift").write_text("(define (half x) (* x 0.5f))\n")
    assert await session.open("main.lift", '(import "lib.lift")\n(define a (half 2.0f))\n') == []
    (session.folder / "lib.lift").write_text("(define (third x) (* x 0.3f))\n")
    change = lsp.FileEvent(uri=session.uri("lib.lift"), type=lsp.FileChangeType.Changed)
    notify = lambda: session.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([change]))
    found = await session.diagnosed("main.lift", notify)
    assert "unknown-name" in [diagnostic.code for diagnostic in found]


async def test_completion_knows_what_fits(session):
    program = PROGRAM.replace("(* y 2.0f)", "(* y )")
    await session.open("a.lift", program)
    params = lsp.CompletionParams(session.document("a.lift"), lsp.Position(5, 27))
    found = await session.client.text_document_completion_async(params)
    best = min(found.items, key=lambda item: item.sort_text)
    assert (best.label, best.detail) == ("y", "Float")
    named = next(item for item in found.items if item.label == "sqrt")
    resolved = await session.client.completion_item_resolve_async(named)
    assert "sqrt : a -> a" in getattr(resolved.documentation, "value", resolved.documentation)
    snippets = session.client.capabilities.text_document.completion.completion_item.snippet_support
    holes = [item for item in found.items if "${1:" in item.text_edit.new_text]
    assert bool(holes) == bool(snippets)
    assert all((item.insert_text_format == lsp.InsertTextFormat.Snippet) == ("$" in item.text_edit.new_text) for item in found.items)
