"""A session of each recorded editor with the server, through a client that is not ours.

    pip install -r tests/protocol/requirements.txt
    LIFT=target/debug/lift pytest tests/protocol

pytest-lsp plays the client with the capabilities that VS Code, Neovim and Emacs were recorded to have; afterwards every
message that the server wrote is read by the types of the protocol (`wellformed.py`).
"""

import asyncio

import pytest
from conftest import plain
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
    # Clients with `resolveSupport` request an action's edit when it is chosen.
    if action.edit is None:
        action = await session.client.code_action_resolve_async(action)
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
    definition = await session.client.text_document_definition_async(
        lsp.DefinitionParams(document, lsp.Position(5, 36))
    )
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
    # The session still works.
    assert await session.open("b.lift", PROGRAM) == []


async def test_an_import_that_changes_on_disk(session):
    (session.folder / "lib.lift").write_text("(define (half x) (* x 0.5f))\n")
    assert await session.open("main.lift", '(import "lib.lift")\n(define a (half 2.0f))\n') == []
    (session.folder / "lib.lift").write_text("(define (third x) (* x 0.3f))\n")
    change = lsp.FileEvent(uri=session.uri("lib.lift"), type=lsp.FileChangeType.Changed)
    parameters = lsp.DidChangeWatchedFilesParams([change])
    found = await session.diagnosed("main.lift", lambda: session.client.workspace_did_change_watched_files(parameters))
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
    assert all(
        (item.insert_text_format == lsp.InsertTextFormat.Snippet) == ("$" in item.text_edit.new_text)
        for item in found.items
    )


async def test_colours_of_words_and_what_changed_since(session):
    await session.open("a.lift", PROGRAM)
    document = session.document("a.lift")
    full = await session.client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(document))
    assert len(full.data) % 5 == 0 and len(full.data) > 50
    await session.edit("a.lift", at(4, 14), " ")
    params = lsp.SemanticTokensDeltaParams(document, full.result_id)
    delta = await session.client.text_document_semantic_tokens_full_delta_async(params)
    (edit,) = delta.edits
    patched = list(full.data)
    patched[edit.start : edit.start + edit.delete_count] = edit.data
    again = await session.client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(document))
    assert patched == list(again.data)
    one_line = lsp.Range(lsp.Position(4, 0), lsp.Position(5, 0))
    part = await session.client.text_document_semantic_tokens_range_async(
        lsp.SemanticTokensRangeParams(document, one_line)
    )
    assert part.data[0] == 4 and 0 < len(part.data) < len(full.data)


async def test_the_shape_of_a_document(session):
    (session.folder / "lib.lift").write_text("(define (half x) (* x 0.5f))\n")
    await session.open(
        "a.lift", '(import "lib.lift")\n(define (quarter x)\n  (half (half x)))\n(define y (quarter 1.0f))\n'
    )
    document = session.document("a.lift")
    folds = await session.client.text_document_folding_range_async(lsp.FoldingRangeParams(document))
    assert [(fold.start_line, fold.end_line) for fold in folds] == [(1, 2)]
    params = lsp.SelectionRangeParams(document, [lsp.Position(2, 15)])
    (chain,) = await session.client.text_document_selection_range_async(params)
    assert chain.range == lsp.Range(lsp.Position(2, 14), lsp.Position(2, 15)) and chain.parent.parent is not None
    (link,) = await session.client.text_document_document_link_async(lsp.DocumentLinkParams(document))
    assert link.target == session.uri("lib.lift")
    params = lsp.DocumentHighlightParams(document, lsp.Position(2, 4))
    marked = await session.client.text_document_document_highlight_async(params)
    assert len(marked) == 2
    symbols = await session.client.workspace_symbol_async(lsp.WorkspaceSymbolParams("qua"))
    assert [symbol.name for symbol in symbols] == ["quarter"]


async def test_who_calls_whom(session):
    (session.folder / "lib.lift").write_text("(define (half x) (* x 0.5f))\n")
    await session.open("a.lift", '(import "lib.lift")\n(define (quarter x) (half (half x)))\n')
    params = lsp.CallHierarchyPrepareParams(session.document("a.lift"), lsp.Position(1, 22))
    (half,) = await session.client.text_document_prepare_call_hierarchy_async(params)
    assert (half.name, half.uri) == ("half", session.uri("lib.lift"))
    (call,) = await session.client.call_hierarchy_incoming_calls_async(lsp.CallHierarchyIncomingCallsParams(half))
    assert call.from_.name == "quarter" and len(call.from_ranges) == 2
    params = lsp.CallHierarchyOutgoingCallsParams(call.from_)
    (back,) = await session.client.call_hierarchy_outgoing_calls_async(params)
    assert back.to.name == "half" and len(back.from_ranges) == 2


async def test_rename_in_all_files(session):
    (session.folder / "lib.lift").write_text("(define (half x) (* x 0.5f))\n")
    await session.open("a.lift", '(import "lib.lift")\n(define (quarter x) (half (half x)))\n')
    document, place = session.document("a.lift"), lsp.Position(1, 22)
    found = await session.client.text_document_prepare_rename_async(lsp.PrepareRenameParams(document, place))
    assert found.placeholder == "half"
    edit = await session.client.text_document_rename_async(lsp.RenameParams(document, place, "mid"))
    files = edit.changes or {change.text_document.uri: change.edits for change in edit.document_changes}
    assert {uri: [e.new_text for e in edits] for uri, edits in files.items()} == {
        session.uri("lib.lift"): ["mid"],
        session.uri("a.lift"): ["mid", "mid"],
    }
    with pytest.raises(JsonRpcException, match="is defined already"):
        await session.client.text_document_rename_async(lsp.RenameParams(document, place, "quarter"))


async def test_the_argument_at_the_cursor(session):
    await session.open("a.lift", PROGRAM)
    params = lsp.SignatureHelpParams(session.document("a.lift"), lsp.Position(4, 20))
    help = await session.client.text_document_signature_help_async(params)
    (signature,) = help.signatures
    assert signature.label == "(filter p : Float -> Bool, xs : Array[Float,N]) : <∃X, Array[Float,X]>"
    assert help.active_parameter == 0 and len(signature.parameters) == 2
    params = lsp.TypeDefinitionParams(session.document("a.lift"), lsp.Position(5, 36))
    (place,) = await session.client.text_document_type_definition_async(params)
    assert place.range.start == lsp.Position(4, 12)


async def test_hints_are_written_by_a_double_click(session):
    await session.open("a.lift", PROGRAM)
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(6, 0))
    params = lsp.InlayHintParams(text_document=session.document("a.lift"), range=whole)
    hints = await session.client.text_document_inlay_hint_async(params)
    support = session.client.capabilities.text_document.inlay_hint
    if not (support and support.resolve_support and "textEdits" in support.resolve_support.properties):
        assert all(hint.tooltip and hint.data is None for hint in hints)
        return
    unpack = next(hint for hint in hints if hint.label[0].value == "unpack")
    resolved = await session.client.inlay_hint_resolve_async(unpack)
    assert "setting `inlayHints.packUnpack`" in resolved.tooltip
    assert "unpack (X1 ys)" in "".join(edit.new_text for edit in resolved.text_edits)


async def test_too_many_mistakes_are_cut(session):
    found = await session.open("a.lift", "".join(f"(define a{i} nowhere)\n" for i in range(600)))
    assert len(found) == 501 and found[-1].message.startswith("100 more are not shown")


async def test_the_characters_of_apl(session):
    found = plain(await session.client.protocol.send_request_async("lift/characters", {}))["characters"]
    assert {"character": "⍴", "key": "r"}.items() <= next(c for c in found if c["key"] == "r").items()
    assert len({c["key"] for c in found}) == len(found) > 60


async def test_the_type_of_a_selection(session):
    await session.open("a.lift", PROGRAM)
    selected = {"start": {"line": 5, "character": 27}, "end": {"line": 5, "character": 35}}
    params = {"textDocument": {"uri": session.uri("a.lift")}, "range": selected}
    hover = plain(await session.client.protocol.send_request_async("lift/hoverRange", params))
    assert "Float" in hover["contents"]["value"]
