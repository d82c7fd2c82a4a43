"""SOAP clients that nobody here wrote, one for Python and one for Node.js, trade by the served WSDL alone."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
import zeep
from called_application import SPEC, brokerage

from middlemark.databases.database import Database

NODE_CLIENT = Path(__file__).parent / "soap_client"
OPENED, FEE = Decimal("10000.00"), Decimal("24.95")


@pytest.fixture(scope="module")
def wsdl(database_cluster: Database, tiny_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of the WSDL that a running application serves."""
    with brokerage(database_cluster, tiny_template, tmp_path_factory.mktemp("soap")) as target:
        yield f"{target.interfaces['soap']}/services/soap?wsdl"


@pytest.fixture(scope="module")
def documented() -> list[str]:
    """Give the operations of the specification."""
    document = yaml.safe_load((SPEC.folder / "openapi.yaml").read_text(encoding="utf-8"))
    return sorted(path.removeprefix("/") for path in document["paths"])


def test_zeep_lists_the_operations_and_trades(wsdl: str, documented: list[str]) -> None:
    client = zeep.Client(wsdl)  # type: ignore[no-untyped-call]  # zeep has no types
    [service] = client.wsdl.services.values()
    [port] = service.ports.values()
    assert sorted(port.binding._operations) == documented  # noqa: SLF001 (what `python -m zeep URL` prints)

    who = {"userId": "zeep"}
    texts = {"password": "secret", "fullName": "<Ünï> & Co", "address": "", "email": "", "creditCard": ""}
    account = client.service.register(**who, **texts, openBalance=OPENED)
    assert (account.userId, account.balance, account.loginCount) == ("zeep", OPENED, 1)
    bought = client.service.buy(**who, symbol="s:1", quantity=10)
    assert (bought.type, bought.status, bought.fee, bought.total) == ("buy", "closed", FEE, 10 * bought.price + FEE)
    assert bought.completionTime.utcoffset().total_seconds() == 0
    [holding] = client.service.getHoldings(**who)
    assert (holding.holdingId, holding.quantity, holding.beingSold) == (bought.holdingId, 10, False)
    sold = client.service.sell(**who, holdingId=bought.holdingId)
    assert sold.total == 10 * sold.price - FEE
    assert client.service.getAccount(**who).balance == OPENED - bought.total + sold.total
    assert client.service.getProfile(**who).fullName == "<Ünï> & Co"
    assert [quote.symbol for quote in client.service.getQuotes(symbols=["s:2", "s:1"])] == ["s:2", "s:1"]
    with pytest.raises(zeep.exceptions.Fault, match=f"User zeep has no holding {bought.holdingId}") as refused:
        client.service.sell(**who, holdingId=bought.holdingId)
    assert refused.value.code == "soap:Client"
    assert refused.value.detail.findtext("code") == "unknown_holding"


@pytest.fixture(scope="module")
def node_client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of the Node.js client with the packages that its lock file names."""
    folder = tmp_path_factory.mktemp("node") / "soap_client"
    shutil.copytree(NODE_CLIENT, folder, ignore=shutil.ignore_patterns("node_modules"))
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel", "error"]
    _ran(["npm", "ci", *options], folder)
    return folder


def test_the_client_of_node_lists_the_operations_and_trades(
    wsdl: str, documented: list[str], node_client: Path
) -> None:
    report = json.loads(_ran(["node", "trade.js", wsdl, "node"], node_client))
    bought, sold, fault = report["bought"], report["sold"], report["refused"]
    assert sorted(report["operations"]) == documented
    assert (report["account"]["userId"], _money(report["account"]["balance"])) == ("node", OPENED)
    assert (bought["type"], bought["status"], _money(bought["fee"])) == ("buy", "closed", FEE)
    assert _money(bought["total"]) == 10 * _money(bought["price"]) + FEE
    assert [holding["holdingId"] for holding in report["holdings"]] == [bought["holdingId"]]
    assert _money(sold["total"]) == 10 * _money(sold["price"]) - FEE
    assert report["profile"]["fullName"] == "<Ünï> & Co"
    assert [quote["symbol"] for quote in report["quotes"]["quotes"]] == ["s:2", "s:1"]
    assert fault["faultcode"] == "soap:Client"
    assert fault["faultstring"] == f"User node has no holding {bought['holdingId']}."
    assert (fault["detail"]["code"], fault["status"]) == ("unknown_holding", 500)


def _money(amount: Any) -> Decimal:
    """Return what the client has read as a number or left as text."""
    return Decimal(str(amount))


def _ran(command: list[str], folder: Path) -> str:
    """Return what a program printed; a failure shows what it said."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        pytest.fail(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout
