"""The language server of the program `lift` for JupyterLab (jupyter-lsp asks for it by an entry point)."""

from __future__ import annotations

from typing import Any

from . import compiler


def server(_: Any) -> dict[str, dict[str, Any]]:
    """The entry for jupyter-lsp: the command that starts the language server, and its languages."""
    return {
        "lift-language-server": {
            "version": 2,
            "argv": [compiler.executable(), "lsp"],
            "languages": ["lift"],
            "mime_types": ["text/x-lift"],
            "display_name": "lift",
            "requires_documents_on_disk": False,
        }
    }
