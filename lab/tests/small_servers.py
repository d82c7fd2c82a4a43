"""Servers that are Python programs, in the checkout of a test: one that hosts, one that stands before applications."""

from __future__ import annotations

from pathlib import Path

from small_platform import SETTINGS

SERVER = """
name = "{title}"
start = ["python3", "{{server}}/serve.py", "{{folder}}/settings.json"]
{more}

[toolchain]
name = "Python"
command = ["python3", "--version"]
minimum = "3.9"
debian = "apt install python3"
macos = "brew install python3"
"""

HOSTS_WAR = """
[uses.war]
artifact = "apps/application.war"
resources = ["database"]
templates = { "war.template" = "settings.json" }
"""

HOSTS_FILES = """
[uses.files]
artifact = "pages"
templates = { "files.template" = "settings.json" }
"""

IS_PROXY = """
[uses.proxy]
protocols = ["http/1.1"]
ready_path = "/health"
templates = { "proxy.template" = "settings.json" }
"""

# What stands in a template is all that its program knows; a template takes the value of `page` from server.toml.
TEMPLATES = {
    "war.template": """{"use": "war", "host": "{{ host }}", "port": {{ port }}, "admin": {{ ports.admin }},
"artifact": "{{ artifact }}", "databases": [{% for one in databases %}"{{ one.name }} {{ one.database }} {{ one.pool }}"
{% endfor %}], "mark": "{{ mark }}"}""",
    "files.template": '{"use": "files", "host": "{{ host }}", "port": {{ port }}, "folder": "{{ artifact }}"}',
    "proxy.template": '{"use": "proxy", "host": "{{ host }}", "port": {{ port }}, "upstream": "{{ upstream }}"}',
}

NOT_DEFAULT = """
[[not_default]]
what = "mark"
variable = "mark"
value = "seven"
why = "so that a test finds it"
"""

CONFIGURE = """
import json, pathlib, sys
folder, admin = pathlib.Path(sys.argv[1]), sys.argv[2]
settings = json.loads((folder / "settings.json").read_text())
assert settings["admin"] == int(admin)
(folder / "configured").write_text(" ".join(settings["databases"]))
print("configured")
"""

# One program for every use: what it is to do stands in its settings.
SERVE = """
import http.server, json, os, pathlib, sys, threading, urllib.error, urllib.request, zipfile
settings = json.loads(pathlib.Path(sys.argv[1]).read_text())
folder = pathlib.Path(sys.argv[1]).parent

def of_war(path):
    archive = zipfile.ZipFile(settings["artifact"])
    assert "WEB-INF/web.xml" in archive.namelist()
    if path == "/about":
        about = {"platform": "small", "specification": "brokerage", "specification_version": "1", "commit": "none",
                 "roles": [os.environ["MM_ROLE"]], **json.load(open(os.environ["MM_SERVER"])),
                 "settings": dict.fromkeys("SETTINGS".split(), "")}
        for name, value in os.environ.items():
            if name.startswith("MM_") and name != "MM_SERVER":
                head, at, place = value.partition("@")
                about["settings"][name[3:].lower()] = head.rpartition(":")[0] + at + place if at else value
        return 200, json.dumps(about).encode()
    return 200, archive.read(f"WEB-INF{path}.jsp")

def of_files(path):
    file = pathlib.Path(settings["folder"]) / path.lstrip("/")
    return (200, file.read_bytes()) if file.is_file() else (404, b"no such file")

def of_proxy(path):
    try:
        with urllib.request.urlopen("http://" + settings["upstream"] + path) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError:
        return 502, b"nobody answers behind the proxy"

class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        status, content = {"war": of_war, "files": of_files, "proxy": of_proxy}[settings["use"]](self.path)
        self.send_response(status)
        self.send_header("X-Served-By", settings["use"])
        self.end_headers()
        self.wfile.write(content)

class Admin(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write((folder / "configured").read_bytes())

if "admin" in settings:
    assert (folder / "configured").is_file(), "it starts before it is configured"
    admin = http.server.ThreadingHTTPServer((settings["host"], settings["admin"]), Admin)
    threading.Thread(target=admin.serve_forever, daemon=True).start()
http.server.ThreadingHTTPServer((settings["host"], settings["port"]), Pages).serve_forever()
"""

CONFIGURED = """
ports = ["admin"]
configure = [["python3", "{server}/configure.py", "{folder}", "{port.admin}"]]
"""


def small_server(home: Path, name: str, *uses: str, more: str = "") -> Path:
    """Write the folder of a server with these uses into the checkout and return it; `more` are further keys."""
    folder = home / "servers" / name
    folder.mkdir(parents=True)
    description = SERVER.format(title=f"{name} server", more=more) + "".join(uses) + NOT_DEFAULT
    files = {
        "server.toml": description,
        "serve.py": SERVE.replace("SETTINGS", SETTINGS),
        "configure.py": CONFIGURE,
        **TEMPLATES,
    }
    for file, content in files.items():
        (folder / file).write_text(content, encoding="utf-8")
    return folder
