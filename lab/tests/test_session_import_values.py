"""Values in a recording: which become captures, and that each capture finds in the recorded page what was sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_recording import Recording

from middlemark.session.importing import ImportedSession, ImportRequest, import_recording
from middlemark.session.place import value_at
from middlemark.workload.step import Capture

DRAWN = "9f3a7c1e5b2d4860"


def imported(folder: Path, recording: Recording, feeds: str | None = None) -> ImportedSession:
    """Import a recording, with the feeds of a session file of these lines."""
    known = None
    if feeds is not None:
        known = folder / "feeds.yaml"
        known.write_text(f"name: known\nthink: {{constant: 1s}}\nfeeds:\n{feeds}steps: [{{id: a, get: /}}]\n", "utf-8")
    return import_recording(ImportRequest(recording.write(folder / "made.har"), folder / "made.yaml", known))


def form(action: str, fields: str) -> str:
    return f'<form method="post" action="{action}">{fields}<button>Go</button></form>'


@pytest.mark.parametrize(
    "tag",
    [
        f'<input type="hidden" name="token" value="{DRAWN}">',
        f"<input type='hidden' name='token' value='{DRAWN}'>",
        f'<input value="{DRAWN}" type="hidden" name="token">',
        f'<input name="token" id="t-4711" value="{DRAWN}">',
        f'<INPUT TYPE="hidden" NAME="token"\n VALUE="{DRAWN}"/>',
        f'<button name="token" value="{DRAWN}">Go</button>',
        f'<textarea name="token">{DRAWN}</textarea>',
    ],
)
def test_a_value_is_captured_however_its_tag_is_written(tmp_path: Path, tag: str) -> None:
    page = form("/other", '<input name="q" value="x1">') + form("/order", tag)
    made = Recording().get("/", page).post("/order", {"token": DRAWN})
    first, order = imported(tmp_path, made).session.every_step
    assert order.form == {"token": "${token}"}
    assert value_at(first.capture["token"], page) == DRAWN
    # The next time there is another token, and another number in what has one.
    assert value_at(first.capture["token"], page.replace(DRAWN, "other1").replace("4711", "12")) == "other1"


def test_of_two_forms_the_one_that_was_sent_gives_the_value(tmp_path: Path) -> None:
    page = form("/search", '<input type="hidden" name="token" value="s1">') + form(
        "/order/17", '<input type="hidden" name="token" value="o2">'
    )
    made = Recording().get("/", page).post("/order/17", {"token": "o2"})
    session = imported(tmp_path, made).session
    capture = session.every_step[0].capture
    assert session.every_step[1].path == "/order/${order-id}"
    assert value_at(capture["order-id"], page) == "17"
    assert value_at(capture["token"], page.replace("17", "3").replace("o2", "o9")) == "o9"


def test_of_a_list_of_equal_forms_a_user_takes_the_first_with_a_note(tmp_path: Path) -> None:
    rows = "".join(form("/sell", f'<input type="hidden" name="holding" value="{n}">') for n in (21, 22, 23))
    made = imported(tmp_path, Recording().get("/", rows).post("/sell", {"holding": "23"}))
    assert value_at(made.session.every_step[0].capture["holding"], rows) == "21"
    assert made.findings.notes[-1] == (
        "`holding`: the page of step 1 gives 3 values of this kind; the recording has 23, "
        "a virtual user takes the first"
    )


def test_a_new_token_in_every_page_is_captured_from_the_newest(tmp_path: Path) -> None:
    pages = [form("/next", f'<input type="hidden" name="token" value="t{n}">') for n in range(4)]
    made = Recording().get("/", pages[0])
    for number in range(1, 4):
        made.post("/next", {"token": f"t{number - 1}"}, pages[number])
    steps = imported(tmp_path, made).session.every_step
    assert [step.form for step in steps[1:]] == [{"token": "${token}"}] * 3
    assert [list(step.capture) for step in steps] == [["token"], ["token"], ["token"], []]


def test_two_values_of_one_name_that_are_needed_at_once_have_two_names(tmp_path: Path) -> None:
    one, two = (form("/end", f'<input type="hidden" name="{n}" value="t{n}1">') for n in ("a", "b"))
    old = form("/later", '<input type="hidden" name="token" value="old1">')
    new = form("/soon", '<input type="hidden" name="token" value="new2">')
    made = Recording().get("/", old).get("/x", new + one + two)
    made.post("/soon", {"token": "new2"}).post("/later", {"token": "old1"})
    steps = imported(tmp_path, made).session.every_step
    assert steps[2].form == {"token": "${token}"}
    assert steps[3].form == {"token": "${token-2}"}
    assert list(steps[0].capture) == ["token-2"]


def test_an_id_in_a_link_is_captured_for_path_and_query(tmp_path: Path) -> None:
    page = '<a href="/">All</a> <a href="/items/17/details?lang=en&colour=c5">Seventeen</a>'
    made = Recording().get("/", page).get("/items/17/details?lang=en&colour=c5", "<h1>Item 17</h1>")
    first, item = imported(tmp_path, made).session.every_step
    assert item.path == "/items/${items-id}/details?lang=en&colour=${colour}"
    assert item.expect.path == "/items/${items-id}/details"
    other = page.replace("17", "4").replace("c5", "c77")
    assert {name: value_at(capture, other) for name, capture in first.capture.items()} == {
        "items-id": "4",
        "colour": "c77",
    }
    assert item.id == "items-details"
    assert item.expect.marker == "<h1>Item "


def test_what_a_page_filled_in_and_the_person_left_is_sent_back_as_the_page_has_it(tmp_path: Path) -> None:
    fields = '<input name="full_name" value="Customer Seven"><input name="quantity" value="100">'
    made = Recording().get("/", form("/save", fields)).post("/save", {"full_name": "Customer Seven", "quantity": "7"})
    assert imported(tmp_path, made).session.every_step[1].form == {"full_name": "${full_name}", "quantity": "7"}


def test_the_word_for_what_a_form_does_stays(tmp_path: Path) -> None:
    made = Recording().get("/", form("/x", '<input type="hidden" name="_method" value="put">'))
    assert imported(tmp_path, made.post("/x", {"_method": "put"})).session.every_step[1].form == {"_method": "put"}


def test_a_number_that_a_page_shows_by_chance_is_not_captured(tmp_path: Path) -> None:
    made = Recording().get("/", '<td class="quantity">10</td>' + form("/buy", '<input name="quantity" value="100">'))
    session = imported(tmp_path, made.post("/buy", {"quantity": "10"})).session
    assert session.every_step[1].form == {"quantity": "10"}
    assert not session.every_step[0].capture


def test_a_code_that_was_read_and_typed_is_captured_unless_it_was_typed_before(tmp_path: Path) -> None:
    shown = "<p>Your code: <b>XK77-1294-Q</b></p>"
    made = Recording().get("/", shown).post("/confirm", {"entered": "XK77-1294-Q"})
    assert imported(tmp_path, made).session.every_step[1].form == {"entered": "${entered}"}
    echo = Recording().get("/").post("/save", {"card": "XK77-1294-Q"}, shown).post("/again", {"card": "XK77-1294-Q"})
    (tmp_path / "made.yaml").unlink()
    assert imported(tmp_path, echo).session.every_step[2].form == {"card": "XK77-1294-Q"}


def test_json_and_headers_of_scripts(tmp_path: Path) -> None:
    page = f'<meta name="csrf-token" content="{DRAWN}"><h1>Shop</h1>'
    made = Recording().get("/", page)
    csrf = {"X-CSRF-Token": DRAWN, "Sec-Fetch-Mode": "cors", "Accept": "*/*"}
    made.send_json("/api/carts", {"note": 'say "${hi}"'}, {"cart": {"id": 4711, "lines": []}}, headers=csrf)
    made.send_json("/api/carts/4711/lines", {"cart": {"id": 4711}, "gift": True, "count": 2}, {})
    first, cart, lines = imported(tmp_path, made).session.every_step
    assert cart.headers == {"X-CSRF-Token": "${X-CSRF-Token}", "Content-Type": "application/json"}
    assert value_at(first.capture["X-CSRF-Token"], page) == DRAWN
    assert cart.body == '{"note": "say \\"$${hi}\\""}'
    assert set(cart.capture.values()) == {Capture(json_pointer="/cart/id")}
    (name,) = cart.capture
    assert lines.path == f"/api/carts/${{{name}}}/lines"
    assert lines.body == f'{{"cart": {{"id": ${{{name}}}}}, "gift": true, "count": 2}}'
    assert lines.expect.marker is None


def test_entities_in_a_value_cannot_be_captured_and_stay_as_recorded(tmp_path: Path) -> None:
    made = Recording().get("/", form("/x", '<input name="name" value="Smith &amp; Sons">'))
    session = imported(tmp_path, made.post("/x", {"name": "Smith & Sons"})).session
    assert session.every_step[1].form == {"name": "Smith & Sons"}


def test_feeds_are_found_by_their_pattern(tmp_path: Path) -> None:
    feeds = (
        '  user: {range: [0, 50], format: "uid:{}", per: iteration}\n'
        '  new_user: {unique: "new:{run}-{user}-{iteration}", per: iteration}\n'
        "  page: {range: [1, 9]}\n"
        '  symbol: {range: [0, 100], format: "s:{}"}\n'
        "  symbols: {pick: 4, distinct: true, from: symbol}\n"
    )
    made = Recording().get("/").post("/register", {"user_id": "new:a-1-1"})
    made.post("/login", {"user_id": "uid:7"}).get("/profile/uid:7").post("/login", {"user_id": "uid:8"})
    made.get("/list?page=3&size=3&of=uid:99").get("/quotes?symbols=s:1,s:2,s:3,s:4").get(
        "/quotes?symbols=s%3A1%2Cs%3A2"
    )
    session = imported(tmp_path, made, feeds).session
    assert [step.form["user_id"] for step in session.every_step if step.form] == ["${new_user}", "${user}", "${user-2}"]
    assert [step.path for step in session.every_step if step.get][1:] == [
        "/profile/${user}",
        "/list?page=${page}&size=3&of=uid:99",
        "/quotes?symbols=${symbols}",
        "/quotes?symbols=${symbols-2}",
    ]
    assert session.feeds["user-2"] == session.feeds["user"]
    assert session.feeds["symbols-2"].pick == 2
    assert set(session.feeds) == {"new_user", "user", "user-2", "page", "symbol", "symbols", "symbols-2"}


def test_a_marker_holds_the_user_and_no_number_that_changes(tmp_path: Path) -> None:
    feeds = '  user: {range: [0, 50], format: "uid:{}", per: iteration}\n'
    made = Recording().get("/", "<title>Shop</title>")
    made.post("/login", {"user": "uid:7"}, "<title>Shop</title><h1>Hello uid:7</h1>")
    made.get("/orders", "<title>Shop</title><h1 id=h1>17 orders</h1><h2>Newest: 99</h2>")
    steps = imported(tmp_path, made, feeds).session.every_step
    assert [step.expect.marker for step in steps] == [
        "<title>Shop</title>",
        "<h1>Hello ${user}</h1>",
        "<h2>Newest: ",
    ]


def test_what_no_response_gave_and_what_cannot_be_sent_is_warned_of(tmp_path: Path) -> None:
    cookies = {"headers": {"Cookie": "old=1; sid=2"}, "response_headers": {"Set-Cookie": "sid=2"}}
    made = Recording().get("/", "<h1>Shop</h1>", **cookies)
    made.get("/items/17", "no title")
    made.get("/gone", "<h1>Gone</h1>", status=404)
    made.post("/twice", {"signature": "0a1b2c3d4e5f6071", "of": "1"}, "<h1>Twice</h1>")
    made.entries[-1]["request"]["postData"]["text"] += "&signature=2"
    made.get("/away", status=302, response_headers={"Location": "http://login.test/"})
    made.get("/loop", status=302, response_headers={"Location": "/missing"})
    made.get("/feed", media="text/event-stream", resource="eventsource")
    warnings = imported(tmp_path, made).findings.warnings
    for words in (
        "GET /items/17: '17' is sent as it was recorded, since no response before has given it",
        "POST /twice: a form of which a field comes again after others is sent as it was recorded",
        "GET /away left out: it leads to http://login.test, which is not followed",
        "GET /loop: where it leads (/missing) is not recorded, so no marker is checked",
        "GET /feed left out: the driver does not support eventsource",
        "no title or heading identifies the page: items; add a marker",
        "step gone expects the status 404, as recorded",
    ):
        assert words in warnings
    assert any(warning.startswith("cookies that no recorded response sets are not sent: old;") for warning in warnings)


def test_requests_of_a_script_that_overlap_become_steps_in_order(tmp_path: Path) -> None:
    made = Recording().get("/", "<h1>Shop</h1>", time=1500).send_json("/api/a", {}, {}).send_json("/api/b", {}, {})
    session = imported(tmp_path, made)
    assert [str(step.think) for step in session.session.every_step[:2]] == ["0ms", "900ms"]
    assert "1 request was sent before the one before was over; a session sends one after the other" in (
        session.findings.warnings
    )


def test_a_field_that_is_sent_several_times_has_a_list_of_values(tmp_path: Path) -> None:
    made = (
        Recording().get("/", form("/buy", '<input type="hidden" name="token" value="t1">')).post("/buy", {"item": "1"})
    )
    made.entries[-1]["request"]["postData"]["text"] = "item=1&item=2&token=t1"
    assert imported(tmp_path, made).session.every_step[1].form == {"item": ("1", "2"), "token": "${token}"}


def test_a_redirect_to_a_path_that_changes_is_not_checked(tmp_path: Path) -> None:
    made = Recording().get("/", form("/orders", '<input name="item" value="i9">'))
    made.post("/orders", {"item": "i9"}, status=303, response_headers={"Location": "/orders/4711"})
    made.get("/orders/4711", "<h1>Order</h1>", status=304)
    order = imported(tmp_path, made).session.every_step[1]
    assert (order.expect.status, order.expect.path, order.expect.marker) == (200, None, "<h1>Order</h1>")
