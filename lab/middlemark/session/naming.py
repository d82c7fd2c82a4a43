"""Names of steps: the words of their paths."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from middlemark.session.given import looks_variable
from middlemark.session.visit import Visit


def step_names(visits: Sequence[Visit]) -> list[tuple[str, str]]:
    """Return id and transaction of each visit; requests of one path and method share a transaction."""
    words = [_words(visit.path) for visit in visits]
    methods = {(word, visit.request.method) for word, visit in zip(words, visits, strict=True)}
    transactions = [
        f"{word}-post" if visit.request.method == "POST" and (word, "GET") in methods else word
        for word, visit in zip(words, visits, strict=True)
    ]
    counts, seen = Counter(transactions), Counter[str]()
    taken = set(transactions)
    names = []
    for transaction in transactions:
        name = transaction
        while counts[transaction] > 1 and (name == transaction or name in taken):
            seen[transaction] += 1
            name = f"{transaction}-{seen[transaction]}"
        taken.add(name)
        names.append((name, transaction))
    return names


def _words(path: str) -> str:
    """Return the words of a path joined by `-`; `start` for the root."""
    parts = [re.sub(r"[^A-Za-z0-9_]+", "-", part).strip("-") for part in path.split("/") if not looks_variable(part)]
    return "-".join(part for part in parts if part) or "start"
