"""`python -m checks.conformance REPORT…`: keeps reports of `verify`, and writes the page from all that are kept."""

from __future__ import annotations

import sys
from pathlib import Path

from checks.conformance.page import markdown
from checks.conformance.reports import keep, kept, read_report
from checks.listing import REPOSITORY
from middlemark.errors import LabError

FOLDER = REPOSITORY / "docs" / "reference" / "conformance"
PAGE = FOLDER.with_suffix(".md")


def main(arguments: list[str]) -> int:
    """Return the exit status: 0 when the page was written, else that of the error, and nothing was kept."""
    try:
        for report in [read_report(Path(name), REPOSITORY) for name in arguments]:
            print(keep(report, FOLDER).relative_to(REPOSITORY))
        PAGE.write_text(markdown(kept(FOLDER, REPOSITORY)), encoding="utf-8")
    except LabError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return error.exit_status
    print(PAGE.relative_to(REPOSITORY))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
