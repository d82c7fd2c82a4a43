"""What is true of every page of an application, and how a user logs in."""

from __future__ import annotations

from pydantic import Field

from middlemark.documents import Document


class Login(Document):
    """How a user of the data set logs in: a form, answered with this status."""

    post: str
    form: dict[str, str] = Field(min_length=1, description="fields; ${user} is the user")
    status: int = 303
    hint: str = Field("", description="what `up` tells people, like: log in as uid:0 with the password xxx")


class Cookie(Document):
    """The only cookie that a page may set: HttpOnly, SameSite=Lax, Path=/."""

    name: str
    least_bits: int = Field(128, ge=1)


class Pages(Document):
    """What is true of every page."""

    content_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = Field({}, description="header: its value on every page")
    scripts: bool = Field(default=False, description="whether pages may have scripts")
    cookie: Cookie | None = Field(None, description="without it pages set no cookie")
