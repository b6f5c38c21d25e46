"""The page around the sections, and the policy that lets it load and run nothing but itself."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from mrtr_codemod.report.html.anchors import Anchors
from mrtr_codemod.report.html.findings import findings
from mrtr_codemod.report.html.handlers import handlers
from mrtr_codemod.report.html.markup import Markup, tag
from mrtr_codemod.report.html.overview import overview
from mrtr_codemod.report.html.rules import rules
from mrtr_codemod.report.html.toolbar import toolbar

if TYPE_CHECKING:
    from mrtr_codemod.report.outcome import Outcome

_ASSETS = Path(__file__).parent / "assets"


def render(outcome: Outcome) -> str:
    """Return the whole page. It is the same for the same outcome: it holds no time and no machine's name."""
    script = _asset("page.js")
    anchors = Anchors.of(outcome)
    body = tag(
        "body",
        {},
        tag("a", {"class": "skip", "href": "#content"}, "Skip to the handlers"),
        tag("main", {}, overview(outcome, anchors), toolbar(outcome), _content(outcome, anchors)),
        tag("script", {}, script),
    )
    return document("Migration to MCP 2026-07-28", body, script)


def document(title: str, body: Markup, script: Markup | None = None) -> str:
    """A whole page in the style of the reports. It loads nothing, and runs nothing but `script`."""
    style = _asset("style.css")
    head = tag(
        "head",
        {},
        tag("meta", {"charset": "utf-8"}),
        tag("meta", {"http-equiv": "Content-Security-Policy", "content": _policy(style, script)}),
        tag("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        tag("meta", {"name": "color-scheme", "content": "light dark"}),
        tag("title", {}, title),
        tag("style", {}, style),
    )
    return f"<!doctype html>\n{tag('html', {'lang': 'en'}, head, body)}\n"


def _content(outcome: Outcome, anchors: Anchors) -> Markup:
    nothing = tag("p", {"id": "nothing", "class": "lead", "hidden": True}, "Nothing here passes the filters.")
    parts = (handlers(outcome, anchors), findings(outcome, anchors), nothing, rules(outcome))
    return tag("div", {"id": "content"}, *parts)


def _asset(name: str) -> Markup:
    return Markup((_ASSETS / name).read_text("utf-8"))


def _policy(style: str, script: str | None) -> str:
    scripts = _digest(script) if script is not None else "'none'"
    return (
        f"default-src 'none'; style-src {_digest(style)}; script-src {scripts}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
