"""The HTML report as a text; test_html_in_browser.py has it run."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from codemod.report.samples import sample
from mrtr_codemod.report import html
from mrtr_codemod.report.html.markup import Markup, join, prose, tag, text
from mrtr_codemod.report.html.rules import blocks
from mrtr_codemod.report.outcome import Outcome

VOID = {"br", "hr", "img", "input", "link", "meta"}


class Reader(HTMLParser):
    """Collects attributes and fails on elements that are not closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.attributes += [(name, key, value) for key, value in attributes]
        if name not in VOID:
            self.open.append(name)

    def handle_endtag(self, name: str) -> None:
        assert self.open.pop() == name

    def values(self, key: str) -> list[str]:
        return [value or "" for _, found, value in self.attributes if found == key]


def test_it_is_one_file_that_refers_to_nothing_else() -> None:
    reader = Reader(html.render(sample()))
    assert reader.values("src") == []
    links = reader.values("href")
    assert {link for link in links if not link.startswith("#")} == {
        "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr"
    }
    assert not re.search(r"url\(|@import|fetch\(|XMLHttp", html.render(sample()))


def test_every_link_inside_leads_somewhere_and_every_id_is_there_once() -> None:
    reader = Reader(html.render(sample()))
    ids = reader.values("id")
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in reader.values("href") if link.startswith("#")} <= set(ids)


def test_nothing_is_styled_or_scripted_in_an_attribute() -> None:
    reader = Reader(html.render(sample()))
    assert reader.values("style") == []
    assert not [key for _, key, _ in reader.attributes if key.startswith("on")]


def test_the_same_outcome_gives_the_same_page() -> None:
    assert html.render(sample()) == html.render(sample())


def test_an_empty_outcome_gives_a_page() -> None:
    Reader(html.render(Outcome()))


@pytest.mark.parametrize("hostile", ["<b>", "&amp;", '" onload="x', "' x", "</script>", "<!--", "]]>"])
def test_text_is_escaped_wherever_it_goes(hostile: str) -> None:
    page = tag("p", {"title": hostile}, hostile, join([hostile]), prose(f"`{hostile}` {hostile}"))
    assert not re.search(r"<(?!/?(p|code)\b)", page)
    reader = Reader(page)
    assert reader.values("title") == [hostile]
    assert [key for _, key, _ in reader.attributes] == ["title"]


def test_markup_is_not_escaped_twice() -> None:
    assert tag("p", {}, tag("b", {}, "a & b")) == "<p><b>a &amp; b</b></p>"
    assert join([Markup("<i>"), "<i>"], ", ") == "<i>, &lt;i&gt;"


def test_attributes_may_be_left_out_or_stand_alone() -> None:
    assert tag("p", {"a": None, "b": False, "c": True, "d": 0}) == '<p c d="0"></p>'


def test_invisible_characters_are_written_out_and_layout_is_kept() -> None:
    assert text("a\u202eb\x00\n\tc") == "a\\u202eb\\x00\n\tc"


def test_the_documentation_of_a_rule_is_rendered() -> None:
    shown = blocks(
        "Uses `x < y`.\nStill.\n\n- one\n- two\n  more\n\n```python\na = '<b>'\n\nb = 1\n```\n\nEnd."
    )
    assert shown == (
        "<p>Uses <code>x &lt; y</code>. Still.</p><ul><li>one</li><li>two more</li></ul>"
        "<pre><code>a = &#x27;&lt;b&gt;&#x27;\n\nb = 1\n</code></pre><p>End.</p>"
    )
