"""Each database of a specification is one store, on a server of its own or on one that several share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_shop import ONE_TIER, SHOP, shop_checkout, specification

from middlemark.databases.database import Database, drop_database, exists
from middlemark.errors import InputError
from middlemark.load.stores import (
    drop_all,
    fingerprint_of,
    load_all,
    parse_urls,
    reset_all,
    server_names,
    servers_of,
    stores,
    urls_of,
)
from middlemark.processes.ending import Part, members
from middlemark.processes.watchdog import Watchdog, watchdog
from middlemark.specification.specification import Specification, read_specification
from middlemark.up.up import shown_url

ROWS = """
version = 1
[[generate]]
table = "items"
over = "items"
sql = "INSERT INTO items SELECT generate_series({first}, {last})"
"""
SHARED = SHOP.replace('folder = "goods"', 'folder = "goods"\nserver = "main"').replace(
    'folder = "money"', 'folder = "money"\nserver = "main"'
)


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watchdog]:
    with watchdog(tmp_path / "runtime") as running:
        yield running


def with_data_sets(spec: Specification) -> Specification:
    """Write a data set for each database: so many items as the scale says."""
    for name in spec.description.databases:
        folder = spec.database_folder(name)
        folder.mkdir()
        (folder / "schema.sql").write_text("CREATE TABLE items (item bigint)", encoding="utf-8")
        (folder / "keys.sql").write_text("ALTER TABLE items ADD PRIMARY KEY (item)", encoding="utf-8")
        (folder / "dataset.toml").write_text(ROWS, encoding="utf-8")
    return spec


@pytest.fixture
def shop(tmp_path: Path) -> Specification:
    return with_data_sets(specification(tmp_path, SHOP))


def test_databases_have_servers_of_their_own_unless_they_share_one(shop: Specification, tmp_path: Path) -> None:
    assert server_names(shop) == {"goods": "goods", "money": "money"}
    shared = specification(tmp_path, SHARED, "shared")
    assert server_names(shared) == {"goods": "main", "money": "main"}


@pytest.mark.long
def test_each_server_is_watched_by_its_name_and_leaves_a_log(
    shop: Specification, watching: Watchdog, tmp_path: Path
) -> None:
    logs = tmp_path / "logs"
    with stores(shop, {}, watching, logs) as these:
        assert {name: store.tier for name, store in these.items()} == {
            "goods": "database.goods",
            "money": "database.money",
        }
        servers = servers_of(these)
        assert set(servers) == {"database.goods", "database.money"}
        assert servers["database.goods"].port != servers["database.money"].port
        watched = {one.name: members(one) for one in watching.watched(Part.DATABASE)}
        assert set(watched) == {"PostgreSQL goods", "PostgreSQL money"}
        of_goods, of_money = ({entry.pid for entry in entries} for entries in watched.values())
        assert of_goods.isdisjoint(of_money)
        assert load_all(these, shop.datasets("small")) == 20
        reset_all(these)
        with these["money"].connected() as connection:
            assert connection.execute("SELECT count(*) FROM items").fetchone() == (10,)
    assert {log.name for log in logs.iterdir()} == {"database.goods.log", "database.money.log"}


def test_what_is_done_to_one_database_leaves_the_others_alone(
    shop: Specification, watching: Watchdog, tmp_path: Path, database_cluster: Database
) -> None:
    own = dict.fromkeys(("goods", "money"), database_cluster.url("postgres"))
    with stores(shop, own, watching, tmp_path) as these:
        load_all(these, shop.datasets("small"))
        reset_all(these)
        before = fingerprint_of(these)
        assert len(set(urls_of(these).values())) == 2
        with these["goods"].connected() as goods, these["money"].connected() as money:
            goods.execute("DELETE FROM items")
            assert money.execute("SELECT count(*) FROM items").fetchone() == (10,)
        these["goods"].reset()
        with these["goods"].connected() as goods:
            assert goods.execute("SELECT count(*) FROM items").fetchone() == (10,)
        assert fingerprint_of(these) == before
        assert [part.split()[0] for part in before.split(", ")] == ["goods", "money"]
        names = [name for store in these.values() for name in (store.database, store.template)]
        assert all(exists(database_cluster, name) for name in names)
        drop_all(these)
    assert not any(exists(database_cluster, name) for name in names)


def test_databases_that_share_a_server_are_on_the_one_whose_url_is_given(
    watching: Watchdog, tmp_path: Path, database_cluster: Database
) -> None:
    shared = specification(tmp_path, SHARED, "shared")
    with stores(shared, {"money": database_cluster.url("postgres")}, watching, tmp_path) as these:
        assert {store.tier for store in these.values()} == {"database"}
        assert {store.server.port for store in these.values()} == {database_cluster.port}
        assert these["goods"].database != these["money"].database
        assert all(store.is_users for store in these.values())
        assert not any(database_cluster.password in shown_url(store) for store in these.values())


def test_one_server_has_one_url(watching: Watchdog, tmp_path: Path) -> None:
    shared = specification(tmp_path, SHARED, "shared")
    urls = {"goods": "postgresql://me@here/x", "money": "postgresql://me@there/x"}
    with (
        pytest.raises(
            InputError, match=r"--database: the databases of the server 'main' have different URLs\. Give the"
        ),
        stores(shared, urls, watching, tmp_path),
    ):
        pass


def test_names_that_postgresql_would_cut_off_are_refused(
    watching: Watchdog, tmp_path: Path, database_cluster: Database
) -> None:
    long = SHOP.replace("goods", f"goods-{'x' * 40}")
    spec = with_data_sets(specification(tmp_path, long))
    own = dict.fromkeys(spec.description.databases, database_cluster.url("postgres"))
    with (
        pytest.raises(InputError, match=r"has \d\d bytes, and PostgreSQL takes 63\. Shorten the names of the database"),
        stores(spec, own, watching, tmp_path) as these,
    ):
        load_all(these, spec.datasets("small"))


def test_a_specification_without_databases_has_no_stores(watching: Watchdog, tmp_path: Path) -> None:
    site = specification(tmp_path, ONE_TIER, "site")
    with stores(site, {}, watching, tmp_path) as these:
        assert these == {}
        assert load_all(these, site.datasets(None)) == 0
        assert fingerprint_of(these) == ""
    with (
        pytest.raises(InputError, match="site has no database 'goods'"),
        stores(site, {"goods": ""}, watching, tmp_path),
    ):
        pass


def test_a_url_belongs_to_the_database_that_is_named_or_to_the_only_one(shop: Specification) -> None:
    here, there = "postgresql://me:p=w@here/x", "postgresql://me@there/x"
    assert parse_urls(shop, (f"goods={here}", f"money={there}")) == {"goods": here, "money": there}
    assert parse_urls(shop, (f"money={there}",)) == {"money": there}
    brokerage = read_specification(Path(__file__).parents[2] / "specs" / "brokerage")
    assert parse_urls(brokerage, (here,)) == parse_urls(brokerage, (f"brokerage={here}",)) == {"brokerage": here}


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("postgresql://me@here/x",), r"shop has 2 databases\. Name one of goods, money"),
        (("stock=postgresql://me@here/x",), r"shop has no database 'stock'\. Name one of goods, money"),
        (("goods=postgresql://me@a/x", "goods=postgresql://me@b/x"), "--database: the database 'goods' is given twice"),
    ],
)
def test_a_url_of_no_database_or_of_one_twice_is_refused(
    shop: Specification, texts: tuple[str, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        parse_urls(shop, texts)


def load(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "middlemark", "load", "shop", *words]
    return subprocess.run(command, cwd=home, capture_output=True, text=True, check=False)


def test_every_database_is_loaded_and_proven(tmp_path: Path, database_cluster: Database) -> None:
    home = shop_checkout(tmp_path / "home")
    with_data_sets(read_specification(home / "specs" / "shop"))
    own = database_cluster.url("postgres")

    done = load(home, "--scale", "small", "--database", f"goods={own}", "--database", f"money={own}")

    assert done.returncode == 0, done.stderr
    for name in ("goods", "money"):
        assert f"Loaded 10 rows of {name} at scale small" in done.stdout
        assert f"Stays as database middlemark_shop_{name}_small; " in done.stdout
        drop_database(database_cluster, f"middlemark_shop_{name}_small")


def test_a_specification_without_databases_says_that_there_is_nothing_to_load(tmp_path: Path) -> None:
    done = load(shop_checkout(tmp_path, specification=ONE_TIER))
    assert (done.returncode, done.stdout, done.stderr) == (0, "shop has no database: nothing to load.\n", "")
