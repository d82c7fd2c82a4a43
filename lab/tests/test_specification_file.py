"""What is wrong in a `spec.toml` is refused with the place and with what was meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_shop import SHOP, specification

from middlemark.errors import InputError


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        (
            "[tiers.site.calls.stock]",
            "[tiers.site.calls.stok]",
            "tiers.site.calls.stok: 'stok' is not known. Did you mean 'stock'?",
        ),
        (
            'databases = ["goods"]',
            'databases = ["good"]',
            "tiers.stock.databases: 'good' is not known. Did you mean 'goods'?",
        ),
        ('files = ["pictures"]', 'files = ["sounds"]', "tiers.site.files: 'sounds' is not known. Known here: pictures"),
        ('mode = "calls"', 'mode = "call"', "tiers.site.calls: 'call' is not known. Did you mean 'calls'?"),
        (
            'stock = ["stock"]',
            'stock = ["shelf"]',
            "roles.carries.stock: 'shelf' is not known. Known here: books, printer",
        ),
        ('tiers = ["site"]', 'tiers = ["sites"]', "modes.calls.tiers: 'sites' is not known. Did you mean 'site'?"),
        (
            'tier = "stock"\ncontract = "openapi"',
            'tier = "stok"\ncontract = "openapi"',
            "interfaces.json.tier: 'stok' is not known.",
        ),
        ('pool = "MM_POOL"', 'pool = "MM_POL"', "databases.goods.pool: 'MM_POL' is not known. Did you mean 'MM_POOL'?"),
        (
            'pool = "MM_POOL"',
            'recovery = "MM_REST"',
            "databases.goods.recovery: 'MM_REST' is not known.",
        ),
        (
            'database = "money"',
            'database = "mony"',
            "unfinished.receipts.database: 'mony' is not known. Did you mean 'money'?",
        ),
        (
            "[effects",
            '[reverse_proxy]\nbefore = ["sit"]\n[effects',
            "reverse_proxy.before: 'sit' is not known. Did you mean 'site'?",
        ),
        (
            "[effects",
            '[reverse_proxy]\nbefore = ["books"]\nlisteners = ["grpc"]\n[effects',
            "reverse_proxy.listeners: 'grpc' is not known.",
        ),
        (
            "[effects",
            '[reverse_proxy]\nbefore = ["site"]\nonly_with = { receipts = ["print"] }\n[effects',
            "reverse_proxy.only_with.receipts: 'print' is not a value of receipts",
        ),
        ("[effects", '[cases]\nscale = "smal"\n[effects', "cases.scale: 'smal' is not known. Did you mean 'small'?"),
        (
            "when = { receipts",
            "when = { receipt",
            "tiers.printer.when.receipt: 'receipt' is not a mode. Did you mean 'receipts'?",
        ),
        (
            'receipts = ["printed"] }',
            'receipts = ["print"] }',
            "tiers.printer.when.receipts: 'print' is not a value of receipts",
        ),
        (
            'feature = "motto"',
            'feature = "moto"',
            "settings.MM_MOTTO.feature: 'moto' is not known. Did you mean 'motto'?",
        ),
        (
            "[effects",
            '[report.efficiency]\nname = "X"\nreference = { recipts = "none" }\n[effects',
            "report.efficiency.reference.recipts: 'recipts' is not known. Did you mean 'receipts'?",
        ),
        (
            "[effects",
            '[report.efficiency]\nname = "X"\nreference = { receipts = "non" }\n[effects',
            "report.efficiency.reference.receipts: 'non' is not a value of receipts. Did you mean 'none'?",
        ),
        (
            "[effects",
            '[[report.contrasts]]\nname = "X"\nupper = { receipts = "non" }\nlower = { receipts = "none" }\n[effects',
            "report.contrasts.0.upper.receipts: 'non' is not a value of receipts. Did you mean 'none'?",
        ),
        (
            "[effects",
            '[[report.contrasts]]\nname = "X"\nupper = { receipts = "none" }\nlower = { session = "a" }\n[effects',
            "report.contrasts.0.receipts: upper and lower both need a value of receipts",
        ),
        (
            "[effects",
            '[queues.jobs]\nconcurrency = "MM_POL"\nretry = "MM_POOL"\n[effects',
            "queues.jobs.concurrency: 'MM_POL' is not known. Did you mean 'MM_POOL'?",
        ),
        ('files = ["pictures"]', 'queues = ["jobs"]', "tiers.site.queues: 'jobs' is not known."),
        ("title", "tittle", "tittle: unknown key 'tittle'. Did you mean 'title'?"),
    ],
)
def test_an_unknown_name_is_refused_with_its_place_and_the_one_that_was_meant(
    tmp_path: Path, right: str, wrong: str, message: str
) -> None:
    assert right in SHOP
    with pytest.raises(InputError) as caught:
        specification(tmp_path, SHOP.replace(right, wrong))
    assert str(caught.value).startswith(f"{tmp_path}/specs/shop/spec.toml: {message}")


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("[tiers.printer]", "[tiers.driver]", "tiers.driver: 'driver' is a role beside the application"),
        ("entry = true\n", "", "tiers: expected one tier with `entry = true`, found 0"),
        (
            "[tiers.books]",
            "[tiers.books]\nentry = true",
            "tiers: expected one tier with `entry = true`, found 2",
        ),
        (
            "entry = true",
            'entry = true\nwhen = { receipts = ["printed"] }',
            "tiers.site.when: the entry is always there",
        ),
        (
            '{ http = "MM_PORT", tcp = "MM_BOOKS_PORT" }',
            '{ tcp = "MM_BOOKS_PORT" }',
            "tiers.books.listens: every tier listens on http, for /health and /about",
        ),
        (
            SHOP[SHOP.index("[roles]") : SHOP.index("[modes.calls]")],
            "",
            "tiers: several tiers need [roles], so that a process knows which it carries",
        ),
        (
            "[tiers.printer]",
            '[tiers.books.calls.site]\naddresses = { http = "MM_SITE" }\n[tiers.printer]',
            "tiers.site.calls.stock: site and stock call each other in a circle",
        ),
        (
            '{ tcp = "MM_BOOKS_ADDRESS" }',
            '{ grpc = "MM_BOOKS_ADDRESS" }',
            "tiers.stock.calls.books.addresses.grpc: books does not listen on grpc",
        ),
        (
            'values = ["inside", "json", "binary"]',
            'values = ["inside", "json", "soap"]',
            "tiers.site.calls.stock.mode: 'soap' is neither in_process nor an interface of stock",
        ),
        (
            'tier = "stock"\ncontract = "grpc"',
            'tier = "books"\ncontract = "grpc"',
            "interfaces.binary.protocol: books does not listen on grpc",
        ),
        (
            "[modes.store]",
            '[modes.receipts.only_with]\nlost = { calls = ["json"] }\n[modes.store]',
            "modes.receipts: 'lost' is not a value of the mode",
        ),
        (
            "[modes.store]",
            '[modes.receipts.only_with]\nnone = { calls = ["json"] }\n[modes.store]',
            "modes.receipts.only_with.none: the default exists with every value; put another one first",
        ),
        (
            "[modes.store]",
            '[modes.receipts.only_with]\nprinted = { calls = ["jsn"] }\n[modes.store]',
            "modes.receipts.only_with.printed.calls: 'jsn' is not a value of calls",
        ),
        (
            "[modes.store]",
            '[modes.receipts.only_with]\nprinted = { call = ["json"] }\n[modes.store]',
            "modes.receipts.only_with.printed.call: 'call' is not a mode. Did you mean 'calls'?",
        ),
        (
            "[modes.store]",
            '[modes.receipts.only_with]\nprinted = { receipts = ["none"] }\n[modes.store]',
            "modes.receipts.only_with.printed.receipts: a value depends on other modes, never on its own",
        ),
        ('variable = "MM_CALLS"\n', "", "modes.calls: expected exactly one of variable and in_requests, found none"),
        (
            'variable = "MM_CALLS"',
            'variable = "MM_CALLS"\nin_requests = true',
            "modes.calls: expected exactly one of variable and in_requests, found variable and in_requests",
        ),
        (
            'variable = "MM_STORE"',
            "in_requests = true",
            "modes.store.values: requests hold a value that the specification names; list them",
        ),
        (
            'variable = "MM_CALLS"',
            "in_requests = true",
            "modes.calls.tiers: no process is told of a value that stands in requests",
        ),
        (
            'variable = "MM_STORE"',
            'in_requests = true\nvalues = ["a b"]',
            "modes.store.values.0: 'a b' cannot stand in a path; use letters, digits, '-', '.', '_' and '~'",
        ),
        (
            'variable = "MM_RECEIPTS"',
            "in_requests = true",
            "tiers.printer.when.receipts: processes are the same for every receipts, since requests hold it: "
            "nothing depends on it here",
        ),
        (
            'variable = "MM_CALLS"\nvalues = ["inside", "json", "binary"]\ntiers = ["site"]',
            'in_requests = true\nvalues = ["inside", "json", "binary"]',
            "tiers.site.calls.stock.address: requests choose between grpc and http, and a caller needs the "
            "`addresses` of both",
        ),
        (
            "[modes.store]",
            "[modes.threads]",
            "modes.threads: 'threads' is a choice of experiments; call the mode otherwise",
        ),
        ("[modes.store]", "[modes.scale]", "modes.scale: 'scale' is a choice of experiments; call the mode otherwise"),
        (
            'why = "printing takes paper"',
            'why = "no"',
            "modes.receipts.never_ranked_together.0.why: expected at least 8 characters, found ",
        ),
        (
            'values = ["none", "printed"]\nwhy',
            'values = ["none", "sent"]\nwhy',
            "modes.receipts: 'sent' is not a value of the mode",
        ),
        ("default = 20", "default = 0", "settings.MM_POOL: expected 1 or more, found 0"),
        ("default = 20", "default = 91", "settings.MM_POOL: expected 90 or less, found 91"),
        ("default = 20", 'default = "many"', "settings.MM_POOL: expected a whole number, found 'many'"),
        ('in_cases = "green"', 'in_cases = "blue"', "settings.MM_COLOUR: expected red or green, found 'blue'"),
        ('type = "text"', 'type = "choice"', "settings.MM_MOTTO: a choice has values, and nothing else has"),
        (
            'type = "text"',
            'type = "text"\nvalues = ["a"]',
            "settings.MM_MOTTO: a choice has values, and nothing else has",
        ),
        ('"MM_MONEY_URL"', '"MM_GOODS_URL"', "databases.money: MM_GOODS_URL is the variable of databases.goods, too"),
        ('"MM_STORE"', '"MM_ROLE"', "modes.store: MM_ROLE is the variable of roles, too"),
        (
            "[settings.MM_MOTTO]",
            "[settings.MM_CALLS]",
            "settings.MM_CALLS: MM_CALLS is the variable of modes.calls, too",
        ),
        (
            'tcp = "MM_BOOKS_PORT"',
            'tcp = "MM_PORT"',
            "tiers.books.listens.tcp: MM_PORT is the variable of tiers.site.listens.http, too",
        ),
        (
            '"MM_BOOKS_ADDRESS"',
            '"MM_GOODS_URL"',
            "tiers.stock.calls.books: MM_GOODS_URL is the variable of databases.goods, too",
        ),
        (
            "[tiers.books]",
            '[tiers.stock.calls.printer]\naddresses = { http = "MM_BOOKS_ADDRESS" }\n[tiers.books]',
            "tiers.stock.calls.printer: MM_BOOKS_ADDRESS is the variable of tiers.stock.calls.books, too",
        ),
        (
            "[settings.MM_MOTTO]",
            "[settings.MM_HOST]",
            "settings.MM_HOST: MM_HOST is the variable of specs/README.md, too",
        ),
        (
            'http = "MM_PORT", tcp',
            'http = "MM_BOOKS_PAGES", tcp',
            "tiers: site and stock and books and printer listen on http by different variables; a process has one port",
        ),
        (
            'tcp = "MM_BOOKS_PORT" }',
            'tcp = "MM_BOOKS_PORT", grpc = "MM_BOOKS_GRPC" }',
            "roles.carries.everything: stock and books listen on grpc by different variables; a process has one port",
        ),
        (
            'mode = "calls"',
            'mode = "store"',
            "tiers.site.calls.stock.mode: 'store' has no values here: each platform names its own",
        ),
        (
            'address = "MM_STOCK_ADDRESS"\nmode = "calls"\n',
            'addresses = { grpc = "MM_STOCK_ADDRESS" }\n',
            "tiers.site.calls.stock.in_process: without `mode` nothing chooses when the call is one",
        ),
        (
            'mode = "calls"\n',
            "",
            "tiers.site.calls.stock.address: without `mode` nothing chooses an interface; name listeners",
        ),
        (
            'mode = "calls"\n',
            'mode = "calls"\naddresses = { grpc = "MM_STOCK_GRPC" }\n',
            "tiers.site.calls.stock: expected exactly one of address and addresses, found address and addresses",
        ),
        (
            'protocol = "grpc"',
            'protocol = "tcp"',
            "interfaces.binary.protocol: expected 'http' or 'grpc', found 'tcp'",
        ),
        (
            'in_process = ["inside"]',
            'in_process = ["inside", "outside"]',
            "tiers.site.calls.stock.in_process: 'outside' is not a value of calls",
        ),
        (
            "[unfinished",
            '[effects.receipt]\ntransactions = ["buy"]\nplural = "receipts"\n[unfinished',
            "effects.receipt: 'buy' is counted by purchase, too",
        ),
        ('pool = "MM_POOL"', 'pool = "MM_MOTTO"', "databases.goods.pool: MM_MOTTO is not an integer"),
        ('pool = "MM_POOL"', 'recovery = "MM_POOL"', "databases.goods.recovery: MM_POOL is not a number of seconds"),
        (
            'files = ["pictures"]\n',
            'files = ["pictures"]\nqueues = ["jobs"]\n[queues.jobs]\nconcurrency = "MM_POOL"\nretry = "MM_POOL"\n',
            "queues.jobs.retry: MM_POOL is not a number of seconds",
        ),
        (
            'databases = ["goods", "money"]',
            'databases = ["goods"]',
            "databases.money: no tier has 'money' among its dat",
        ),
        ('files = ["pictures"]\n', "", "files.pictures: no tier has 'pictures' among its files"),
        ("maximum = 90", "maximum = 0", "settings.MM_POOL: the minimum 1 is more than the maximum 0"),
        ('type = "text"', 'type = "text"\nmaximum = 7', "settings.MM_MOTTO: only a number has `minimum` and `maximum`"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(tmp_path: Path, right: str, wrong: str, message: str) -> None:
    assert right in SHOP
    with pytest.raises(InputError) as caught:
        specification(tmp_path, SHOP.replace(right, wrong))
    assert str(caught.value).startswith(f"{tmp_path}/specs/shop/spec.toml: {message}")
