"""A database URL is libpq's, with all of its syntax; a password in it is shown nowhere."""

from __future__ import annotations

import pytest

from middlemark.databases.database_url import parameters_of, url_of, without_password, word_without_password
from middlemark.databases.users_own import database_at
from middlemark.errors import InputError

SECRET = "se/cr@t"  # noqa: S105 (made for this test)


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("postgresql://me@db:5433/shop?sslmode=require", {"host": "db", "port": "5433", "sslmode": "require"}),
        ("postgres://me@db/shop?options=-c%20jit%3Doff", {"options": "-c jit=off"}),
        ("postgresql://me@/shop?host=/var/run/postgresql", {"host": "/var/run/postgresql"}),
        ("postgresql://me@%2Fvar%2Frun%2Fpostgresql:5433/shop", {"host": "/var/run/postgresql", "port": "5433"}),
        ("postgresql:///shop", {"dbname": "shop"}),
        ("postgresql://", {}),
        ("postgresql://me@one:1,two:2/shop", {"host": "one,two", "port": "1,2"}),
        ("postgresql://m%40e:p#?:w@db/shop", {"user": "m@e", "password": "p#?:w"}),
        ("postgresql://me:100%25@[fe80::1%25eth0]:1/shop", {"password": "100%", "host": "fe80::1%eth0"}),
        ("service=shop", {"service": "shop"}),
        ("host=/run/pg user='a b' password='it\\'s'", {"host": "/run/pg", "user": "a b", "password": "it's"}),
    ],
)
def test_the_syntax_of_libpq_is_read(url: str, wanted: dict[str, str]) -> None:
    found = parameters_of(url)
    assert {name: found.get(name) for name in wanted} == wanted
    assert parameters_of(url_of(found) if found else url) == found


def test_without_a_name_the_database_is_postgres_unless_a_service_has_one() -> None:
    assert database_at("postgresql://me@db").maintenance == "postgres"
    assert database_at("service=shop").maintenance == ""


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "this is not a database URL"),
        ("mysql://me@localhost/x", "this is not a database URL"),
        ("localhost:5432", "this is not a database URL"),
        ("postgresql://me@db/x?sslmod=require", "this is not a database URL"),
        (f"postgresql://me:{SECRET}@db/x", "the port of the database URL is not a number"),
        ("postgresql://me:p@ss@db/x", "the host of the database URL has an @ in it. Write %40"),
        ("postgresql://me@db:0/x", "the port of the database URL is not a number from 1 to 65535"),
        ("postgresql://me:p%zz@db/x", "this is not a database URL"),
        ("host=db password=two words", "this is not a database URL"),
    ],
)
def test_what_is_refused_repeats_nothing_of_the_url(url: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parameters_of(url)
    assert str(caught.value).startswith(message)
    assert "postgresql://user:password@host:port/name" in str(caught.value)
    assert not any(part in str(caught.value) for part in (SECRET, "cr@t", "ss@db", "p%zz", "two words"))


def test_the_files_of_a_url_are_where_it_was_written(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.chdir(str(tmp_path))
    found = parameters_of("postgresql://db/x?sslrootcert=root.crt&sslcert=/etc/me.crt")
    assert (found["sslrootcert"], found["sslcert"]) == (f"{tmp_path}/root.crt", "/etc/me.crt")
    assert parameters_of("postgresql://db/x?sslrootcert=system")["sslrootcert"] == "system"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:secret@db:1/x?sslmode=require", "postgresql://me@db:1/x?sslmode=require"),
        ("postgresql://me@db:1/x?password=secret", "postgresql://me@db:1/x"),
        ("host=/run/pg user=me password=secret dbname=x", "postgresql://me@/x?host=%2Frun%2Fpg"),
        ("postgresql://me:se#cret@db/x", "postgresql://me@db/x"),
        ("postgresql://me:secret@one,two/x?sslpassword=secret", "postgresql://me@/x?host=one%2Ctwo&port=%2C"),
        ("postgresql://me:secret%zz@db/x", "postgresql://db/x"),
        ("amqp://me:secret@queue:1/x?a=b", "amqp://me@queue:1/x?a=b"),
        ("http://127.0.0.1:80", "http://127.0.0.1:80"),
    ],
)
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    assert without_password(url) == shown


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("--database=goods=postgresql://me:secret@db/x?sslmode=require", "--database=goods=postgresql://me@db/x?sslmode=require"),
        ("--database=host=db password=secret", "--database=postgresql://db/"),
        ("goods=host=db password='a secret'", "goods=postgresql://db/"),
        ("user=postgresql://me:secret@db/x", "user=postgresql://me@db/x"),
        ("--set=scale=tiny", "--set=scale=tiny"),
        ("port=80", "port=80"),
    ],
)  # fmt: skip
def test_a_word_of_a_command_is_kept_without_the_password_in_it(word: str, shown: str) -> None:
    assert word_without_password(word) == shown
