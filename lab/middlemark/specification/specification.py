"""A specification in its folder: what its `spec.toml` says, asked by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from middlemark.checkout import checkout
from middlemark.documents import read_toml, suggestion
from middlemark.errors import InputError
from middlemark.specification.dataset import Dataset, read_dataset
from middlemark.specification.description import SpecificationDescription
from middlemark.specification.file_set import read_made_files
from middlemark.specification.pages import Login
from middlemark.specification.resources import Condition

FILE = "spec.toml"
SESSIONS = "sessions"
NO_SCALE = ""
DEMO = "demo"


@dataclass(frozen=True)
class Specification:
    """What `specs/<name>/spec.toml` says. `folder` holds everything else that belongs to it."""

    folder: Path
    description: SpecificationDescription

    @property
    def name(self) -> str:
        """Return the name of the folder, by which people call it."""
        return self.folder.name

    @property
    def sessions(self) -> Path:
        """Return the folder of all that virtual users send; neither builds nor cases know it."""
        return self.folder / SESSIONS

    @property
    def version(self) -> str:
        """Return its version, as /about says it."""
        return str(self.description.version)

    @property
    def case_scale(self) -> str:
        """Return the scale with which every case begins."""
        return self.description.cases.scale or next(iter(self.description.scales), NO_SCALE)

    @property
    def default_scale(self) -> str:
        """Return the scale to look at when nobody says which: `demo`, else the first."""
        scales = list(self.description.scales)
        return DEMO if DEMO in scales else next(iter(scales), NO_SCALE)

    @property
    def case_settings(self) -> dict[str, str]:
        """Return the settings with which an application is verified, unless a file of cases says otherwise."""
        settings = self.description.settings.items()
        return {name: str(one.in_cases) for name, one in settings if one.in_cases is not None}

    def knows_setting(self, name: str, features: Iterable[str]) -> bool:
        """Say whether an application with these features, and no other, knows the setting."""
        feature = self.description.settings[name].feature
        return feature is None or feature in features

    def known_settings(self, features: Collection[str]) -> list[str]:
        """Return the settings that an application with these features, and no other, knows."""
        return [name for name in self.description.settings if self.knows_setting(name, features)]

    @property
    def given_settings(self) -> frozenset[str]:
        """Return the names in /about of what the lab chooses by itself or what is compared: topology and modes."""
        description = self.description
        variables = {"MM_HOST", *description.variables_of_modes.values()}
        variables |= {description.roles.variable} if description.roles else set()
        variables |= {database.variable for database in description.databases.values()}
        variables |= {files.variable for files in description.files.values()}
        if description.tls:
            variables |= {description.tls.certificate, description.tls.key, description.tls.authority or ""} - {""}
        variables |= {description.token_key.variable} if description.token_key else set()
        variables |= {token.variable for token in description.tokens.values() if token.variable}
        for tier in description.tiers.values():
            variables |= {
                *tier.listens.values(),
                *(one for call in tier.calls.values() for one in call.variables.values()),
            }
        return frozenset(about_name(variable) for variable in variables)

    def numbers(self, scale: str | None) -> Mapping[str, int]:
        """Return the numbers of a scale; InputError for one that it does not have."""
        scales = self.description.scales
        if not scales and not scale:
            return {}
        if scale not in scales:
            todo = suggestion(scale or "", list(scales)) if scales else "Leave the scale out"
            raise InputError(f"{self.name} has no scale '{scale}'", where=str(self.folder / FILE), todo=todo)
        return scales[scale]

    def datasets(self, scale: str | None) -> dict[str, Dataset]:
        """Return the data set of every database at a scale; InputError when one cannot be read."""
        numbers = self.numbers(scale)
        return {
            name: read_dataset(name, self.database_folder(name), scale or NO_SCALE, numbers)
            for name in self.description.databases
        }

    def database_folder(self, name: str) -> Path:
        """Return the folder with schema, data set and audit of a database."""
        return self.folder / self.description.databases[name].folder

    def file_content(self, name: str) -> bytes:
        """Return what stands in a file of the folder, or as SET/PATH in one of a set that is made.

        Raises InputError for one that is not there.
        """
        first, _, path = name.partition("/")
        files = self.description.files.get(first)
        if files is not None and files.made is not None:
            made = read_made_files(self.folder / files.made)
            size = dict(made.files()).get(path)
            if size is not None:
                return made.content(path, size)
        elif (self.folder / name).is_file():
            return (self.folder / name).read_bytes()
        raise InputError(f"the file '{name}' does not exist", where=str(self.folder))

    def database_called(self, name: str | None) -> str:
        """Return the database that is meant, the only one where none is named; InputError when there is none so."""
        known = list(self.description.databases)
        if name is None and len(known) == 1:
            return known[0]
        if name is None or name not in known:
            what = f"{self.name} has no database '{name}'" if name else f"{self.name} has {len(known)} databases"
            raise InputError(what, todo=f"Name one of {', '.join(known)}" if known else "It works without any")
        return name

    def require_setting(self, name: str, value: str, *, in_runs: bool = False) -> None:
        """Raise InputError unless the setting exists, may be set there, and takes the value."""
        settings = self.description.settings
        possible = [one for one, setting in settings.items() if setting.in_runs or not in_runs]
        if name not in settings:
            raise InputError(f"'{name}' is not a setting. {suggestion(name, possible)}")
        if name not in possible:
            todo = f"These can: {', '.join(possible)}" if possible else "None can"
            raise InputError(f"'{name}' cannot be set in a run", todo=todo)
        fault = settings[name].fault(value)
        if fault:
            raise InputError(f"{name}: {fault}")

    def holds(self, condition: Condition, modes: Mapping[str, str]) -> bool:
        """Say whether a condition holds with these mode values; a mode that is missing has its default."""
        return all(self.mode_value(mode, modes) in values for mode, values in condition.items())

    def tier_of(self, path: str) -> str:
        """Return the tier whose `paths` begin a path, the entry where there is none."""
        tiers = self.description.tiers.items()
        fitting = [(len(one), name) for name, tier in tiers for one in tier.paths if path.startswith(one)]
        return max(fitting, default=(0, self.description.entry))[1]

    def queues_in_use(self, tiers: Iterable[str], modes: Mapping[str, str]) -> frozenset[str]:
        """Return the queues that a process with these tiers works on; a mode that is missing has its default."""
        queues = self.description.queues
        named = {name for tier in tiers for name in self.description.tiers[tier].queues}
        return frozenset(name for name in named if self.holds(queues[name].when, modes))

    def mode_value(self, mode: str, modes: Mapping[str, str]) -> str:
        """Return the value of a mode, its default where none is chosen; empty for one that platforms name."""
        return modes.get(mode) or next(iter(self.description.modes[mode].values), "")

    def reason_against(self, modes: Mapping[str, str]) -> str:
        """Return why these values of some modes never exist together; empty when they do."""
        for mode, value in modes.items():
            for other, values in self.description.modes[mode].only_with.get(value, {}).items():
                if other in modes and modes[other] not in values:
                    return f"{mode}={value} exists only with {other}={' or '.join(values)}, not with {modes[other]}"
        return ""

    def carried(self, requested: Mapping[str, str]) -> dict[str, str]:
        """Return the value of each mode that requests carry, its default if none is requested.

        Raises InputError for what is unknown.
        """
        known = self.description.carried_modes
        for mode, value in requested.items():
            if mode not in known:
                raise InputError(f"requests carry no mode '{mode}'. {suggestion(mode, list(known))}", where="--set")
            if value not in known[mode].values:
                raise InputError(f"'{value}' is not a value of {mode}. {suggestion(value, known[mode].values)}")
        return {mode: requested.get(mode, one.values[0]) for mode, one in known.items()}

    def require_login(self) -> Login:
        """Return how a user logs in; InputError when nobody does."""
        if self.description.login is None:
            raise InputError(f"{self.name} does not say how users log in", where=str(self.folder / FILE))
        return self.description.login


def about_name(variable: str) -> str:
    """Return a variable's name among the settings of /about."""
    return variable.removeprefix("MM_").lower()


@cache
def read_specification(folder: Path) -> Specification:
    """Return the specification in a folder; InputError when its file is wrong."""
    return Specification(folder, read_toml(folder / FILE, SpecificationDescription))


def find_specification(name: str, home: Path | None = None) -> Specification:
    """Return the specification `name` of the checkout; InputError names those there are."""
    specs = (home or checkout()) / "specs"
    known = [folder.name for folder in specification_folders(specs.parent)]
    if name not in known:
        raise InputError(f"no specification is called '{name}'. {suggestion(name, known)}", where=str(specs))
    return read_specification(specs / name)


def only_specification(home: Path, *, with_databases: bool = False) -> str:
    """Return the only specification of the checkout, or the only one that has databases; InputError for several."""
    known = [folder.name for folder in specification_folders(home)]
    if with_databases:
        known = [name for name in known if _may_have_databases(home, name)]
    if len(known) == 1:
        return known[0]
    which = "specifications with databases" if with_databases else "specifications"
    raise InputError(f"this checkout has {len(known)} {which}", todo=f"Name one of {', '.join(known)}")


def _may_have_databases(home: Path, name: str) -> bool:
    """Say whether a specification has databases; one with a mistake may have some, and breaks no other."""
    try:
        return bool(find_specification(name, home).description.databases)
    except InputError:
        return True


def specification_folders(home: Path) -> list[Path]:
    """Return the folder of every specification of the checkout, by name."""
    return sorted(file.parent for file in (home / "specs").glob(f"*/{FILE}"))
