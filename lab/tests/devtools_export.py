"""What Chromium's own developer tools write as "Save all as HAR", from the DevTools of a page that a person uses."""

from __future__ import annotations

import itertools
import json
import time
from enum import StrEnum
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page

DEVTOOLS = "--auto-open-devtools-for-tabs"
_SECONDS = 30
_SHOW_NETWORK = """(async () => {
  const [common, sdk, ui] = await Promise.all(
    [import('./core/common/common.js'), import('./core/sdk/sdk.js'), import('./ui/legacy/legacy.js')]);
  const isReady = () => common.Settings.Settings.hasInstance()
    && sdk.TargetManager.TargetManager.instance().primaryPageTarget()?.model(sdk.NetworkManager.NetworkManager);
  while (!isReady()) await new Promise(resolve => setTimeout(resolve, 20));
  common.Settings.Settings.instance().moduleSetting('network-log.preserve-log').set(true);
  await ui.ViewManager.ViewManager.instance().showView('network');
})()"""
_SAVE_ALL = """(async () => {
  const [common, har, logs] = await Promise.all(
    [import('./core/common/common.js'), import('./models/har/har.js'), import('./models/logs/logs.js')]);
  const parts = [], file = {write: async text => { parts.push(text); }};
  const requests = logs.NetworkLog.NetworkLog.instance().requests();
  await har.Writer.Writer.write(file, requests, {sanitize: %s}, new common.Progress.Progress());
  return parts.join('');
})()"""


class Export(StrEnum):
    """The two forms of the export; the sanitized one has no cookies and no credentials."""

    SANITIZED = "sanitized"
    WITH_SENSITIVE_DATA = "with sensitive data"


class DevTools:
    """The developer tools of the only page of a browser that was started with `DEVTOOLS`."""

    def __init__(self, browser: Browser, page: Page) -> None:
        """Open their network panel, with "Preserve log"."""
        self._page = page
        self._session = browser.new_browser_cdp_session()
        self._replies: dict[int, Any] = {}
        self._numbers = itertools.count(1)
        self._target = _attached(self._session, page)
        self._session.on("Target.receivedMessageFromTarget", self._receive)
        self._evaluated(_SHOW_NETWORK)

    def export(self, form: Export) -> str:
        """HAR of everything since the panel was opened; each response must have been read by the page."""
        return str(self._evaluated(_SAVE_ALL % json.dumps(form is Export.SANITIZED)))

    def _receive(self, event: dict[str, Any]) -> None:
        reply = json.loads(event["message"])
        self._replies[reply.get("id", 0)] = reply

    def _evaluated(self, script: str) -> Any:
        number = next(self._numbers)
        wanted = {"expression": script, "awaitPromise": True, "returnByValue": True}
        message = json.dumps({"id": number, "method": "Runtime.evaluate", "params": wanted})
        self._session.send("Target.sendMessageToTarget", {"sessionId": self._target, "message": message})
        end = time.monotonic() + _SECONDS
        while number not in self._replies:
            assert time.monotonic() < end, f"DevTools did not answer within {_SECONDS} s"
            self._page.wait_for_timeout(20)
        result = self._replies[number]["result"]
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")


def _attached(session: CDPSession, page: Page) -> str:
    """Session of the DevTools target, which opens with the page."""
    end = time.monotonic() + _SECONDS
    while True:
        targets = session.send("Target.getTargets")["targetInfos"]
        tools = [each["targetId"] for each in targets if each["url"].startswith("devtools://")]
        if tools:
            return str(session.send("Target.attachToTarget", {"targetId": tools[0], "flatten": False})["sessionId"])
        assert time.monotonic() < end, f"DevTools did not open within {_SECONDS} s"
        page.wait_for_timeout(20)
