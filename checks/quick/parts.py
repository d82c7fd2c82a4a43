"""The parts of the repository that have checks and tests of their own, and the targets of make that run them."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch


@dataclass(frozen=True)
class Part:
    """What wants `targets`, which take `seconds` on 2 CPUs, when a file of its own changes or one that it `reads`.

    Both are patterns. Pages (`.md`) want nothing: the checks of the repository look at them.
    """

    name: str
    targets: tuple[str, ...]
    seconds: float
    own: tuple[str, ...]
    reads: tuple[str, ...] = ()

    def wants(self, file: str) -> bool:
        """Tell whether a change of `file` is one for this part."""
        return any(fnmatch(file, pattern) for pattern in (*self.own, *self.reads)) and not file.endswith(".md")


PYTHON = Part("Python", ("check-python",), 15, ("*.py", "pyproject.toml", "requirements-dev.lock"))
# With tests that make runs as a whole: they are quick enough, and Go itself remembers what has passed unchanged.
TESTED_APART = (
    Part("the driver", ("check-rust", "test-driver"), 125, ("driver/*",)),
    Part("the C platform", ("test-c",), 2, ("platforms/c/*",), reads=("specs/spice/pages/*",)),
    Part("the Go platform", ("check-go", "test-go"), 75, ("platforms/go/*",), reads=("specs/*",)),
    Part(
        "the Spring Boot platform",
        ("check-spring-boot", "test-spring-boot"),
        45,
        ("platforms/spring-boot/*",),
        reads=("specs/brokerage/brokerage.wsdl", "specs/brokerage/pages/*"),
    ),
    Part(
        "the Jakarta platform",
        ("check-java", "test-java"),
        40,
        ("platforms/jakarta/*",),
        reads=("specs/spice/pages/*",),
    ),
)


def wanted(files: tuple[str, ...]) -> list[Part]:
    """Return the parts in which something changed."""
    return [part for part in (PYTHON, *TESTED_APART) if any(part.wants(file) for file in files)]


def is_tested_apart(file: str) -> bool:
    """Tell whether the file belongs to a part that has tests of its own."""
    return any(fnmatch(file, pattern) for part in TESTED_APART for pattern in part.own)
