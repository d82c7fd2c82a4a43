"""Calls the services of a platform with clients that others wrote: `python -m checks.clients go jakarta@liberty`.

Each buys, looks, sells and is refused; schemathesis sends what the OpenAPI contract allows, and what it does not.
Exit status 1 when a client did not get what it has to.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from checks.clients import installing
from checks.clients.application import Addresses, services

SPECIFICATION = Path("specs/brokerage").resolve()
FOLDER = Path(".build/clients").resolve()
SECONDS = 600
EXPECTED = """quote s:1
bought 24.95 10
held true
sold sell
refused unknown_symbol There is no symbol s:none.
"""
# What the specification leaves open is no finding: 404 or 405 for a method that an address does not have, and what a
# library reads in spite of a mistake.
OPEN = "unsupported_method,negative_data_rejection"


class NoMessageError(Exception):
    """What grpcurl printed instead of an answer."""


def zeep(addresses: Addresses) -> str:
    """Return what the calls with zeep printed."""
    return _output([sys.executable, str(installing.PLACE / "zeep_calls.py"), addresses.soap]).replace("True", "true")


def node_soap(addresses: Addresses) -> str:
    """Return what the calls with node-soap printed."""
    return _output(["node", str(installing.node_soap(FOLDER)), addresses.soap])


def cxf(addresses: Addresses) -> str:
    """Return what the calls with Apache CXF printed."""
    return _output(["java", "-cp", installing.cxf(FOLDER), "Calls", addresses.soap])


def grpcurl(addresses: Addresses) -> str:
    """Return the same lines from the answers that grpcurl printed."""

    def call(operation: str, **request: object) -> str:
        words = ["-plaintext", "-import-path", str(SPECIFICATION), "-proto", "brokerage.proto", "-v"]
        method = f"middlemark.brokerage.v1.Brokerage/{operation}"
        words += ["-d", json.dumps(request), str(addresses.grpc), method]
        done = subprocess.run(
            [str(installing.grpcurl(FOLDER)), *words], check=False, capture_output=True, text=True, timeout=SECONDS
        )
        return done.stdout + done.stderr

    def message(output: str) -> dict[str, object]:
        body = output.partition("Response contents:")[2].partition("Response trailers")[0]
        if not body:
            raise NoMessageError(output)
        return dict(json.loads(body))

    try:
        quote = message(call("GetQuote", symbol="s:1"))
        order = message(call("Buy", userId="uid:1", symbol="s:1", quantity=10))
        held = f'"holdingId": "{order["holdingId"]}"' in call("GetHoldings", userId="uid:1")
        sold = message(call("Sell", userId="uid:1", holdingId=order["holdingId"]))
    except NoMessageError as finding:
        return str(finding)
    refused = call("GetQuote", symbol="s:none")
    code = "unknown_symbol" if "middlemark-code: unknown_symbol" in refused else refused
    text = refused.rpartition("Message: ")[2].strip()
    return (
        f"quote {quote['symbol']}\nbought {order['fee']} {order['quantity']}\nheld {str(held).lower()}\n"
        f"sold {str(sold['type']).removeprefix('ORDER_TYPE_').lower()}\nrefused {code} {text}\n"
    )


def schemathesis(addresses: Addresses) -> str:
    """Return the expected lines when schemathesis found nothing, else its findings."""
    program = installing.schemathesis(FOLDER)
    words = ["run", str(SPECIFICATION / "openapi.yaml"), "--url", addresses.json, "--max-examples", "50"]
    done = subprocess.run(
        [str(program), *words, "--exclude-checks", OPEN, "--no-color"],
        cwd=FOLDER,
        env={"SCHEMATHESIS_HOOKS": "checks.clients.hooks", "PYTHONPATH": str(Path.cwd()), "PATH": "/usr/bin:/bin"},
        check=False,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    return EXPECTED if done.returncode == 0 else done.stdout + done.stderr


CLIENTS: dict[str, Callable[[Addresses], str]] = {
    "zeep": zeep,
    "node-soap": node_soap,
    "Apache CXF": cxf,
    "grpcurl": grpcurl,
    "schemathesis": schemathesis,
}


def _output(words: list[str]) -> str:
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=SECONDS)
    return done.stdout if done.returncode == 0 else done.stdout + done.stderr


def _call_all(subject: str, binding: str) -> bool:
    good = True
    with services(subject, binding) as addresses:
        for name, calls in CLIENTS.items():
            if name == "grpcurl" and not addresses.grpc:
                print(f"{subject}: {name}: not offered", flush=True)
                continue
            found = calls(addresses)
            good &= found == EXPECTED
            print(f"{subject}: {name}: {'as expected' if found == EXPECTED else found}", flush=True)
    return good


def main() -> int:
    """Call every platform named with every client."""
    parser = argparse.ArgumentParser(prog="python -m checks.clients", description=__doc__)
    parser.add_argument("subjects", nargs="+", metavar="SUBJECT")
    parser.add_argument("--binding", default="grpc", help="what is offered besides JSON and SOAP (default: grpc)")
    options = parser.parse_args()
    good = [_call_all(subject, options.binding) for subject in options.subjects]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
