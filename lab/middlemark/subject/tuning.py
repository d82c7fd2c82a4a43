"""`tuning.toml` of a platform: the settings that were tried on it, one at a time, with what came of each."""

from __future__ import annotations

from pydantic import Field

from middlemark.documents import Document, read_toml
from middlemark.records.run_parts import Trial, Tuning
from middlemark.subject.platform import Platform


class TriedSetting(Document):
    """One setting, tried alone."""

    setting: str = Field(min_length=1, description="its name as the runtime, library or server knows it")
    value: str = Field(min_length=1, description="what was tried")
    before: str = Field(min_length=1, description="what it was before, its default unless an earlier trial was kept")
    measured: str = Field(min_length=1, description="the figure with its spread, and of how many rounds")
    kept: bool
    why: str = Field(min_length=1, description="why it was kept or not")


class TuningLog(Document):
    """The whole file."""

    version: int = Field(1, ge=1, le=1)
    runs: int = Field(0, ge=0, description="how many runs the trials took")
    hours: float = Field(0.0, ge=0, description="how long a person worked on it")
    note: str = Field("", description="what else is to be known, for instance that nothing has been tried")
    tried: tuple[TriedSetting, ...] = ()


def tuning_of(platform: Platform) -> Tuning:
    """Return the tuning log of a platform, or that it has none; InputError names the key that is wrong."""
    name = platform.description.tuning
    if not name:
        return Tuning(platform=platform.name, runs=0, hours=0.0, note="the platform keeps no tuning log", trials=[])
    log = read_toml(platform.folder / name, TuningLog)
    trials = [Trial(**tried.model_dump()) for tried in log.tried]
    return Tuning(platform=platform.name, runs=log.runs, hours=log.hours, note=log.note, trials=trials)
