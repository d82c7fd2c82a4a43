"""What foreign recordings hold: values no browser writes, bodies that must not change, sites that lead elsewhere."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_recording import Recording

from middlemark.errors import InputError
from middlemark.session.given import is_same_name
from middlemark.session.importing import ImportedSession, ImportRequest, import_recording
from middlemark.workload.session import read_session
from middlemark.workload.step import Capture, Step

FORM = "application/x-www-form-urlencoded"


def imported(made: Recording, folder: Path, origin: str | None = None) -> ImportedSession:
    path = made.write(folder / "a.har")
    return import_recording(ImportRequest(path, folder / "a.yaml", origin=origin, force=True))


def steps(made: Recording, folder: Path) -> dict[str, Step]:
    return {step.id: step for step in imported(made, folder).session.every_step}


def shop() -> Recording:
    return Recording().get("/", "<h1>Shop</h1>")


@pytest.mark.parametrize(
    ("odd", "warning"),
    [
        (lambda made: made.get("/odd", "<p>x <![service_control]></p>"), ""),
        (lambda made: made.get("/odd", "<![\x00\x01<!\x7f<![if"), ""),
        (
            lambda made: made.get("/odd", status=302, response_headers={"Location": "http://[bad/"}),
            "GET /odd left out: it leads to 'http://[bad/', no address, which is not followed",
        ),
        (lambda made: made.get("/odd", status=1000), "GET /odd left out: expected 999 or less, found 1000"),
        (lambda made: made.get("/odd", headers={"": "x", "X-A": "b"}), "GET /odd: a header without a name is left out"),
        (lambda made: made.get("/odd", "<h1>Odd</h1>", media="text/html; charset=undefined"), ""),
        (lambda made: made.get("/odd", headers={"X A": "b"}), "GET /odd left out: 'X A' is not a header name"),
        (lambda made: made.get("/odd", response_headers={"X A": "b"}), ""),
        (lambda made: made.get("/odd", response_headers={"Set-Cookie": "=b"}), ""),
        (lambda made: made.get("/odd\ud800", "<h1>\udc00</h1>", headers={"X-A": "\ud800"}), ""),
        (
            lambda made: made.get("/\x00\x1b[2J\n\x85- a: [", status=0),
            r"GET /\x00\x1b[2J\x85- a: [ left out: it has no",
        ),
    ],
)
def test_a_foreign_value_costs_its_own_entry_at_most(
    tmp_path: Path, odd: Callable[[Recording], Recording], warning: str
) -> None:
    made = odd(shop())
    made.get("/last", "<h1>Last</h1>")
    done = imported(made, tmp_path)
    assert [step.path for step in done.session.every_step][-1] == "/last"
    assert any(one.startswith(warning) for one in done.findings.warnings) or not warning, done.findings.warnings


def test_a_start_at_the_end_of_the_calendar_is_its_end_too(tmp_path: Path) -> None:
    made = shop().get("/last", "<h1>Last</h1>")
    made.entries[-1]["startedDateTime"] = "9999-12-31T23:59:59.999Z"
    assert list(steps(made, tmp_path)) == ["start", "last"]


def test_half_a_character_is_sent_as_a_browser_sends_it(tmp_path: Path) -> None:
    step, _ = posted('{"a": "\ud800"}', "application/json", tmp_path)
    assert step.body == '{"a": "\ufffd"}'


@pytest.mark.parametrize("text", ["\U0001f375\n", "\x7f", '\ufeff"\\', "\\ud800\x00", "\u2028"])
def test_a_body_of_any_characters_is_the_same_in_the_file(tmp_path: Path, text: str) -> None:
    posted(text, "text/plain", tmp_path)
    assert read_session(tmp_path / "a.yaml", {}).every_step[-1].body == text


@pytest.mark.parametrize("charset", ["undefined", "no-such-set", "utf-8"])
def test_a_body_in_an_unknown_character_set_is_unknown(tmp_path: Path, charset: str) -> None:
    made = shop().get("/odd", media=f"text/html; charset={charset}")
    content = made.entries[-1]["response"]["content"]
    content |= {"text": base64.b64encode(b"<h1>Odd</h1>").decode(), "encoding": "base64"}
    marker = list(imported(made, tmp_path).session.every_step)[-1].expect.marker
    assert marker == ("<h1>Odd</h1>" if charset == "utf-8" else None)


@pytest.mark.parametrize(
    "place",
    [
        ("response", "content", "mimeType"),
        ("response", "redirectURL"),
        ("request", "postData", "mimeType"),
        ("request", "postData"),
        ("request", "headers", 0, "value"),
        ("response", "headers", 0, "value"),
        ("time",),
    ],
)
def test_null_is_as_good_as_absent(tmp_path: Path, place: tuple[str | int, ...]) -> None:
    made = shop().post("/buy", {"item": "tea"}, "<h1>Bought</h1>", headers={"X-A": "b"})
    part: Any = made.entries[-1]
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = None
    assert [step.path for step in imported(made, tmp_path).session.every_step] == ["/", "/buy"]


def posted(body: str | None, media: str, folder: Path, **more: Any) -> tuple[Step, list[str]]:
    made = shop()
    headers = {"Content-Type": more.pop("header")} if "header" in more else {}
    made.entries.append(json.loads(json.dumps(made.post("/send", {}, headers=headers).entries.pop())))
    made.entries[-1]["request"]["postData"] = {"mimeType": media, "text": body, **more}
    done = imported(made, folder)
    return list(done.session.every_step)[-1], done.findings.warnings


@pytest.mark.parametrize(
    ("body", "media"),
    [
        ('{ "item": "other thing" }', FORM),
        ('<order a="b&c"><item>tea</item></order>', FORM),
        ("7|0|4|http://x/|A|B|", FORM),
        ("name=Andr%E9&city=K%F6ln", FORM),
        ("flag&a=b", FORM),
        ("<a>1</a>", "text/xml"),
    ],
)
def test_a_body_that_would_change_is_sent_as_it_was_recorded_with_a_warning(
    tmp_path: Path, body: str, media: str
) -> None:
    step, warnings = posted(body, media, tmp_path)
    assert (step.form, step.body) == (None, body)
    assert step.headers["Content-Type"] == media
    assert any("POST /send: " in one and one.endswith("is sent as it was recorded") for one in warnings)


def test_a_form_keeps_its_values_however_it_was_written(tmp_path: Path) -> None:
    step, _ = posted("city=K%c3%B6ln+am%20Rhein&path=a/b%2Fc&empty=", FORM, tmp_path)
    assert step.form == {"city": "Köln am Rhein", "path": "a/b/c", "empty": ""}


def test_the_header_says_what_a_body_without_a_type_is(tmp_path: Path) -> None:
    step, _ = posted('{"a": 0.10}', "", tmp_path, header="application/json")
    assert (step.form, step.body, step.headers["Content-Type"]) == (None, '{"a": 0.10}', "application/json")


def test_a_body_in_base64_is_decoded(tmp_path: Path) -> None:
    text = base64.b64encode("item=grüner Tee".encode()).decode()
    step, warnings = posted(text, "text/plain; charset=utf-8", tmp_path, encoding="base64")
    assert step.body == "item=grüner Tee"
    step, warnings = posted("!!", "image/png", tmp_path, encoding="base64")
    assert (step.body, step.body_file) == (None, None)
    assert any("its body is not base64 and not sent; `body_file`" in one for one in warnings)


def test_json_keeps_everything_but_the_values_that_are_replaced(tmp_path: Path) -> None:
    made = shop().send_json("/carts", {}, {"cart": "c-4711-77"})
    body = (
        '{"price": 0.10, "big": 1E400, "x": 1, "x":  2,\n "cart": "c-4711-77", "note": "a\\u00e9 \\"${b}\\"", "n": 1.0}'
    )
    made.entries.append(json.loads(json.dumps(made.send_json("/lines", {}, {}).entries.pop())))
    made.entries[-1]["request"]["postData"]["text"] = body
    (*_, step) = imported(made, tmp_path).session.every_step
    assert step.body == body.replace("${b}", "$${b}").replace("c-4711-77", "${cart}")


@pytest.mark.parametrize("first", ["http://shop.test/", "http://www.shop.test/", "https://shop.test/"])
def test_a_redirect_at_the_start_belongs_to_the_site_that_it_leads_to(tmp_path: Path, first: str) -> None:
    made = Recording().get(first, status=301, response_headers={"Location": "https://www.shop.test/"})
    made.get("https://www.shop.test/", "<h1>Shop</h1>").get("https://www.shop.test/basket", "<h1>Basket</h1>")
    done = imported(made, tmp_path)
    assert done.origin == "https://www.shop.test"
    assert [step.path for step in done.session.every_step] == ["/", "/basket"]
    assert not any("left out" in one for one in done.findings.warnings)


def test_a_browser_that_knows_that_the_site_has_tls_redirects_itself(tmp_path: Path) -> None:
    """Chromium records what it has not sent, as status 307; an --origin may be written in another way."""
    hsts = {"Location": "https://shop.test/", "Non-Authoritative-Reason": "HSTS"}
    made = Recording().get("http://shop.test/", status=307, response_headers=hsts)
    made.get("https://shop.test/", "<h1>Shop</h1>")
    for origin in (None, "HTTPS://SHOP.test:443/basket?x=1"):
        done = imported(made, tmp_path, origin)
        assert (done.origin, [step.path for step in done.session.every_step]) == ("https://shop.test", ["/"])
    with pytest.raises(InputError, match="no request went to"):
        imported(made, tmp_path, "https://shop.test:8443")


def test_another_site_is_named_with_the_option_that_imports_it(tmp_path: Path) -> None:
    made = shop().get("http://pay.test/", "<h1>Pay</h1>")
    (warning,) = (one for one in imported(made, tmp_path).findings.warnings if "left out" in one)
    assert warning.endswith("a session has one site (http://shop.test); `--origin http://pay.test` imports that one")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_every_method_that_the_driver_sends_is_imported(tmp_path: Path, method: str) -> None:
    made = shop().send_json("/items/1", {"a": 1}, {})
    made.entries[-1]["request"]["method"] = method
    (*_, step) = imported(made, tmp_path).session.every_step
    assert (step.method.value, step.path, step.body) == (method, "/items/1", '{"a": 1}')


def test_web_sockets_are_left_out_with_a_warning(tmp_path: Path) -> None:
    made = shop().get("ws://shop.test/live", status=101, resource="websocket")
    warnings = imported(made, tmp_path).findings.warnings
    assert "GET /live left out: the driver does not support websocket" in warnings


@pytest.mark.parametrize(
    "tag",
    [
        "<input type=hidden name=tok value=aB3x>",
        "<input type=hidden value=aB3x name=tok>",
        '<input type="hidden" name=tok value="aBcx">',
        "<input type=hidden name='tok' value=xKqZ/>",
    ],
)
def test_a_token_of_a_form_is_captured_however_its_tag_is_written(tmp_path: Path, tag: str) -> None:
    value = tag.partition("value=")[2].split(" ")[0].strip("\"'>")
    made = (
        shop().get("/form", f"<form action=/send method=post>{tag}</form>").post("/send", {"tok": value}, "<h1>Ok</h1>")
    )
    found = steps(made, tmp_path)
    (name,) = found["form"].capture
    assert found["send"].form == {"tok": f"${{{name}}}"}


def test_what_a_button_is_for_stays_what_it_is(tmp_path: Path) -> None:
    page = "<form action=/send method=post><input type=hidden name=_method value=put></form>"
    found = steps(shop().get("/form", page).post("/send", {"_method": "put"}, "<h1>Ok</h1>"), tmp_path)
    assert found["send"].form == {"_method": "put"}


def test_a_cookie_that_comes_back_as_a_header_is_captured(tmp_path: Path) -> None:
    made = shop().get("/app", "<h1>App</h1>", response_headers={"Set-Cookie": "XSRF-TOKEN=Tq; Path=/"})
    made.send_json("/api", {"a": 1}, {}, headers={"X-XSRF-TOKEN": "Tq"})
    found = steps(made, tmp_path)
    assert found["app"].capture == {"X-XSRF-TOKEN": Capture(cookie="XSRF-TOKEN")}
    assert found["api"].headers["X-XSRF-TOKEN"] == "${X-XSRF-TOKEN}"


@pytest.mark.parametrize(
    ("scheme", "key", "value"),
    [
        ("Bearer", "access_token", "Tq"),
        ("Token", "auth_token", "Tq"),
        ("JWT", "token", "Tq"),
        ("Bearer", "jwt", "eyJ0eXAi.e30.x17"),
    ],
)
def test_a_token_is_captured_from_the_response_that_gave_it(tmp_path: Path, scheme: str, key: str, value: str) -> None:
    made = shop().send_json("/login", {"user": "a"}, {key: value})
    made.send_json("/api", {"a": 1}, {}, headers={"Authorization": f"{scheme} {value}"})
    found = steps(made, tmp_path)
    assert found["login"].capture == {"token": Capture(json_pointer=f"/{key}")}
    assert found["api"].headers["Authorization"] == f"{scheme} ${{token}}"


def test_credentials_that_nothing_gave_are_warned_of(tmp_path: Path) -> None:
    made = shop().send_json("/api", {"a": 1}, {}, headers={"Authorization": "Bearer Tq"})
    done = imported(made, tmp_path)
    assert "POST /api: its credentials are sent as they were recorded and stand in the session file" in (
        done.findings.warnings
    )


def test_a_page_names_its_character_set_in_itself(tmp_path: Path) -> None:
    made = shop().get("/odd", "<meta charset=iso-8859-1><title>Köln</title><h2>Town</h2>", media="text/html")
    (*_, step) = imported(made, tmp_path).session.every_step
    assert step.expect.marker == "<h2>Town</h2>", "the title has other bytes in this set"


@pytest.mark.parametrize(
    ("charset", "captured"), [("utf-8", ["code", "name"]), ("iso-8859-1", []), ("windows-1252", [])]
)
def test_nothing_is_captured_by_bytes_that_the_driver_does_not_find(
    tmp_path: Path, charset: str, captured: list[str]
) -> None:
    page = "<p>Größe: 9f3a7c1e5b2d4860</p><form action=/x><input name=name value=Köln-17></form>"
    made = shop().get("/size", page, media=f"text/html; charset={charset}")
    made.post("/x", {"code": "9f3a7c1e5b2d4860", "name": "Köln-17"}, "<h1>K\ufffdln</h1><h2>Sent</h2>")
    found = steps(made, tmp_path)
    assert list(found["size"].capture) == captured
    assert found["x"].expect.marker == "<h2>Sent</h2>", "U+FFFD is what could not be decoded"


def test_the_reason_for_a_value_that_stays_is_the_true_one(tmp_path: Path) -> None:
    made = shop().get("/list", "x9912345678901234 y").get("/items/9912345678901234", "<h1>Item</h1>")
    warnings = imported(made, tmp_path).findings.warnings
    where = "since the response to GET /list holds it where nothing marks the place"
    assert f"GET /items/9912345678901234: '9912345678901234' is sent as it was recorded, {where}" in warnings


def calls(made: Recording, number: int) -> None:
    items = [{"id": number * 1000 + n, "sku": f"sku-{number}-{n:06}"} for n in range(700)]
    made.send_json(f"/api/items/{number}", {"ids": [f"none-{number}-{n}" for n in range(10)]}, {"items": items})


def pages(made: Recording, number: int) -> None:
    links = "".join(f"<a href=/items/{number * 1000 + n}>Item</a>" for n in range(200))
    made.get(f"/list/{number}/x", f"<title>List</title><input name=a value=none-{number}>{links}")
    made.post(f"/items/none-{number}", {f"field-{n}": f"none-{number}-{n}" for n in range(10)}, "<h1>Item</h1>")


def refused(made: Recording, number: int) -> None:
    pages(made, number)
    made.get(f"/odd/{number}", headers={"X A": "b"})


@pytest.mark.parametrize("add", [calls, pages, refused])
def test_an_import_takes_time_as_the_recording_grows_and_no_more(
    tmp_path: Path, add: Callable[[Recording, int], None]
) -> None:
    """Four times the requests: four times the work, sixteen times if every value were looked for in every body."""

    def spent(requests: int) -> float:
        made = shop()
        for number in range(requests):
            add(made, number)
        for number, entry in enumerate(made.entries):
            entry["startedDateTime"] = f"2026-01-31T08:{number // 60:02}:{number % 60:02}.000Z"
        begin = time.process_time()
        imported(made, tmp_path)
        return time.process_time() - begin

    spent(5)
    # A busy machine takes the caches of the one or the other.
    assert min(spent(80), spent(80)) < 8 * min(spent(20), spent(20))


@pytest.mark.parametrize("page", ["<h1>", "<title> ", "17abcde99 ", "x" * 40 + " 17abcde99;"])
def test_a_long_page_takes_time_as_it_grows_and_no_more(tmp_path: Path, page: str) -> None:
    def spent(times: int) -> float:
        made = shop().get("/long", page * times).post("/send", {"code": "17abcde99"}, "<h1>Sent</h1>")
        begin = time.process_time()
        imported(made, tmp_path)
        return time.process_time() - begin

    spent(5)
    assert spent(20_000) < 8 * max(spent(5_000), 0.02)


def test_what_is_done_is_shown_step_by_step(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    path = shop().get("/a", "<h1>A</h1>").write(tmp_path / "a.har")
    import_recording(ImportRequest(path, tmp_path / "a.yaml"), lambda done, of: seen.append((done, of)))
    assert seen == [(1, 2), (2, 2)]


def test_a_byte_order_mark_is_dropped_from_every_file_that_is_read(tmp_path: Path) -> None:
    har = shop().write(tmp_path / "a.har")
    har.write_bytes(b"\xef\xbb\xbf" + har.read_bytes())
    session = import_recording(ImportRequest(har, tmp_path / "a.yaml")).path
    session.write_bytes(b"\xef\xbb\xbf" + session.read_bytes())
    assert [step.path for step in read_session(session, {}).every_step] == ["/"]


@pytest.mark.parametrize(
    ("cookie", "header", "same"),
    [
        ("XSRF-TOKEN", "X-XSRF-TOKEN", True),
        ("csrf-token", "X-CSRF-Token", True),
        ("abcd", "efgh", False),
        ("x", "", False),
    ],
)
def test_names_are_the_same_but_for_their_spelling_and_an_x_before_one(cookie: str, header: str, *, same: bool) -> None:
    assert is_same_name(cookie, header) is same
    assert is_same_name(header, cookie) is same


def test_pages_without_a_recorded_body_are_named_and_need_no_title(tmp_path: Path) -> None:
    made = shop().get("/cart", "<h1>Cart</h1>")
    content = made.entries[0]["response"]["content"]
    made.entries[0]["response"]["content"] = {"mimeType": content["mimeType"], "size": len(content["text"])}
    warnings = imported(made, tmp_path).findings.warnings
    assert [warning.partition(",")[0] for warning in warnings] == ["the recording holds no body for start"]


@pytest.mark.parametrize("kept", [{}, {"headers": {"Authorization": "Basic dTpw"}}])
def test_a_recording_of_devtools_without_credentials_may_be_sanitized(tmp_path: Path, kept: dict[str, Any]) -> None:
    recording = shop().get("/account", "<h1>Account</h1>", **kept).write(tmp_path / "a.har")
    content = json.loads(recording.read_text(encoding="utf-8"))
    content["log"]["creator"] = {"name": "WebInspector", "version": "537.36"}
    recording.write_text(json.dumps(content), encoding="utf-8")
    warnings = import_recording(ImportRequest(recording, tmp_path / "a.yaml")).findings.warnings
    assert any("neither cookies nor Authorization headers" in warning for warning in warnings) == (not kept)
