"""A checkout in a temporary folder with one small platform: Python programs that obey specs/README.md."""

from __future__ import annotations

from pathlib import Path

from middlemark.specification.specification import about_name, read_specification

PLATFORM = """
name = "{name}"
language = "Python"

[toolchain]
command = ["{tool}", "--version"]
runs_on = '{runs_on}'
minimum = "{minimum}"
debian = "apt install python3"
macos = "brew install python3"

[specs.brokerage]
build = {build}
{made}
roles = ["web", "services", "processor", "all"]

[specs.brokerage.modes]
binding = ["local", "json", "grpc"]
data-access = ["{native}", "other"]
orders = ["sync", "async-queue"]
"""

APPLICATION = r"""
import glob, http.server, json, os, re, tomllib
described = [tomllib.load(open(file, "rb")) for file in glob.glob("../../specs/*/spec.toml")]
settings = {name[3:].lower(): "" for one in described for name in one.get("settings", {})}
settings |= {name[3:].lower(): re.sub("(//[^:]*):[^@]*@", r"\1@", value)
            for name, value in os.environ.items() if name.startswith("MM_")}
about = {"platform": os.path.basename(os.getcwd()), "server": "http.server",
         "specification": "brokerage", "specification_version": "1",
         "commit": "none", "roles": settings["role"].split(","), "settings": settings, "versions": {},
         "not_default": []}
class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        if self.path == "/session":
            self.send_header("Set-Cookie", "session=0123456789abcdef0123456789abcdef; Path=/; HttpOnly; SameSite=Lax")
        self.end_headers()
        self.wfile.write(json.dumps(about).encode() if self.path == "/about" else b"ok")
http.server.ThreadingHTTPServer((settings["host"], int(settings["port"])), Pages).serve_forever()
"""

START = 'start = ["python3", "{artifact}"]'
WAR = 'artifact = "war"'
BROKERAGE = Path(__file__).parents[2] / "specs" / "brokerage"
SETTINGS = " ".join(map(about_name, read_specification(BROKERAGE).description.settings))
"""The names in `/about` of all settings of the brokerage."""
COUNTING_BUILD = '["sh", "-c", "echo built >> ../../builds && cp application.py {artifact}"]'


def small_checkout(
    folder: Path,
    *,
    build: str = COUNTING_BUILD,
    made: str = START,
    name: str = "small",
    **words: str,
) -> Path:
    """Write the checkout into `folder` and return it. `build` adds a line to the file `builds` each time it runs.

    `made` says what the build makes: a program with its start, or WAR.
    `words` are the toolchain's `tool`, `minimum` and `runs_on`, and `native`, the first data access.
    """
    platform = folder / "platforms" / name
    platform.mkdir(parents=True)
    specification = folder / "specs" / BROKERAGE.name
    specification.mkdir(parents=True)
    (folder / "specs" / "README.md").touch()
    for part in BROKERAGE.iterdir():
        (specification / part.name).symlink_to(part)
    (platform / "application.py").write_text(APPLICATION)
    given = {"minimum": "3.11", "native": "native", "tool": "python3", "runs_on": ""} | words
    content = PLATFORM.format(**given, build=build, made=made, name=name)
    (platform / "platform.toml").write_text(content)
    return folder
