"""Whether recorded messages of the server are what the protocol says: read by lsprotocol, whose types are generated
from the protocol's own model.

1. A message becomes an object of its type.
2. The object becomes the same message again: a misspelt or unknown key gets lost on the way, so it shows.
3. The envelope is that of JSON-RPC, and answers are answers to something.
4. Rules that types do not say: a range ends after it starts, edits do not overlap, kinds are strings.
"""

import json

from lsprotocol import types as lsp
from lsprotocol.converters import get_converter

CONVERTER = get_converter()


def problems(log: str) -> list[str]:
    """What is wrong with a traffic log: lines `<- JSON` from the client and `-> JSON` from the server."""
    asked: dict = {}
    found: list[str] = []
    for number, line in enumerate(log.splitlines(), 1):
        direction, message = line[:2], json.loads(line[3:])
        if direction == "<-":
            if "id" in message and "method" in message:
                asked[message["id"]] = message["method"]
        else:
            name = message.get("method") or f"the answer to {asked.get(message.get('id'))}"
            found += [f"line {number}, {name}: {problem}" for problem in of_message(message, asked)]
    return found


def of_message(message: dict, asked: dict):
    if message.get("jsonrpc") != "2.0":
        yield "jsonrpc is not '2.0'"
    method = message.get("method")
    if method is None:
        if ("result" in message) == ("error" in message):
            yield "neither or both of result and error"
        if message.get("id") not in asked:
            yield f"answers {message.get('id')!r}, which was never asked"
            return
        method = asked[message["id"]]
    if method not in lsp.METHOD_TO_TYPES:
        # One of our own methods.
        return
    request, response = lsp.METHOD_TO_TYPES[method][:2]
    kind = request if "method" in message else lsp.ResponseErrorMessage if "error" in message else response
    try:
        value = CONVERTER.structure(message, kind)
        again = CONVERTER.unstructure(value, unstructure_as=kind)
    except Exception as error:
        yield f"does not fit {kind.__name__}: {error!r}"[:300]
        return
    yield from differences(message, again, "")
    yield from ranges(message.get("result", message.get("params")), "")
    result = message.get("result")
    if method == "textDocument/codeAction":
        for action in result or []:
            if not isinstance(action.get("kind", ""), str):
                yield "the kind of a code action is not a string"
            for edits in edits_of(action.get("edit") or {}):
                if overlap(edits):
                    yield "edits overlap"
    if method == "textDocument/formatting" and overlap(result or []):
        yield "edits overlap"


def differences(sent, read, path: str):
    if isinstance(sent, dict) and isinstance(read, dict):
        for key, value in sent.items():
            if key in read:
                yield from differences(value, read[key], f"{path}.{key}")
            elif value is not None:
                yield f"{path}.{key} is not in the protocol's type"
    elif isinstance(sent, list) and isinstance(read, list):
        for index, (a, b) in enumerate(zip(sent, read)):
            yield from differences(a, b, f"{path}[{index}]")
    elif sent != read or isinstance(sent, float) != isinstance(read, float):
        yield f"{path}: {sent!r} is read as {read!r}"


def ranges(value, path: str):
    if isinstance(value, dict):
        if isinstance(value.get("start"), dict) and isinstance(value.get("end"), dict):
            start, end = ((p.get("line"), p.get("character")) for p in (value["start"], value["end"]))
            if start > end:
                yield f"{path} ends before it starts"
        for key, part in value.items():
            yield from ranges(part, f"{path}.{key}")
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from ranges(part, f"{path}[{index}]")


def edits_of(edit: dict):
    yield from (edit.get("changes") or {}).values()
    for change in edit.get("documentChanges") or []:
        yield change.get("edits", [])


def overlap(edits: list) -> bool:
    def place(position: dict) -> tuple:
        return position["line"], position["character"]

    spans = sorted((place(e["range"]["start"]), place(e["range"]["end"])) for e in edits)
    return any(before[1] > after[0] for before, after in zip(spans, spans[1:]))
