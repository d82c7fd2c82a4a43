"""What requests send: forms with files, bytes that are not text, redirects, and texts that an iteration replaces.

The shapes are those that Chromium, Firefox and mitmproxy write of a content management and a file server.
"""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from made_recording import Recording

from middlemark.errors import InputError
from middlemark.session.given import looks_random, looks_variable
from middlemark.session.importing import ImportedSession, ImportRequest, import_recording
from middlemark.session.place import value_at
from middlemark.workload.step import Step

TOKEN = "Mz0xcPj3dK9sW2qL"  # noqa: S105 (made up)
FORM = f'<form method="post"><input type="hidden" name="csrf" value="{TOKEN}"><input type="password" name="pw"></form>'
PNG = b"\x89PNG\r\n\x1a\n\x00\xfc\xff"
BOUNDARY = "----WebKitFormBoundaryQ7"
LOST = "\ufffdPNG"


def imported(made: Recording, folder: Path) -> ImportedSession:
    path = made.write(folder / "a.har")
    return import_recording(ImportRequest(path, folder / "a.yaml", force=True))


def part(name: str, value: str, file: str = "") -> str:
    more = f'; filename="{file}"\r\nContent-Type: image/png' if file else ""
    return f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n{value}\r\n'


def upload(text: str, headers: dict[str, str] | None = None, **more: str) -> Recording:
    """Return a page with a form and the body that it sends, of `multipart/form-data`."""
    media = f"multipart/form-data; boundary={BOUNDARY}"
    made = Recording().get("/form", FORM)
    made.post("/send", {}, "<h1>Sent</h1>", headers={"Content-Type": media, **(headers or {})})
    made.entries[-1]["request"]["postData"] = {"mimeType": media, "text": text, **more}
    return made


def sent(made: Recording, folder: Path) -> tuple[Step, Step, list[str]]:
    done = imported(made, folder)
    form, send = done.session.every_step
    return form, send, done.findings.warnings


def test_a_token_is_captured_for_a_form_with_a_file_of_text(tmp_path: Path) -> None:
    written = part("csrf", TOKEN) + part("note", "${x} a\r\nb") + part("file", f"as {TOKEN}\n", "a.txt")
    form, send, warnings = sent(upload(f"{written}--{BOUNDARY}--\r\n"), tmp_path)
    assert value_at(form.capture["csrf"], FORM.replace(TOKEN, "other")) == "other"
    changed = part("csrf", "${csrf}") + part("note", "$${x} a\r\nb") + part("file", f"as {TOKEN}\n", "a.txt")
    assert send.body == f"{changed}--{BOUNDARY}--\r\n"
    assert "POST /send: the file a.txt is sent as it was recorded" in warnings


@pytest.mark.parametrize(
    "text",
    [
        f"--{BOUNDARY}--\r\n",
        f"{part('csrf', TOKEN)}",
        f"--{BOUNDARY}\r\nContent-Disposition: form-data\r\n\r\n{TOKEN}\r\n--{BOUNDARY}--\r\n",
        f"--other\r\n{TOKEN}",
        "",
    ],
)
def test_a_form_with_files_that_is_cut_or_empty_is_sent_as_it_was_recorded(tmp_path: Path, text: str) -> None:
    _, send, _ = sent(upload(text), tmp_path)
    assert send.body == text


def test_the_password_of_a_form_with_files_is_warned_of(tmp_path: Path) -> None:
    text = f"{part('pw', 'secret')}--{BOUNDARY}--\r\n"
    assert "step send: the recorded password stands in the session file" in sent(upload(text), tmp_path)[2]


@pytest.mark.parametrize("length", ["raw", "text"])
def test_a_byte_for_each_character_is_not_sent_as_two(tmp_path: Path, length: str) -> None:
    """Firefox and mitmproxy write bytes so; the length that was sent shows it, and without it the text is the text."""
    text = f"{part('name', 'grüner Tee')}--{BOUNDARY}--\r\n"
    recorded = text.encode().decode("latin-1") if length == "raw" else text
    made = upload(recorded, {"Content-Length": str(len(text.encode()))})
    assert sent(made, tmp_path)[1].body == text


@pytest.mark.parametrize("encoding", ["characters", "base64"])
def test_bytes_that_are_not_text_are_sent_from_a_file(tmp_path: Path, encoding: str) -> None:
    raw = part("file", "", "a.png").encode().removesuffix(b"\r\n") + PNG + f"\r\n--{BOUNDARY}--\r\n".encode()
    if encoding == "base64":
        made = upload(base64.b64encode(raw).decode(), encoding="base64")
    else:
        made = upload(raw.decode("latin-1"), {"Content-Length": str(len(raw))})
    _, send, warnings = sent(made, tmp_path)
    assert send.body_file == "a-send.bin"
    assert (tmp_path / "a-send.bin").read_bytes() == raw
    assert send.headers["Content-Type"] == f"multipart/form-data; boundary={BOUNDARY}"
    assert "POST /send: its body is not text; it is sent as it was recorded, from a file of its own" in warnings


def test_a_file_that_is_there_is_not_overwritten_by_a_body(tmp_path: Path) -> None:
    made = upload(base64.b64encode(PNG).decode(), encoding="base64").write(tmp_path / "a.har")
    (tmp_path / "a-send.bin").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="is there already"):
        import_recording(ImportRequest(made, tmp_path / "a.yaml"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a-send.bin", "a.har"]


def test_a_body_that_the_recording_lacks_is_named_with_the_key_that_sends_one(tmp_path: Path) -> None:
    made = upload("")
    del made.entries[-1]["request"]["postData"]
    what = "POST /send: the recording holds no body for it, so none is sent; `body_file` sends a file's bytes"
    assert what in sent(made, tmp_path)[2]


@pytest.mark.parametrize(
    ("status", "method", "following"),
    [(302, "POST", "GET"), (303, "PUT", "GET"), (301, "GET", "GET"), (307, "POST", "POST"), (308, "PUT", "PUT")],
)
def test_a_redirect_is_followed_by_a_request_of_its_method(
    tmp_path: Path, status: int, method: str, following: str
) -> None:
    """A script that saves by itself sends to the same address meanwhile."""
    made = Recording().post("/edit", {"a": "1"}, status=status, response_headers={"Location": "/edit"})
    made.entries[-1]["request"]["method"] = method
    other = "GET" if following != "GET" else "POST"
    made.post("/edit", {"b": "2"}, "<h1>Saved</h1>").post("/edit", {}, "<h1>Edit</h1>")
    for entry, name in zip(made.entries[1:], (other, following), strict=True):
        entry["request"]["method"] = name
    edit, saved = imported(made, tmp_path).session.every_step
    assert (edit.expect.marker, saved.method.value, saved.expect.marker) == ("<h1>Edit</h1>", other, "<h1>Saved</h1>")


def test_a_text_that_the_session_replaces_marks_no_page(tmp_path: Path) -> None:
    form = '<form action="/edit"><input name="title" value="Home"><textarea name="text">Home</textarea></form>'
    made = Recording().get("/pages", "<title>Exploring: Home - Site</title>").get("/edit", f"<h1>Edit Home</h1>{form}")
    made.post("/edit", {"title": "House", "text": "Home"}, "<title>Exploring: House - Site</title>")
    done = imported(made, tmp_path)
    assert [step.expect.marker for step in done.session.every_step] == [
        "<title>Exploring: ",
        "<h1>Edit ",
        "<title>Exploring: House - Site</title>",
    ]


def test_what_was_typed_is_named_and_what_a_page_gave_is_not(tmp_path: Path) -> None:
    page = '<form action="/add" method="post"><input type="hidden" name="total" value="0"><input name="old"></form>'
    made = Recording().get("/add", page).get("/icons", "<svg></svg>")
    made.post("/add", {"total": "0", "old": "/old-1", "new": "/new", "none": ""}, "<h1>Added</h1>")
    notes = imported(made, tmp_path).findings.notes
    assert (
        "POST /add sends the same old, new each time; use a feed if the application needs a new one each time" in notes
    )


@pytest.mark.parametrize(
    ("value", "is_variable"),
    [
        ("17", True),
        ("v2", False),
        ("v2.1", False),
        ("v2026a", True),
        ("items", False),
        ("editing-sessions", False),
        ("getCustomerDetails", False),
        ("internationalisation", True),
        ("qWeRtYuIoPaSdFgHjK", True),
        ("________________", True),
    ],
)
def test_what_looks_like_an_id_or_token(value: str, *, is_variable: bool) -> None:
    assert looks_variable(value) is is_variable


def test_a_long_word_of_a_path_is_no_id(tmp_path: Path) -> None:
    page = '<a href="/admin/editing-sessions/9/">Nine</a>'
    made = Recording().get("/admin", page).get("/admin/editing-sessions/9/", "<h1>Nine</h1>")
    _, step = imported(made, tmp_path).session.every_step
    assert step.path.startswith("/admin/editing-sessions/${")


@pytest.mark.parametrize("is_lost", [True, False])
def test_a_body_with_lost_bytes_is_not_called_the_recorded_one(tmp_path: Path, *, is_lost: bool) -> None:
    text = f"{part('file', LOST, 'a.png')}--{BOUNDARY}--\r\n"
    length = len(text.encode()) - (2 if is_lost else 0)  # U+FFFD is three bytes
    warnings = sent(upload(text, {"Content-Length": str(length)}), tmp_path)[2]
    assert any("POST /send: its body is damaged" in warning for warning in warnings) == is_lost
    assert ("POST /send: the file a.png is sent as it was recorded" in warnings) != is_lost


@pytest.mark.parametrize(
    ("value", "is_random"),
    [
        ("Pb2kqvT7Yh4mXc0RsWnA3e_LdGfJ8iUo1zBQ", True),
        ("mXc0Rs+nA3e/LdGfJ8iUo1==", True),
        ("0cc175b9c0f1b6a831c399e269772661", True),
        ("3f2b8c1e-7d4a-4e0b-9c56-1a2b3c4d5e6f", True),
        ("0cc175b9c0f1b6a831c399e2,92eb5ffee6ae2fec3ad71c77", True),
        ("0cc175b9c0f1b6a", False),
        ("customer-details-page-2024", False),
        ("/assets/MainPage/index2", False),
        ("2026-01-31T08:00:00.000Z", False),
        ("4111111111111111", False),
        ("a0a0a0a0a0a0a0a0", False),
        ("a text of 16 characters and more", False),
        ("", False),
    ],
)
def test_a_hash_differs_from_words_and_times(value: str, *, is_random: bool) -> None:
    assert looks_random(value) is is_random


def test_what_the_browser_computed_is_named_once_for_each_name(tmp_path: Path) -> None:
    chunks = [f"Pb2kqvT7Yh4mXc0RsWnA3e_LdGfJ8i{number:02}" for number in range(20)]
    wark = "xZ0PEkZ6dF9Rj3WqTb1nC4uG"
    made = Recording().send_json("/files", {"name": "a.bin", "hash": chunks}, {"wark": wark})
    for chunk in chunks[:3]:
        made.send_json("/files", {}, {}, headers={"X-Up2k-Wark": wark, "X-Up2k-Hash": f"{chunk},{chunks[9]}"})
    made.send_json("/other", {}, {}, headers={"X-Up2k-Hash": chunks[5], "X-Old": "2026-01-31T08:00:00Z"})
    computed = [text for text in imported(made, tmp_path).findings.warnings if "computed" in text]
    why = "is sent as it was recorded: no response contained it; the browser may have computed it"
    assert computed == [f"POST /files: 'hash' {why}", f"POST /files and 1 other address: 'X-Up2k-Hash' {why}"]
