"""Recordings of sites that were never visited: what a browser would have written, made by hand."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

SITE = "http://shop.test"


@dataclass
class Recording:
    """Requests one after the other, each a second after the one before it."""

    entries: list[dict[str, Any]] = field(default_factory=list)

    def get(self, path: str, body: str = "", **more: Any) -> Recording:
        """Add a page that was opened. `more` replaces parts of request and response, see `_add`."""
        return self._add("GET", path, body, **more)

    def post(self, path: str, form: dict[str, str], body: str = "", **more: Any) -> Recording:
        """Add a form that was sent."""
        sent = {"mimeType": "application/x-www-form-urlencoded", "text": urlencode(form)}
        return self._add("POST", path, body, sent=sent, **more)

    def send_json(self, path: str, content: Any, result: Any, **more: Any) -> Recording:
        """Add a request of a script."""
        sent = {"mimeType": "application/json", "text": json.dumps(content)}
        return self._add(
            "POST", path, json.dumps(result), sent=sent, resource="fetch", media="application/json", **more
        )

    def write(self, path: Path) -> Path:
        """Write the recording and return where."""
        path.write_text(json.dumps({"log": {"version": "1.2", "entries": self.entries}}), encoding="utf-8")
        return path

    def _add(self, method: str, path: str, body: str, **more: Any) -> Recording:
        request = {
            "method": method,
            "url": path if "://" in path else SITE + path,
            "headers": [{"name": name, "value": value} for name, value in more.get("headers", {}).items()],
        }
        if "sent" in more:
            request["postData"] = more["sent"]
        media = more.get("media", "text/html; charset=utf-8")
        headers = {"Content-Type": media, **more.get("response_headers", {})}
        self.entries.append(
            {
                "startedDateTime": f"2026-01-31T08:00:{len(self.entries):02}.000Z",
                "time": more.get("time", 100),
                "_resourceType": more.get("resource", "document"),
                "request": request,
                "response": {
                    "status": more.get("status", 200),
                    "headers": [{"name": name, "value": value} for name, value in headers.items()],
                    "content": {"mimeType": media, "text": body},
                    "redirectURL": "",
                },
            }
        )
        return self
