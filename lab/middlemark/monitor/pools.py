"""What applications report of their connections to databases (`GET /pools`, specs/README.md) when asked each second."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from middlemark.records.samples import ReportedPool

STEP_S = 1.0
# A busy application responds late; until then what it reported before holds, and no longer than this.
_PATIENCE_S = 5.0


class Pool(BaseModel):
    """What a process reports of one pool: requests `waiting` now, or `waited_seconds` of all since its start."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    size: int = Field(ge=1)
    in_use: int = Field(ge=0)
    waiting: int | None = Field(default=None, ge=0)
    waited_seconds: float | None = Field(default=None, ge=0)


_RESPONSE = TypeAdapter(dict[str, Pool])


@dataclass(frozen=True)
class _Report:
    moment_s: float
    raw: Mapping[str, Pool]
    pools: Mapping[str, ReportedPool]


class PoolReports:
    """What the processes of each tier reported last; a tier of which one reports nothing is left out."""

    def __init__(self, addresses: Mapping[str, Sequence[str]]) -> None:
        self._tiers = {tier: tuple(each) for tier, each in addresses.items()}
        self._silent: set[str] = set()
        self._reports: dict[str, _Report] = {}

    def ask(self, client: httpx.Client) -> None:
        """Ask every process once; one that does not know the address is not asked again."""
        for address in {address for each in self._tiers.values() for address in each} - self._silent:
            try:
                response = client.get(f"{address}/pools")
                response.raise_for_status()
                self._take(address, _RESPONSE.validate_json(response.content))
            except (httpx.HTTPStatusError, ValidationError):
                self._silent.add(address)
            except httpx.HTTPError:
                continue  # it is busy, or ends

    def now(self) -> dict[str, dict[str, ReportedPool]]:
        """Return the pools of each tier by database, those of its processes added up."""
        since = time.monotonic() - _PATIENCE_S
        reports = {address: one.pools for address, one in self._reports.items() if one.moment_s >= since}
        return {
            tier: _together([reports[address] for address in each])
            for tier, each in self._tiers.items()
            if each and all(reports.get(address) for address in each)
        }

    def _take(self, address: str, raw: Mapping[str, Pool]) -> None:
        before, now = self._reports.get(address), time.monotonic()
        pools = {name: _reported(pool, name, before, now) for name, pool in raw.items()}
        self._reports[address] = _Report(now, raw, pools)


@contextmanager
def polling(addresses: Mapping[str, Sequence[str]]) -> Iterator[PoolReports]:
    """Ask the processes of each tier at these addresses until the context ends, in a thread: an answer may be late."""
    reports, ended = PoolReports(addresses), threading.Event()

    def ask_until_ended() -> None:
        with httpx.Client(timeout=_PATIENCE_S, trust_env=False) as client:
            reports.ask(client)
            while not ended.wait(STEP_S):
                reports.ask(client)

    thread = threading.Thread(target=ask_until_ended, name="pools", daemon=True)
    thread.start()
    try:
        yield reports
    finally:
        ended.set()
        thread.join()


def _reported(pool: Pool, name: str, before: _Report | None, now_s: float) -> ReportedPool:
    waiting: float | None = pool.waiting
    if waiting is None and pool.waited_seconds is not None and before and name in before.raw:
        # Waited seconds per second are the mean number that waited (Little's law).
        earlier = before.raw[name].waited_seconds
        waiting = None if earlier is None else max(0.0, pool.waited_seconds - earlier) / (now_s - before.moment_s)
    return ReportedPool(size=pool.size, in_use=pool.in_use, waiting=None if waiting is None else round(waiting, 3))


def _together(processes: Sequence[Mapping[str, ReportedPool]]) -> dict[str, ReportedPool]:
    return {name: _sum([pools[name] for pools in processes if name in pools]) for name in processes[0]}


def _sum(pools: Sequence[ReportedPool]) -> ReportedPool:
    waiting = [one.waiting for one in pools if one.waiting is not None]
    return ReportedPool(
        size=sum(one.size for one in pools),
        in_use=sum(one.in_use for one in pools),
        waiting=sum(waiting) if len(waiting) == len(pools) else None,
    )
