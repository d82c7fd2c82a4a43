"""Lengths of time as people write them: `200ms`, `1s`, `1.5s`, `2m`, `1h`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

PATTERN = r"^[0-9]+(\.[0-9]+)?(ms|s|m|h)$"
_MILLISECONDS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}


@dataclass(frozen=True, order=True)
class Duration:
    """A length of time, zero or longer, in milliseconds."""

    ms: float

    @classmethod
    def parse(cls, text: object) -> Duration:
        """Return the duration that `text` names; raise ValueError for anything but a number with ms, s, m or h."""
        match = re.match(PATTERN, text) if isinstance(text, str) else None
        if not isinstance(text, str) or match is None:
            raise ValueError(f"'{text}' is not a duration; write a number with its unit, like 200ms, 1s, 2m or 1h")
        unit = match[2]
        return cls(float(Decimal(text.removesuffix(unit)) * _MILLISECONDS[unit]))

    @classmethod
    def of_seconds(cls, seconds: float) -> Duration:
        """Return `seconds` as a duration."""
        return cls(seconds * 1000)

    @property
    def seconds(self) -> float:
        """Return the length in seconds."""
        return self.ms / 1000

    def __str__(self) -> str:
        """Write whole hours, minutes or seconds as such, anything else in seconds or milliseconds."""
        for unit in ("h", "m", "s"):
            if self.ms and self.ms % _MILLISECONDS[unit] == 0:
                return f"{self.ms / _MILLISECONDS[unit]:.0f}{unit}"
        return f"{self.seconds}s" if self.ms > 1000 else f"{self.ms:g}ms"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read the text of a file, or keep a duration; write the text."""
        return core_schema.no_info_plain_validator_function(
            lambda value: value if isinstance(value, cls) else cls.parse(value),
            serialization=core_schema.plain_serializer_function_ser_schema(str),
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describe the text for editors."""
        return {"type": "string", "pattern": PATTERN, "examples": ["200ms", "1s", "2m"]}
