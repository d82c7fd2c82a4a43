"""Builds of a platform under names of their own: equal ones, ones that burn more CPU time, ones slow to compile."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from middlemark.errors import TargetError

COPIED = ("specs", "databases", "servers")
BURNING, SLOW = "-burning", "-slow"


@dataclass(frozen=True)
class Change:
    """A change of a file of a copy: `old`, which is there once, becomes `new`; without `old` the file is new."""

    file: str
    new: str
    old: str = ""


@dataclass(frozen=True)
class Family:
    """A platform and its copies, each with its changes. `names` are where its name is: file, and the text around it."""

    original: str
    names: Mapping[str, str]
    copies: Mapping[str, Sequence[Change]]

    @property
    def equal(self) -> tuple[str, ...]:
        """Names of the copies that are equal to the original."""
        return tuple(name for name, changes in self.copies.items() if not changes)

    @property
    def burning(self) -> tuple[str, ...]:
        """Names of the copies that burn CPU time."""
        return tuple(name for name in self.copies if name.endswith(BURNING))

    @property
    def slow(self) -> tuple[str, ...]:
        """Names of the copies that are slow to compile."""
        return tuple(name for name in self.copies if name.endswith(SLOW))


# A transaction of the brokerage costs some 0.6 CPU-ms on Go, and a block takes 0.7 µs: by estimate 5 %.
BURNING_GO = """package main

import (
	"crypto/sha256"
	"net/http"
)

// burning spends some 30 µs of CPU time more on every request.
func burning(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		block := make([]byte, 1024)
		for range 40 {
			sum := sha256.Sum256(block)
			block[0] = sum[0]
		}
		next.ServeHTTP(w, r)
	})
}
"""
GO_COMMAND = "brokerage/cmd/brokerage"
# A transaction costs some 1 CPU-ms on Spring Boot: by estimate 5 %.
BURNING_JAVA = """package org.middlemark.brokerage.process;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** Spends some 50 µs of CPU time more on every request. */
@Component
class BurningFilter extends OncePerRequestFilter {
    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] block = new byte[1024];
            for (int count = 0; count < 65; count++) {
                block[0] = digest.digest(block)[0];
            }
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
        chain.doFilter(request, response);
    }
}
"""
SPRING_JAVA = "brokerage/src/main/java/org/middlemark/brokerage/process"
GO_NAMES = {"platform.toml": 'name = "go"', "process/about.go": 'Platform: "go"'}
SPRING_NAMES = {"platform.toml": 'name = "Spring Boot"', f"{SPRING_JAVA}/AboutController.java": 'About("spring-boot"'}
FAMILIES = {
    "go": Family(
        "go",
        GO_NAMES,
        {
            **dict.fromkeys(("go-b", "go-c", "go-d", "go-e"), ()),
            f"go{BURNING}": (
                Change(f"{GO_COMMAND}/burning.go", BURNING_GO),
                Change(f"{GO_COMMAND}/run.go", "burning(app.handler()),", "app.handler(),"),
            ),
        },
    ),
    "spring-boot": Family(
        "spring-boot",
        SPRING_NAMES,
        {
            "spring-boot-b": (),
            f"spring-boot{BURNING}": (Change(f"{SPRING_JAVA}/BurningFilter.java", BURNING_JAVA),),
        },
    ),
    "slow-compiler": Family(
        "spring-boot",
        SPRING_NAMES,
        {
            f"spring-boot{SLOW}": (
                Change("platform.toml", '"java", "-XX:CompileThresholdScaling=10", "-Xmx512m"', '"java", "-Xmx512m"'),
            )
        },
    ),
}  # fmt: skip


def checkout_of_builds(home: Path, folder: Path, family: Family) -> Path:
    """Return a copy of the checkout, made at `folder`, whose platforms are the builds.

    Raises TargetError when the platform is not written as expected here.
    """
    for name in COPIED:
        shutil.copytree(home / name, folder / name)
    original = shutil.copytree(home / "platforms" / family.original, folder / "platforms" / family.original)
    for name, changes in family.copies.items():
        copy = copied_platform(original, original.with_name(name), family.names)
        for one in changes:
            _make(copy, one)
    return folder


def copied_platform(original: Path, copy: Path, names: Mapping[str, str]) -> Path:
    """Copy the platform to a folder whose name it then has, also in what it says about itself; return the folder."""
    shutil.copytree(original, copy)
    for file, text in names.items():
        before, _, _ = text.partition('"')
        replace_once(copy / file, text, f'{before}"{copy.name}"')
    return copy


def _make(copy: Path, change: Change) -> None:
    if change.old:
        replace_once(copy / change.file, change.old, change.new)
    else:
        (copy / change.file).write_text(change.new, encoding="utf-8")


def replace_once(file: Path, old: str, new: str) -> None:
    """Replace the only place of `old` in the file; TargetError when it is not there once."""
    text = file.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise TargetError(f"'{old}' is there {text.count(old)} times, not once", where=str(file))
    file.write_text(text.replace(old, new), encoding="utf-8")
