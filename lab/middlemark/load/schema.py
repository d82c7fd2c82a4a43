"""The JSON Schema of session files, with which editors complete and check them.

    python -m middlemark.load.schema > docs/reference/session.schema.json
"""

from __future__ import annotations

import json

from middlemark.load.session import Session


def session_schema() -> str:
    """Return the schema as the text of docs/reference/session.schema.json."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Session.model_json_schema(by_alias=True),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(session_schema(), end="")
