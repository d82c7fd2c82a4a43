"""A session file is read as it stands, and every mistake in it is one message with file, line and what to do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.new.session import write_new_session
from middlemark.schemas import schema_of
from middlemark.specification.specification import find_specification
from middlemark.workload.plan import FileBody, PlanStep
from middlemark.workload.plan_parts import plan_parts
from middlemark.workload.session import Session, read_session

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "reference"
NUMBERS = {"accounts": 50, "quotes": 100}

GOOD = """\
name: shop
think: {constant: 1s}
feeds:
  user: {range: [0, accounts], format: "uid:{}", per: iteration}
  item: {range: [0, 6]}
  items: {pick: 3, distinct: true, from: item}
  new: {unique: "{run}-{user}-{iteration}"}
steps:
  - id: look
    get: /look?items=${items}
    expect: {status: 200, marker: "$${hello} ${user}", path: /look}
    capture:
      token: {regex: 'token=(\\w+)'}
      place: {header: Location}
  - id: order
    transaction: buy
    post: /order
    form: {token: "${token}"}
    headers: {X-Place: "${place}"}
    think: {uniform: [100ms, 2s]}
    identify: [user, token]
"""

# What is replaced in GOOD, by what, the line of the message, and what it says.
WRONG = [
    ("name: shop", "nmae: shop", 1, "unknown key 'nmae'. Did you mean 'name'?"),
    ("name: shop\n", "", 1, "the key 'name' is missing"),
    ("name: shop", "name: my shop", 1, "neither blanks nor commas"),
    ("name: shop", "name: shop\nname: other", 2, "the key 'name' stands here a second time"),
    ("name: shop", "name: [shop", 2, "expected ',' or ']'"),
    ("{constant: 1s}", "{constant: 1}", 2, "think.constant: '1' is not a duration; write a number with its unit"),
    (
        "name: shop",
        "name: shop\ncounts: {unit: order, transactions: [look, bye]}",
        2,
        "no step is the transaction 'bye'. Did you mean 'buy'?",
    ),
    ("{constant: 1s}", "{constant: 1 s}", 2, "'1 s' is not a duration"),
    ("{constant: 1s}", "{constant: -1s}", 2, "'-1s' is not a duration"),
    ("{constant: 1s}", "{fixed: 1s}", 2, "unknown key 'fixed'. Known here: constant, exponential, uniform"),
    ("{constant: 1s}", "{}", 2, "expected exactly one of constant, uniform and exponential, found none of them"),
    ("{constant: 1s}", "{constant: 1s, exponential: 1s}", 2, "found constant and exponential"),
    ("[100ms, 2s]", "[2s, 100ms]", 20, "2s is longer than 100ms; the shortest comes first"),
    ("[0, accounts]", "[0, acounts]", 4, "no number is called 'acounts'. Did you mean 'accounts'?"),
    ("[0, accounts]", "[50, accounts]", 4, "[50, 50] holds no number"),
    ('"uid:{}"', '"uid:"', 4, "'uid:' must hold {} once"),
    ("per: iteration", "per: user", 4, "feeds.user.per"),
    ("user: {range: [0, accounts], format", "us er: {range: [0, accounts], format", 4, "'us er' is not a name"),
    ("{range: [0, 6]}", "{}", 5, "expected exactly one of range, pick, unique and list, found none of them"),
    (
        "{range: [0, 6]}",
        "{range: [0, 6], own: true}",
        6,
        "the numbers of 'item' are each user's own; pick from another",
    ),
    ("{pick: 3,", "{own: true, pick: 3,", 6, "belongs to a feed with range; this one has pick"),
    ("{range: [0, 6]}", "{range: [0, 6], distinct: true}", 5, "belongs to a feed with pick; this one has range"),
    ("pick: 3", "pick: 7", 6, "7 different values of 'item', which has only 6"),
    ("pick: 3", "pick: 0", 6, "feeds.items.pick"),
    ("from: item}", "from: itme}", 6, "no feed is called 'itme'. Did you mean 'item'?"),
    ("from: item}", "from: new}", 6, "'new' is not a feed with a range"),
    (", from: item}", "}", 6, "a pick needs `from`"),
    ("{run}-{user}-{iteration}", "{run}-{user}", 7, "must hold {iteration} once"),
    ("{run}-{user}-{iteration}", "{run}-{usr}-{iteration}", 7, "'{usr}' is unknown"),
    ("{run}-{user}-{iteration}", "{run}-{user}{iteration}", 7, "needs a text that is not a number between its names"),
    ("get: /look?items", "get: look?items", 10, "it starts with /"),
    ("get: /look?items", "get: /lo ok?items", 10, "no blank"),
    ("${items}", "${itms}", 10, "'itms' is neither a feed nor captured by an earlier step. Did you mean 'items'?"),
    ("${items}", "${items", 10, "for a plain ${ write $${"),
    ("${items}", "${}", 10, "'${}' is not a name"),
    ("status: 200", "status: 303", 11, "303 is followed, never seen"),
    ("status: 200", "status: 99", 11, "steps.0.expect.status"),
    ("$${hello} ${user}", "${usr}", 11, "steps.0.expect.marker: 'usr' is neither"),
    ("path: /look}", "path: '/look/${usr}'}", 11, "steps.0.expect.path: 'usr' is neither"),
    ("'token=(\\w+)'", "'token=(\\w+'", 13, "is not a regular expression: missing )"),
    ("'token=(\\w+)'", "'token=\\w+'", 13, "needs a group ( )"),
    ("'token=(\\w+)'", "'token=(?=x)(\\w+)'", 13, "looks around or back"),
    ("{header: Location}", "{header: Lo cation}", 14, "'Lo cation' is not a header name"),
    ("{header: Location}", "{json: order/id}", 14, "it starts with /"),
    ("{header: Location}", "{between: ['a', '']}", 14, "neither text may be empty"),
    (
        "{header: Location}",
        "{header: A, json: /a}",
        14,
        "header and cookie, found json and header",
    ),
    ("      place:", "      user:", 14, "'user' is already a feed"),
    ("id: order", "id: look", 15, "another step is already called 'look'"),
    ("post: /order\n", "\n", 15, "exactly one of get, head, post, put, patch and delete, found none of them"),
    ("post: /order", "post: /order\n    get: /order", 15, "found get and post"),
    ("post: /order", "get: /order", 18, "a get has no form; use post"),
    ("transaction: buy", "transaction: buy\n    body: x", 17, "a post has a form or a body, not both"),
    ('{token: "${token}"}', "{token: 5}", 18, "steps.1.form.token: expected text, found 5; put it between quotes"),
    ("${token}", "${tokn}", 18, "steps.1.form.token: 'tokn' is neither"),
    ('form: {token: "${token}"}', 'body: "${x}"', 18, "steps.1.body: 'x' is neither"),
    ("${place}", "${plac}", 19, "steps.1.headers.X-Place: 'plac' is neither"),
    ("X-Place", "Cookie", 19, "'Cookie' is set by the driver itself"),
    ("X-Place", "X Place", 19, "'X Place' is not a header name"),
    ("[user, token]", "[user, tokn]", 21, "'tokn' is neither a feed nor captured"),
    ("identify:", "probability: 1.5\n    identify:", 21, "steps.1.probability"),
    ("identify:", "repeat: 0\n    identify:", 21, "steps.1.repeat"),
    ("id: look", "id: look\n    probability: 0.5", 19, "'token' may have no value: step 'look', which captures it"),
]

MIXED = """\
name: visitors
think: {constant: 1s}
pacing: {uniform: [5s, 9s]}
sub_resources: {connections: 4, cache: per-user}
authentication: {basic: ["${user}", "secret"]}
feeds:
  user: {range: [0, 50]}
mix:
  - name: browse
    weight: 3
    steps:
      - id: look
        get: /
        abandon: 0.25
        capture: {token: {header: X-Token}}
      - group:
          - {id: more, get: "/more?${token}", capture: {number: {header: X-Number}}}
          - group:
              - {id: deep, head: "/deep?${number}"}
            repeat: 2
        probability: 0.5
        repeat: 3
      - id: end
        post: /end
        authentication: {bearer: "${token}"}
  - name: buy
    think: {constant: 2s}
    steps:
      - {id: order, post: /order}
"""

WRONG_MIXED = [
    ("mix:", "steps:\n  - {id: a, get: /}\nmix:", 1, "expected exactly one of steps and mix, found steps and mix"),
    ("  - name: buy", "  - name: browse", 26, "mix.1.name: another session is already called 'browse'"),
    ("weight: 3", "weight: 0", 10, "mix.0.weight: expected more than 0, found 0"),
    ("id: order", "id: look", 29, "mix.1.steps.0.id: another step is already called 'look'"),
    ("id: deep", "id: look", 19, "mix.0.steps.1.group.1.group.0.id: another step is already called 'look'"),
    ("post: /order", 'post: "/order?${token}"', 29, "'token' is neither a feed nor captured by an earlier step"),
    ("post: /end", 'post: "/end?${number}"', 24, "beginning with step 'more') can be left out"),
    ("probability: 0.5", "probabilty: 0.5", 21, "unknown key 'probabilty'. Did you mean 'probability'?"),
    ("probability: 0.5", "get: /", 21, "unknown key 'get'. Known here: cycle, group, probability, repeat"),
    ("    repeat: 2", "    repeat: 0", 20, "mix.0.steps.1.group.1.repeat: expected 1 or more, found 0"),
    ("{id: order, post: /order}", "{id: order, post: /order, probability: 0}", 28, "no step ever runs"),
    ("abandon: 0.25", "abandon: 2", 14, "mix.0.steps.0.abandon: expected 1 or less, found 2"),
    ("abandon: 0.25", "abandon: often", 14, "mix.0.steps.0.abandon"),
    (
        "cache: per-user",
        "cache: always",
        4,
        "sub_resources.cache: expected 'none', 'per-user' or 'per-iteration', found ",
    ),
    (", cache: per-user", "", 4, "the key 'cache' is missing (at sub_resources.cache)"),
    ("connections: 4", "connections: 7", 4, "sub_resources.connections: expected 6 or less, found 7"),
    ("uniform: [5s, 9s]", "uniform: [9s, 5s]", 3, "9s is longer than 5s"),
    ('"${user}", "secret"', '"${usr}", "secret"', 5, "authentication.basic.0: 'usr' is neither"),
    ('"${user}", "secret"', '"a:b", "secret"', 5, "a user's name holds no colon"),
    ('{basic: ["${user}", "secret"]}', "{}", 5, "expected exactly one of basic and bearer, found none of them"),
    ("post: /end", "post: /end\n        headers: {authorization: x}", 26, "hold Authorization already; leave one"),
    (
        'head: "/deep?${number}"',
        "head: /, expect: {marker: x}",
        19,
        "the response to a head has no body in which to look",
    ),
    ('head: "/deep?${number}"', "head: /, capture: {a: {regex: (x)}}", 19, "has headers only; use get"),
    ('head: "/deep?${number}"', "head: /, form: {a: b}", 19, "a head has no form; use post"),
]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return tmp_path / "session.yaml"


def test_a_step_may_have_any_method_and_send_a_file(tmp_path: Path) -> None:
    path = tmp_path / "files.yaml"
    path.write_text(
        "name: files\nthink: {constant: 1s}\nsteps:\n  - {id: up, put: /a, body_file: up.bin}\n"
        "  - {id: change, patch: /a, body: x}\n  - {id: away, delete: /a}\n",
        encoding="utf-8",
    )
    session = read_session(path, {})
    assert [(step.method, step.path) for step in session.every_step] == [
        ("PUT", "/a"),
        ("PATCH", "/a"),
        ("DELETE", "/a"),
    ]
    with pytest.raises(InputError, match="step 'up' sends a file that does not exist"):
        plan_parts(session.steps or (), session.folder, own_thinks=True)
    (tmp_path / "up.bin").write_bytes(b"\xff")
    up, change, away = plan_parts(session.steps or (), session.folder, own_thinks=True)
    assert isinstance(up, PlanStep)
    assert isinstance(change, PlanStep)
    assert isinstance(away, PlanStep)
    assert [step.body for step in (up, change, away)] == [FileBody(file=str(tmp_path / "up.bin")), "x", None]


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("get: /, body_file: x", "a get has no body"),
        ("put: /, body: x, body_file: x", "one of form, body and body_file"),
        ("put: /, post: /", "found post and put"),
        ("delete: /, body: x, form: {a: b}", "a delete has a form or a body, not both"),
    ],
)
def test_a_step_with_two_bodies_or_methods_is_refused(tmp_path: Path, step: str, message: str) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(f"name: wrong\nthink: {{constant: 1s}}\nsteps:\n  - {{id: a, {step}}}\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_session(path, {})


def test_a_step_may_expect_several_texts(tmp_path: Path) -> None:
    path = tmp_path / "several.yaml"
    path.write_text(
        "name: several\nthink: {constant: 1s}\nfeeds: {n: {range: [0, 9]}}\n"
        'steps:\n  - {id: one, get: /, expect: {marker: ["<h1>", "n=${n}"]}}\n'
        "  - {id: two, get: /, expect: {marker: x}}\n",
        encoding="utf-8",
    )
    session = read_session(path, {})
    assert [step.expect.markers for step in session.every_step] == [("<h1>", "n=${n}"), ("x",)]
    path.write_text(path.read_text(encoding="utf-8").replace("${n}", "${m}"), encoding="utf-8")
    with pytest.raises(InputError, match=r"'m' is neither"):
        read_session(path, {})


def test_a_session_is_read_as_it_is_written(written: Path) -> None:
    written.write_text(GOOD, encoding="utf-8")
    session = read_session(written, NUMBERS)
    look, order = session.every_step
    assert (look.transaction, look.method, look.path) == ("look", "GET", "/look?items=${items}")
    assert (order.transaction, order.method, order.identify) == ("buy", "POST", ("user", "token"))
    assert session.think.mean_s == 1
    assert order.think is not None
    assert order.think.mean_s == 1.05
    assert session.feeds["items"].source == "item"


@pytest.mark.parametrize(("old", "new", "line", "message"), WRONG, ids=[f"{case[1]!r}" for case in WRONG])
def test_a_mistake_is_one_message_with_its_line(written: Path, old: str, new: str, line: int, message: str) -> None:
    assert GOOD.count(old) >= 1
    assert_refused(written, GOOD.replace(old, new, 1), line, message)


def assert_refused(written: Path, text: str, line: int, message: str) -> None:
    written.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_session(written, NUMBERS)
    text = str(caught.value)
    assert message in text
    assert text.startswith(f"{written}:{line}: ")
    assert "\n" not in text


@pytest.mark.parametrize(("old", "new", "line", "message"), WRONG_MIXED, ids=[f"{case[1]!r}" for case in WRONG_MIXED])
def test_a_mistake_in_a_mix_is_one_message_with_its_line(
    written: Path, old: str, new: str, line: int, message: str
) -> None:
    assert MIXED.count(old) == 1
    assert_refused(written, MIXED.replace(old, new), line, message)


def test_a_number_without_a_value_is_named(written: Path) -> None:
    written.write_text(GOOD, encoding="utf-8")
    with pytest.raises(InputError, match=r"session.yaml:4: .*Add --number accounts=N"):
        read_session(written, {})


def test_a_session_whose_steps_are_all_left_out_is_refused(written: Path) -> None:
    written.write_text(
        "name: a\nthink: {constant: 1s}\nsteps:\n  - {id: a, get: /, probability: 0}\n", encoding="utf-8"
    )
    with pytest.raises(InputError, match=r"session.yaml:3: .*no step ever runs"):
        read_session(written, {})


def test_an_empty_file_and_a_missing_file_are_named(written: Path) -> None:
    with pytest.raises(InputError, match=r"session.yaml: cannot read this file \(No such file"):
        read_session(written, {})
    written.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"session.yaml: expected keys with their values, found nothing"):
        read_session(written, {})
    written.write_text("name: a\nthink: 1s\nsteps: []\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"session.yaml:2: think: expected keys with their values, found '1s'"):
        read_session(written, {})


@pytest.mark.parametrize("path", sorted(ROOT.glob("specs/*/sessions/*.yaml")), ids=lambda path: path.name)
def test_every_session_of_the_specifications_is_valid(path: Path) -> None:
    description = find_specification(path.parents[1].name, ROOT).description
    numbers = next(iter(description.scales.values())) if description.scales else {}
    session = read_session(path, numbers, description.carried_modes)
    assert session.name == path.stem


def test_the_example_of_the_documentation_is_valid(written: Path) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", (DOCS / "sessions.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        written.write_text(block, encoding="utf-8")
        read_session(written, {"items": 500})


def test_every_key_stands_in_the_documentation() -> None:
    text = (DOCS / "sessions.md").read_text(encoding="utf-8")
    schema = json.loads(schema_of("session"))
    keys = {key for model in (schema, *schema["$defs"].values()) for key in model.get("properties", {})}
    assert {key for key in keys if f"`{key}" not in text and f"{key}:" not in text} == set()


def test_a_mix_is_read_as_it_is_written(written: Path) -> None:
    written.write_text(MIXED, encoding="utf-8")
    session = read_session(written, {})
    assert [step.id for step in session.every_step] == ["look", "more", "deep", "end", "order"]
    assert [(script.name, script.weight) for _, script in session.scripts] == [("browse", 3), ("buy", 1)]


def test_the_schema_accepts_what_is_right_and_refuses_unknown_keys() -> None:
    schema = json.loads(schema_of("session"))
    jsonschema.validate(yaml.safe_load(MIXED), schema, cls=jsonschema.Draft202012Validator)
    good = yaml.safe_load(GOOD)
    jsonschema.validate(good, schema, cls=jsonschema.Draft202012Validator)
    for wrong in ({**good, "stpes": []}, {**good, "think": {"constant": "1"}}, {**good, "steps": [{"id": "a"}]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema, cls=jsonschema.Draft202012Validator)


def test_a_new_session_is_valid_also_with_its_comments_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = write_new_session("shop")
    assert read_session(path, {}).name == "shop"
    opened = re.sub(
        r"^( *)# (?=( *)[a-z_]+:|- id|  [a-z])", r"\1", path.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    path.write_text(opened, encoding="utf-8")
    session = read_session(path, {"users": 5})
    assert {"user", "new_user", "items"} <= session.feeds.keys()
    assert [step.id for step in session.every_step] == ["start", "look", "send"]
    assert session.every_step[1].capture
    assert session.every_step[1].repeat == 3


def test_a_new_session_never_overwrites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.yaml").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="is there already and is not overwritten"):
        write_new_session("shop")
    assert (tmp_path / "shop.yaml").read_text(encoding="utf-8") == "mine"
    with pytest.raises(InputError, match="is not a name"):
        write_new_session("../shop")


@pytest.mark.parametrize(
    ("text", "ms", "again"),
    [("200ms", 200, "200ms"), ("1.5s", 1500, "1.5s"), ("60s", 60_000, "1m"), ("2h", 7_200_000, "2h"), ("0s", 0, "0ms")],
)
def test_durations_are_read_and_written(text: str, ms: float, again: str) -> None:
    duration = Duration.parse(text)
    assert duration.ms == ms
    assert str(duration) == again
    assert Duration.parse(again) == duration
    assert Session.model_validate(
        {"name": "a", "think": {"constant": text}, "steps": [{"id": "a", "get": "/"}]}
    ).think.constant == Duration(ms)
