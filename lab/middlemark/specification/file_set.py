"""A set of files that is made: classes of sizes, what stands in the files, and how often each is requested."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, PositiveInt, model_validator

from middlemark.documents import Document, read_toml, wrong_at

NUMBER = "{number}"
PATH = "{path}"

FilePath = Annotated[str, Field(pattern=r"^[a-z0-9{][a-z0-9{}_.-]*(/[a-z0-9{][a-z0-9{}_.-]*)*$")]


class FileClass(Document):
    """Files of like sizes, from the smallest to the largest in equal steps, requested equally often."""

    path: FilePath = Field(description="of each file, below the folder; {number} is 0 … files - 1")
    files: PositiveInt = Field(description="how many")
    smallest: PositiveInt = Field(description="bytes of file 0")
    largest: PositiveInt = Field(description="bytes of the last file")
    share: PositiveInt = Field(description="how often one of its files is requested, beside the shares of the others")

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return the bytes of each file."""
        span, steps = self.largest - self.smallest, max(self.files - 1, 1)
        return tuple(self.smallest + span * number // steps for number in range(self.files))

    def name(self, number: int) -> str:
        """Return the path of a file below the folder."""
        return self.path.replace(NUMBER, str(number))

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.path.count(NUMBER) != 1:
            raise wrong_at(("path",), f"'{self.path}' must hold {NUMBER} once, where the number of the file goes")
        if self.largest < self.smallest:
            raise wrong_at(("largest",), f"{self.largest} is smaller than the smallest, {self.smallest}")
        return self


class MadeFiles(Document):
    """The whole file. A file holds `begin`, as much of `filler` as its size leaves room for, and `end`."""

    version: Literal[1]
    begin: str = Field("", description="what each file begins with; {path} is the file's own below the folder")
    filler: str = Field(min_length=1, description="stands between them, repeated and cut to the size; ASCII")
    end: str = Field("", description="what each file ends with")
    requests: PositiveInt | None = Field(None, description="length of the fixed list of requests; a multiple of shares")
    classes: tuple[FileClass, ...] = Field(min_length=1)

    def files(self) -> Iterator[tuple[str, int]]:
        """Yield the path of every file below the folder, and its bytes."""
        for one in self.classes:
            yield from ((one.name(number), size) for number, size in enumerate(one.sizes))

    def content(self, path: str, size: int) -> bytes:
        """Return what stands in a file; its path tells it from any other."""
        begin, end, filler = (text.replace(PATH, path).encode() for text in (self.begin, self.end, self.filler))
        room = size - len(begin) - len(end)
        return begin + (filler * (room // len(filler) + 1))[:room] + end

    def mean_response(self) -> float:
        """Return the mean bytes of an answer when files are requested by the shares."""
        shares = sum(one.share for one in self.classes)
        return sum(one.share / shares * sum(one.sizes) / one.files for one in self.classes)

    def requested(self) -> tuple[str, ...]:
        """Return the list of requests, paths below the folder: each class has exactly its share.

        Files of a class come equally often, but for one time more where that does not divide. Shuffled by the SHA-256
        of the places, so that every machine has the same list.
        """
        shares = sum(one.share for one in self.classes)
        paths = [
            one.name(place * one.files // count)
            for one in self.classes
            for count in ((self.requests or 0) * one.share // shares,)
            for place in range(count)
        ]
        places = sorted(range(len(paths)), key=lambda place: hashlib.sha256(str(place).encode()).digest())
        return tuple(paths[place] for place in places)

    @model_validator(mode="after")
    def _text_fits(self) -> Self:
        if not self.filler.isascii():
            raise wrong_at(("filler",), "it is cut anywhere, so that it may only hold ASCII")
        for index, one in enumerate(self.classes):
            texts = (text.replace(PATH, one.name(one.files - 1)) for text in (self.begin, self.end))
            least = sum(len(text.encode()) for text in texts)
            if one.smallest < least:
                raise wrong_at(("classes", index, "smallest"), f"begin and end alone take {least} bytes")
        return self

    @model_validator(mode="after")
    def _paths_differ(self) -> Self:
        known: set[str] = set()
        for path, _ in self.files():
            if path in known:
                raise wrong_at(("classes",), f"two files are called '{path}'")
            known.add(path)
        return self

    @model_validator(mode="after")
    def _requests_are_divided(self) -> Self:
        shares = sum(one.share for one in self.classes)
        if self.requests is not None and any(self.requests * one.share % shares for one in self.classes):
            raise wrong_at(("requests",), f"{self.requests} cannot be divided by the shares, {shares} in all")
        return self


@cache
def read_made_files(path: Path) -> MadeFiles:
    """Return the description of a set of files; InputError when it is wrong."""
    return read_toml(path, MadeFiles)
