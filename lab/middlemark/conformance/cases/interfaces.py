"""What cases may name and use of a specification's interfaces."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lxml import etree

from middlemark.conformance.cases.contract import contract_for
from middlemark.conformance.cases.selector import NO_WSDL
from middlemark.documents import suggestion
from middlemark.errors import InputError
from middlemark.specification.specification import Specification


def operations_of(specification: Specification) -> dict[str, frozenset[str]]:
    """Return the operations that can be called over each interface; InputError for one that no contract judges."""
    interfaces = specification.description.interfaces
    return {name: frozenset(contract_for(specification, name).operations) for name in interfaces}


def grpc_interface(specification: Specification, name: str | None) -> str:
    """Return the interface with a proto that is meant, the only one if None; InputError when there is none so."""
    known = [one for one, interface in specification.description.interfaces.items() if interface.contract == "grpc"]
    if name is None and len(known) == 1:
        return known[0]
    if name is None or name not in known:
        what = f"'{name}' is not an interface with a proto" if name else "the step does not name its interface"
        raise InputError(f"{what}. {suggestion(name or '', known)}")
    return name


def proto_of(specification: Specification, interface: str) -> Path:
    """Return the contract of an interface with a proto."""
    return specification.folder / specification.description.interfaces[interface].file


def wsdl_name_space(specification: Specification) -> str:
    """Return the target name space of the specification's first WSDL; NO_WSDL when it has none."""
    interfaces = specification.description.interfaces.values()
    files = [specification.folder / one.file for one in interfaces if one.contract == "wsdl"]
    return _name_space(files[0]) if files else NO_WSDL


@cache
def _name_space(file: Path) -> str:
    return str(etree.parse(file).getroot().get("targetNamespace"))
