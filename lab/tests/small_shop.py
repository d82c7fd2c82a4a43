"""A specification of no real application: four tiers, two databases, a mode that joins tiers, a call over tcp."""

from __future__ import annotations

from pathlib import Path

from small_platform import APPLICATION, COUNTING_BUILD

from middlemark.specification.specification import Specification, read_specification
from middlemark.subject.subject import Subject, find_subject

SHOP = """
title = "Shop"
version = 3

[tiers.site]
listens = { http = "MM_PORT" }
entry = true
files = ["pictures"]

[tiers.site.calls.stock]
address = "MM_STOCK_ADDRESS"
mode = "calls"
in_process = ["inside"]

[tiers.stock]
listens = { http = "MM_PORT", grpc = "MM_STOCK_PORT" }
databases = ["goods"]

[tiers.stock.calls.books]
addresses = { tcp = "MM_BOOKS_ADDRESS" }

[tiers.books]
listens = { http = "MM_PORT", tcp = "MM_BOOKS_PORT" }
databases = ["goods", "money"]

[tiers.printer]
listens = { http = "MM_PORT" }
when = { receipts = ["printed"] }

[roles]
variable = "MM_ROLE"

[roles.carries]
site = ["site"]
stock = ["stock"]
books = ["books"]
printer = ["printer"]
everything = ["printer", "site", "stock", "books"]

[modes.calls]
variable = "MM_CALLS"
values = ["inside", "json", "binary"]
tiers = ["site"]

[modes.receipts]
variable = "MM_RECEIPTS"
values = ["none", "printed"]

[[modes.receipts.never_ranked_together]]
values = ["none", "printed"]
why = "printing takes paper"

[modes.store]
variable = "MM_STORE"

[features]
motto = "a motto on every page"

[settings.MM_POOL]
type = "integer"
minimum = 1
maximum = 90
default = 20
in_runs = true

[settings.MM_COLOUR]
type = "choice"
values = ["red", "green"]
default = "red"
in_cases = "green"

[settings.MM_MOTTO]
type = "text"
feature = "motto"

[scales.small]
items = 10

[scales.demo]
items = 1_000

[databases.goods]
variable = "MM_GOODS_URL"
pool = "MM_POOL"
folder = "goods"

[databases.money]
variable = "MM_MONEY_URL"
folder = "money"

[files.pictures]
variable = "MM_PICTURES"
folder = "pictures"

[interfaces.json]
tier = "stock"
contract = "openapi"
file = "stock.yaml"

[interfaces.binary]
tier = "stock"
contract = "grpc"
file = "stock.proto"
protocol = "grpc"

[effects.purchase]
transactions = ["buy"]
plural = "purchases"

[unfinished.receipts]
query = "receipts.sql"
database = "money"
when = { receipts = ["printed"] }
"""

CARRIED = (
    SHOP.replace('variable = "MM_CALLS"', "in_requests = true")
    .replace('tiers = ["site"]\n', "")
    .replace('address = "MM_STOCK_ADDRESS"', 'addresses = { http = "MM_STOCK_ADDRESS", grpc = "MM_STOCK_GRPC" }')
    + '\n[modes.tongue]\nin_requests = true\nvalues = ["en", "de"]\n'
)
"""The shop whose requests carry how the stock is called, and a tongue."""

PLATFORM = """
name = "small"
language = "Python"

[toolchain]
command = ["python3", "--version"]
minimum = "3.9"
debian = "apt install python3"
macos = "brew install python3"

[specs.shop]
build = {build}
start = ["python3", "{{artifact}}"]
roles = {roles}

[specs.shop.modes]
calls = ["inside", "json", "binary"]
receipts = ["none", "printed"]
store = ["rows"]
"""

EVERY_ROLE = ("site", "stock", "books", "printer", "everything")
ONE_TIER = """
title = "Shop"
version = 1
[tiers.site]
listens = { http = "MM_PORT" }
entry = true
"""
ONE_PLATFORM = PLATFORM.partition("roles = ")[0]

TLS = """
[tls]
certificate = "MM_CERTIFICATE"
key = "MM_KEY"
when = { privacy = ["some"] }

[modes.privacy]
variable = "MM_PRIVACY"
values = ["none", "some"]
"""
ENCRYPTED = ONE_TIER.replace('{ http = "MM_PORT" }', '{ http = "MM_PORT", https = "MM_TLS_PORT" }') + TLS


def shop_checkout(
    folder: Path, *, specification: str = SHOP, platform: str = PLATFORM, roles: tuple[str, ...] = EVERY_ROLE
) -> Path:
    """Write a checkout with the shop and a small platform that starts by itself; return its folder."""
    spec, small = folder / "specs" / "shop", folder / "platforms" / "small"
    for made in (spec, spec / "pictures", small):
        made.mkdir(parents=True)
    (folder / "specs" / "README.md").touch()
    (spec / "spec.toml").write_text(specification, encoding="utf-8")
    about = '"specification": "shop", "specification_version": "3"'
    program = APPLICATION.replace('"specification": "brokerage", "specification_version": "1"', about)
    # Without roles nobody says which it has.
    program = program.replace('settings["role"]', 'settings.get("role", "site")')
    (small / "application.py").write_text(program, encoding="utf-8")
    content = platform.format(build=COUNTING_BUILD, roles=list(roles))
    (small / "platform.toml").write_text(content, encoding="utf-8")
    return folder


def shop(folder: Path, **more: object) -> Subject:
    """Return the small platform with the shop, in a checkout written into the folder."""
    return find_subject(shop_checkout(folder, **more), "small", "shop")  # type: ignore[arg-type]


def specification(folder: Path, text: str, name: str = "shop") -> Specification:
    """Write a specification into a checkout and read it."""
    place = folder / "specs" / name
    place.mkdir(parents=True)
    (place / "spec.toml").write_text(text, encoding="utf-8")
    return read_specification(place)
