"""Runs cases on an application that somebody else has started, known by its address alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from middlemark.conformance.cases.database_uses import database_uses
from middlemark.conformance.cases.placed import Placed
from middlemark.conformance.execution.configuration import Configuration, Extent, PlannedExecution
from middlemark.conformance.execution.offer import Offer, everything, offer_of
from middlemark.conformance.execution.request import VerifyRequest
from middlemark.conformance.execution.run_case import not_checked, run_case
from middlemark.conformance.execution.state.case_databases import CaseDatabases, case_databases
from middlemark.conformance.execution.state.loaded import LeftBehindError
from middlemark.conformance.execution.steps.browser import open_client
from middlemark.conformance.execution.steps.context import Addresses, Context
from middlemark.conformance.failure import Stopped
from middlemark.conformance.result import Observed
from middlemark.databases.database import PREFIX, Database, drop_database
from middlemark.databases.watched_database import watched_user_database
from middlemark.errors import InputError, TargetError
from middlemark.load.fingerprint import fingerprint
from middlemark.load.loading import load_dataset
from middlemark.processes.watchdog import watchdog
from middlemark.specification.dataset import Dataset
from middlemark.specification.description import Interface
from middlemark.specification.specification import Specification, about_name
from middlemark.specification.tiers import Protocol
from middlemark.subject.subject import Subject, platform_called
from middlemark.topology.about import About, read_about, settings_not_shown


@dataclass(frozen=True)
class AddressRequest:
    """An application at `address` (http://host:port); `databases` are the URLs of all its databases, or none.

    `about` is what it says of itself, `platform` the platform of which it is, where the checkout has that.
    """

    address: str
    about: About
    platform: Subject | None
    specification: Specification
    databases: Mapping[str, str] = field(default_factory=dict)

    @property
    def databases_known(self) -> bool:
        """Say whether all its databases are known."""
        return self.databases.keys() == self.specification.description.databases.keys()


def request_for_address(address: str, request: VerifyRequest) -> AddressRequest:
    """Return the request to verify what runs at an address.

    Raises TargetError when nothing answers there, InputError when it is of another specification or version, or when
    some of its databases are not known.
    """
    about = read_about(address)
    platform = platform_called(about.platform, request.specification, request.home)
    found = AddressRequest(address, about, platform, request.specification, request.databases)
    _require_all_databases(found)
    _require_version(found)
    return found


@dataclass(frozen=True)
class AddressResult:
    """What came of it: what is not offered, and what a reader must know."""

    not_offered: tuple[str, ...]
    notes: tuple[str, ...]


def run_on_address(
    request: AddressRequest,
    cases: Sequence[Placed],
    begins: Callable[[Configuration, int], None],
    hear: Callable[[Observed], bool],
    stop: threading.Event,
) -> AddressResult:
    """Run the cases without settings of their own.

    `begins` is told how much is to be run, `hear` of every execution; when it returns True, that was all. Raises
    TargetError when nothing answers or the data sets cannot be put back, InputError when the databases do not hold the
    data sets.
    """
    specification, about = request.specification, request.about
    with ExitStack() as stack:
        client = stack.enter_context(open_client(request.address))
        addresses = _addresses(request, about, client)
        offer = _offer(request, addresses)
        modes = {**_modes(about, specification), **dict(_carried_to(about, offer))}
        configuration = Configuration(offer, modes, offer.interfaces, Extent.COMPLETE)
        databases = stack.enter_context(_databases(request)) if request.databases_known else None
        context = Context(
            specification, addresses, configuration.modes, databases, stop, client, partial(_not_shown, request, offer)
        )
        stack.callback(context.close)
        executions = configuration.executions([one for one in cases if not one.settings])
        begins(configuration, len(executions))
        for execution in executions:
            observed = _observed(execution, context)
            if observed is None or hear(observed):
                break
    return AddressResult(offer.missing, tuple(_notes(request, offer)))


def _require_all_databases(request: AddressRequest) -> None:
    """Refuse some of several databases: a case could not be undone."""
    missing = [name for name in request.specification.description.databases if name not in request.databases]
    if missing and request.databases:
        what = f"{request.specification.name} also has the database '{missing[0]}'"
        raise InputError(what, where="--database", todo=f"Add --database {missing[0]}=URL")


def _require_version(request: AddressRequest) -> None:
    """Refuse an application that says it obeys other rules than those the cases ask for."""
    found = (request.about.specification, request.about.specification_version)
    wanted = (request.specification.name, request.specification.version)
    if found != wanted:
        raise InputError(
            f"this application obeys the specification {' '.join(found)}, the cases are of {' '.join(wanted)}",
            where=f"{request.address}/about",
            todo="Start one of that specification and version, or use the Middlemark that the application was made for",
        )


def _observed(execution: PlannedExecution, context: Context) -> Observed | None:
    """Run a case and put the data back; None when everything was asked to stop."""
    placed, interface, modes = execution
    need = None if context.databases is not None else _database_need(placed, context)
    if need:
        return not_checked(placed, modes, interface, f"{need} needs --database URL")
    try:
        observed = run_case(placed, modes, interface, context)
    except Stopped:
        return None
    if context.databases is not None:
        try:
            context.databases.put_back()
        except LeftBehindError as left:
            raise TargetError(
                f"the data set cannot be put back after this case ({left})", where=placed.where, todo="Load it anew"
            ) from left
    return observed


def _database_need(placed: Placed, context: Context) -> str | None:
    """Say what of a case needs a database, None when nothing does; what cannot be unfinished is always settled."""
    unfinished = context.specification.description.unfinished
    for use in database_uses(placed):
        if not use.settles or context.holds(unfinished[use.settles].when):
            return use.what
    return None


def _modes(about: About, specification: Specification) -> dict[str, str]:
    """Return the modes that a process names, in the order of the specification."""
    names = {mode: about_name(one) for mode, one in specification.description.variables_of_modes.items()}
    return {mode: about.settings[name] for mode, name in names.items() if about.settings.get(name)}


def _carried_to(about: About, offer: Offer) -> Iterator[tuple[str, str]]:
    """Yield for each mode of a call that requests carry one of the values with which the process was started."""
    description = offer.specification.description
    for tier in description.tiers.values():
        for callee, call in tier.calls.items():
            if call.mode in description.carried_modes:
                is_inside = callee in about.roles
                values = (one for one in offer.modes.get(call.mode, ()) if (one in call.in_process) == is_inside)
                yield call.mode, next(values, "")


def _addresses(request: AddressRequest, about: About, client: httpx.Client) -> Addresses:
    """Return which tiers the process carries, and which interfaces it offers."""
    description = request.specification.description
    tiers = [tier for tier in description.tiers if description.roles is None or tier in about.roles]
    interfaces: dict[str, str] = {}
    for name, interface in description.interfaces.items():
        address = _address_of_interface(request, interface, about) if interface.tier in tiers else None
        if address and (interface.contract != "wsdl" or _is_served(f"{address}{interface.path}?wsdl", client)):
            interfaces[name] = address
    return Addresses(
        request.address,
        dict.fromkeys(tiers, request.address),
        interfaces,
        dict(_encrypted_addresses(request, about, tiers)),
        _certificate(request.specification, about),
    )


def _encrypted_addresses(request: AddressRequest, about: About, tiers: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield where each tier that the process carries answers over TLS, as its /about says."""
    for name in tiers:
        variable = request.specification.description.tiers[name].listens.get(Protocol.HTTPS, "")
        port = about.settings.get(about_name(variable), "") if variable else ""
        if port:
            yield name, f"https://{urlsplit(request.address).hostname}:{port}"


def _certificate(specification: Specification, about: About) -> Path | None:
    """Return the certificate's file where it is on this machine; None for one that an authority has to vouch for."""
    tls = specification.description.tls
    file = Path(about.settings.get(about_name(tls.certificate), "")) if tls else Path()
    return file if file.is_file() else None


def _not_shown(request: AddressRequest, offer: Offer) -> list[str]:
    """Return what `/about` does not show; with which values the process was started nobody knows here."""
    known = request.specification.known_settings(offer.features)
    return settings_not_shown(request.address, read_about(request.address), known)


def _address_of_interface(request: AddressRequest, interface: Interface, about: About) -> str | None:
    """Return where a process answers an interface; None when it does not listen on its protocol."""
    if interface.protocol == "http":
        return request.address
    variable = request.specification.description.tiers[interface.tier].listens.get(interface.protocol, "")
    port = about.settings.get(about_name(variable), "")
    return f"http://{urlsplit(request.address).hostname}:{port}" if port else None


def _is_served(where: str, client: httpx.Client) -> bool:
    """Say whether the process describes an interface; TargetError when it does not answer at all."""
    try:
        return client.get(where).status_code == httpx.codes.OK
    except httpx.HTTPError as error:
        raise TargetError(
            f"does not answer ({error or type(error).__name__})",
            where=where,
            todo="See the application's log",
        ) from error


def _offer(request: AddressRequest, addresses: Addresses) -> Offer:
    """Return what the platform offers, everything where that is not known, less the interfaces that are not here."""
    found = offer_of(request.platform) if request.platform else everything(request.specification)
    return replace(found, interfaces=tuple(one for one in found.interfaces if one in addresses.interfaces))


def _notes(request: AddressRequest, offer: Offer) -> Iterator[str]:
    specification = request.specification
    for name, wanted in offer.settings(specification.case_settings).items():
        found = request.about.settings.get(about_name(name), "")
        if found != wanted:
            yield f"note: the cases expect {name}={wanted}, this application has {found or 'none'}"
    if not request.databases_known:
        yield (
            "note: without --database the data set is not put back between cases: a case can fail because of an "
            f"earlier one. Load the data set at scale {specification.case_scale} first"
        )
    if request.platform is None:
        yield (
            f"note: this checkout has no platforms/{request.about.platform}/platform.toml that says what is offered "
            "here: cases that need a feature, a role or another value of a mode are run all the same"
        )


@contextmanager
def _databases(request: AddressRequest) -> Iterator[CaseDatabases]:
    """Work on the application's own databases: copies of their tables lie beside them until the context ends."""
    datasets = request.specification.datasets(request.specification.case_scale)
    with watchdog() as watch, ExitStack() as stack:
        in_use: dict[str, tuple[Database, str]] = {}
        for name, url in request.databases.items():
            server = stack.enter_context(watched_user_database(url, watch))
            in_use[name] = (server, server.maintenance)
            fresh = f"{PREFIX}fresh_{name}_{watch.name_part}"
            _require_loaded(server, datasets[name], fresh, request.specification.name)
        yield stack.enter_context(case_databases(request.specification, in_use))


def _require_loaded(server: Database, dataset: Dataset, fresh: str, specification: str) -> None:
    """Refuse a database that holds anything but the data set as loaded; one called `fresh` shows how that is."""
    name = server.maintenance
    load_dataset(server, dataset, fresh)
    prints = []
    for one in (fresh, name):
        with server.connected(one) as connection:
            prints.append(fingerprint(connection))
    drop_database(server, fresh)
    if prints[0] != prints[1]:
        raise InputError(
            f"this database does not hold the data set {specification} at scale {dataset.scale} as loaded",
            where=f"{server.address}/{name}",
            todo=f"Load it with `middlemark load {specification} --scale {dataset.scale}`",
        )
