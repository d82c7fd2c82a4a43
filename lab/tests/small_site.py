"""A site in the checkout of a test: pages, a program, a set of files, and servers of the repository to host it."""

from __future__ import annotations

import shutil
from pathlib import Path

from small_shop import ENCRYPTED, ONE_PLATFORM, shop_checkout

from conftest import ROOT

SITE = (
    ENCRYPTED.replace("entry = true\n", 'entry = true\nfiles = ["pictures"]\n')
    + """
[features]
plain = "pages as they are"
dated = "a page with an include"
program = "a program"

[files.pictures]
variable = "MM_PICTURES"
folder = "pictures"
address = "/of/animals/"
"""
)
PLATFORM = (
    ONE_PLATFORM.partition("start = ")[0]
    + """artifact = "site"
features = ["plain", "dated", "program"]
feature_abilities = {{ dated = "ssi", program = "cgi" }}

[[specs.shop.not_default]]
what = "shell of the program"
value = "sh"
why = "it has one line"

[specs.shop.modes]
privacy = ["none", "some"]
"""
)
FILES = {
    "site/pages/plain.html": "<p>plain",
    "site/pages/look.css": "p {}",
    "site/pages/dated.shtml": '<p><!--#config timefmt="%Y-%m-%d" --><!--#echo var="DATE_GMT" -->',
    "site/cgi/hello": "#!/bin/sh\nprintf 'Content-Type: text/plain\\nContent-Length: 5\\n\\nhello'\n",
}


def site_checkout(home: Path, *servers: str) -> Path:
    """Write the checkout, with copies of these servers, where everybody may read it; return its folder."""
    build = '["cp", "-r", "site", "{{artifact}}"]'
    shop_checkout(home, specification=SITE, platform=PLATFORM.replace("{build}", build))
    small = home / "platforms" / "small"
    for name, text in FILES.items():
        (small / name).parent.mkdir(parents=True, exist_ok=True)
        (small / name).write_text(text, encoding="utf-8")
    (small / "site" / "cgi" / "hello").chmod(0o755)
    (home / "specs" / "shop" / "pictures" / "cat.txt").write_text("a cat", encoding="utf-8")
    for server in servers:
        shutil.copytree(ROOT / "servers" / server, home / "servers" / server)
    return home
