"""Generated texts that follow the edits, the way between them and the program, and runs with their times, through a
client that is not ours.
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
FACTOR = lsp.Range(lsp.Position(5, 28), lsp.Position(5, 32))


async def view(session, stage: str = "opencl") -> str:
    made = await session.execute("lift.server.generateOpenCL", {"uri": session.uri("a.lift"), "stage": stage})
    return made["uri"]


async def ask(session, method: str, params):
    return plain(await session.client.protocol.send_request_async(method, params))


async def text(session, uri: str) -> str:
    return (await ask(session, "lift/virtualText", {"uri": uri}))["text"]


async def test_a_generated_text_follows_the_edits(session):
    changed: asyncio.Queue = asyncio.Queue()

    @session.client.feature("lift/virtualTextChanged")
    def on_change(params):
        changed.put_nowait(plain(params)["uri"])

    await session.open("a.lift", PROGRAM)
    uri = await view(session)
    first = await text(session, uri)
    assert first.startswith("// OpenCL C of positive in a.lift\n") and "* 2.0f" in first
    await session.edit("a.lift", FACTOR, "7.0f")
    async with asyncio.timeout(120):
        assert await changed.get() == uri
    assert await text(session, uri) == first.replace("* 2.0f", "* 7.0f")
    await session.edit("a.lift", FACTOR, "true")
    async with asyncio.timeout(120):
        assert await changed.get() == uri
    stale = await text(session, uri)
    assert stale.startswith("// stale: a.lift:6:29: ") and "* 7.0f" in stale


async def test_every_stage_is_a_document(session):
    await session.open("a.lift", PROGRAM)
    for stage in ["elaborated", "core", "scheduled", "opencl", "plan", "host"]:
        shown = await text(session, await view(session, stage))
        assert "positive in a.lift" in shown.splitlines()[0]
    with pytest.raises(JsonRpcException):
        await view(session, "none")


async def test_expressions_and_their_generated_parts(session):
    await session.open("a.lift", PROGRAM)
    uri = await view(session)
    lines = (await text(session, uri)).splitlines()
    program = {"view": uri, "uri": session.uri("a.lift"), "range": {"start": at(5, 29), "end": at(5, 29)}}
    parts = await ask(session, "lift/generatedRanges", program)
    assert any(
        "* 2.0f" in lines[line] for part in parts for line in range(part["start"]["line"], part["end"]["line"] + 1)
    )
    line = next(n for n, found in enumerate(lines) if "* 2.0f" in found)
    place = at(line, lines[line].index("* 2.0f"))
    source = await ask(session, "lift/sourceRange", {"view": uri, "range": {"start": place, "end": place}})
    assert source["uri"] == session.uri("a.lift") and source["range"]["start"] == at(5, 23)
    # And by the standard requests.
    document = lsp.TextDocumentIdentifier(uri=uri)
    position = lsp.Position(place["line"], place["character"])
    definition = await session.client.text_document_definition_async(lsp.DefinitionParams(document, position))
    assert definition[0].range.start == lsp.Position(5, 23)
    hover = await session.client.text_document_hover_async(lsp.HoverParams(document, position))
    assert hover.contents.value.startswith("From a.lift:6:24") and "(* y 2.0f)" in hover.contents.value


def at(line: int, character: int) -> dict:
    return {"line": line, "character": character}


async def test_times_of_a_run_are_hints(session):
    await session.open("a.lift", PROGRAM)
    run = {"uri": session.uri("a.lift"), "device": "opencl", "inputs": ["random"], "sizes": {"N": 64}}
    report = await session.execute("lift.server.runKernel", run)
    assert report["runs"] >= 1 and report["plot"]["kind"] == "curves" and report["profile"]
    assert all(p["spread"][0] <= p["microseconds"] <= p["spread"][1] for p in report["profile"])
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(6, 0))
    params = lsp.InlayHintParams(text_document=session.document("a.lift"), range=whole)

    async def times():
        hints = await session.client.text_document_inlay_hint_async(params)
        return [(hint.position.line, hint.label) for hint in hints if isinstance(hint.label, str)]

    lines, labels = zip(*await times())
    # The map is fused with the filter, the call in the fifth line.
    assert lines == (4,) and not any(label.startswith("was") for label in labels)
    await session.edit("a.lift", FACTOR, "7.0f")
    assert all(label.startswith("was") for _, label in await times())


async def test_the_setup_is_told(session):
    setup = await session.execute("lift.server.setup", {})
    assert setup["devices"][-1] == {"device": "interpreter"}
