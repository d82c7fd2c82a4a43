"""The JSON Schema of session files, with which editors complete and check them.

python -m middlemark.load.schema > docs/reference/session.schema.json
"""

from __future__ import annotations

import json
from typing import Any

from middlemark.load.session import Session


def session_schema() -> str:
    """Return the schema as the text of docs/reference/session.schema.json."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "made by `python -m middlemark.load.schema`",
        **Session.model_json_schema(by_alias=True),
    }
    return json.dumps(_plain(schema), indent=1, ensure_ascii=False) + "\n"


def _plain(part: Any) -> Any:
    """Remove what editors need not know: titles, and that a key left out is null in Python."""
    if isinstance(part, list):
        return [_plain(item) for item in part]
    if not isinstance(part, dict):
        return part
    kept = {key: _plain(value) for key, value in part.items() if key != "title" or not isinstance(value, str)}
    if kept.get("default", "") is None:
        del kept["default"]
    choices = [choice for choice in kept.get("anyOf", []) if choice != {"type": "null"}]
    if len(choices) == 1:
        del kept["anyOf"]
        kept = {**choices[0], **kept}
    return kept


if __name__ == "__main__":
    print(session_schema(), end="")
