"""A client that speaks HTTP/1.0 without keep-alive: one connection for each request, which the server closes."""

from __future__ import annotations

import re
import socket
import ssl

import httpx

_STATUS_LINE = re.compile(rb"HTTP/1\.[01] (\d{3})( |$)")
_BLOCK = 65536


class Http10Transport(httpx.BaseTransport):
    """Sends each request in HTTP/1.0 and reads until the server closes the connection. `trust` is for https."""

    def __init__(self, seconds: float, trust: ssl.SSLContext | None) -> None:
        self._seconds = seconds
        self._trust = trust

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response; httpx.RemoteProtocolError for one that a client of HTTP/1.0 cannot read."""
        try:
            with self._connected(request.url) as connection:
                connection.sendall(_head(request) + request.read())
                received = b"".join(iter(lambda: connection.recv(_BLOCK), b""))
        except TimeoutError as error:
            what = f"the server has not closed the connection after {self._seconds:g} s"
            raise httpx.ReadTimeout(what, request=request) from error
        except OSError as error:
            raise httpx.NetworkError(str(error), request=request) from error
        return _response(received, request)

    def _connected(self, url: httpx.URL) -> socket.socket:
        plain = socket.create_connection((url.host, url.port or 443), self._seconds)
        if url.scheme != "https" or self._trust is None:
            return plain
        return self._trust.wrap_socket(plain, server_hostname=url.host)


def _head(request: httpx.Request) -> bytes:
    target = request.extensions.get("target", request.url.raw_path)
    lines = [request.method.encode() + b" " + target + b" HTTP/1.0"]
    lines += [name + b": " + value for name, value in request.headers.raw if name.lower() != b"connection"]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _response(received: bytes, request: httpx.Request) -> httpx.Response:
    """Return what was received up to the end of the connection as a response."""
    head, end, body = received.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    status = _STATUS_LINE.match(first)
    if not end or not status:
        raise httpx.RemoteProtocolError(f"expected a response, found {received[:80]!r}", request=request)
    headers = httpx.Headers([(name, value.strip()) for name, _, value in (line.partition(b":") for line in lines)])
    if "transfer-encoding" in headers:
        raise httpx.RemoteProtocolError("HTTP/1.0 has no Transfer-Encoding, the response has", request=request)
    length = headers.get("content-length")
    if length is not None and request.method != "HEAD" and int(length) != len(body):
        raise httpx.RemoteProtocolError(f"expected {length} bytes of body, found {len(body)}", request=request)
    return httpx.Response(int(status[1]), headers=headers, content=body, request=request)
