"""What changes a program, and many requests at once: through a client that is not ours, in each recorded editor."""

import asyncio

import pytest
from lsprotocol import types as lsp
from test_session import PROGRAM, UNEQUAL

pytestmark = pytest.mark.asyncio

OPTIONS = lsp.FormattingOptions(tab_size=2, insert_spaces=True)


async def test_a_new_line_is_indented(session):
    await session.open("a.lift", "(define (f xs)\r\n(map g xs))\r\n")
    document = session.document("a.lift")
    params = lsp.DocumentOnTypeFormattingParams(document, lsp.Position(1, 0), "\n", OPTIONS)
    (edit,) = await session.client.text_document_on_type_formatting_async(params)
    assert edit == lsp.TextEdit(lsp.Range(lsp.Position(1, 0), lsp.Position(1, 0)), "  ")


async def test_columns_are_counted_in_the_agreed_unit(session):
    """The line has an astral character and a combining accent."""
    await session.open("a.lift", "; \U0001d4b3 e\u0301\n(define (\U0001d4b3e\u0301 xs) xs)\n")
    document = session.document("a.lift")
    general = session.client.capabilities.general
    width = 7 if lsp.PositionEncodingKind.Utf8 in (general and general.position_encodings or []) else 4
    symbols = await session.client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
    range_ = getattr(symbols[0], "selection_range", None)
    if range_ is not None:
        assert range_ == lsp.Range(lsp.Position(1, 9), lsp.Position(1, 9 + width))
    place = lsp.Position(1, 9 + width + 5)
    marked = await session.client.text_document_document_highlight_async(lsp.DocumentHighlightParams(document, place))
    columns = sorted(mark.range.start.character for mark in marked)
    assert columns == [9 + width + 1, 9 + width + 5]


async def test_a_selection_is_laid_out(session):
    await session.open("a.lift", "(define x   1)\n(define y   2)\n")
    range_ = lsp.Range(lsp.Position(1, 0), lsp.Position(1, 3))
    params = lsp.DocumentRangeFormattingParams(session.document("a.lift"), range_, OPTIONS)
    (edit,) = await session.client.text_document_range_formatting_async(params)
    assert edit.range.start.line == 1


async def test_a_local_name_is_edited_at_all_its_places(session):
    await session.open("a.lift", PROGRAM)
    params = lsp.LinkedEditingRangeParams(session.document("a.lift"), lsp.Position(4, 9))
    linked = await session.client.text_document_linked_editing_range_async(params)
    assert [range_.start.line for range_ in linked.ranges] == [4, 5] and linked.word_pattern


async def test_a_failed_equation_is_shown_at_its_place(session):
    await session.open("a.lift", UNEQUAL)
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(6, 0))
    params = lsp.InlayHintParams(text_document=session.document("a.lift"), range=whole)
    hints = await session.client.text_document_inlay_hint_async(params)
    labels = ["".join(part.value for part in hint.label) for hint in hints]
    assert "\u2717 X1 = X2" in labels
    parts = [part for hint in hints for part in hint.label if part.value in ("X1", "X2")]
    assert parts and all(part.location for part in parts)


async def test_diagnostics_of_all_files(session):
    await session.open("a.lift", UNEQUAL)
    report = await session.client.workspace_diagnostic_async(lsp.WorkspaceDiagnosticParams(previous_result_ids=[]))
    (item,) = report.items
    assert item.uri == session.uri("a.lift") and item.items[0].code == "unequal-lengths"
    known = [lsp.PreviousResultId(item.uri, item.result_id)]
    report = await session.client.workspace_diagnostic_async(lsp.WorkspaceDiagnosticParams(previous_result_ids=known))
    assert [item.kind for item in report.items] == ["unchanged"]


async def test_a_definition_comes_with_its_import(session):
    (session.folder / "lib.lift").write_text("(define (halved x) (* x 0.5f))\n")
    await session.open("b.lift", '(import "lib.lift")\n(define q (halved 1.0f))\n')
    await session.open("a.lift", "(define q (halv))\n")
    params = lsp.CompletionParams(session.document("a.lift"), lsp.Position(0, 15))
    found = await session.client.text_document_completion_async(params)
    item = next(item for item in found.items if item.label == "halved")
    (edit,) = item.additional_text_edits
    assert edit.new_text == '(import "lib.lift")\n\n' and edit.range.start == lsp.Position(0, 0)


async def test_a_storm_of_requests_half_of_them_cancelled(session):
    await session.open("a.lift", PROGRAM)
    document, place = session.document("a.lift"), lsp.Position(4, 9)
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(6, 0))
    asked = []
    for number in range(50):
        for method, params in [
            ("textDocument/hover", lsp.HoverParams(document, place)),
            ("textDocument/inlayHint", lsp.InlayHintParams(document, whole)),
            ("textDocument/codeAction", lsp.CodeActionParams(document, whole, lsp.CodeActionContext(diagnostics=[]))),
        ]:
            name = f"{method} {number}"
            answer = session.client.protocol.send_request(method, params, msg_id=name)
            asked.append((name, answer))
    for name, _ in asked[::2]:
        session.client.protocol.notify("$/cancelRequest", lsp.CancelParams(id=name))
    answers = [asyncio.wrap_future(answer) for _, answer in asked]
    answers = await asyncio.gather(*answers, return_exceptions=True)
    for answer in answers[1::2]:
        assert not isinstance(answer, BaseException), answer
    for answer in answers[::2]:
        # The answer may precede the cancellation.
        assert not isinstance(answer, BaseException) or getattr(answer, "code", None) == -32800, answer
    # The session still works.
    assert await session.client.text_document_hover_async(lsp.HoverParams(document, place))
