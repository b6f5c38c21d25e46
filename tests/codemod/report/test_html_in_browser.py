"""The HTML report as a reader meets it, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from codemod.report.browser import Browser
from codemod.report.samples import SERVER, rule_docs, sample
from mrtr_codemod.model import Finding, Level, Span
from mrtr_codemod.report import html
from mrtr_codemod.report.outcome import Outcome
from needs import needs

VISIBLE = "[...document.querySelectorAll('[data-item]')].filter((e) => e.checkVisibility()).map((e) => e.id)"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(needs("chromium"), tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return saved(sample(), tmp_path)


def saved(outcome: Outcome, directory: Path) -> Path:
    file = directory / "report.html"
    file.write_text(html.render(outcome), "utf-8")
    return file


def handlers_shown(browser: Browser) -> list[str]:
    names: list[str] = browser.run(
        "[...document.querySelectorAll('[data-item=handler]')].filter((e) => e.checkVisibility())"
        ".map((e) => e.querySelector('h3').textContent)"
    )
    return names


def counted(browser: Browser) -> str:
    return str(browser.run("document.getElementById('shown').textContent"))


def test_the_page_asks_for_nothing_and_breaks_no_rule_of_its_policy(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.requests == [page.as_uri()]
    assert browser.complaints == []
    assert counted(browser) == "3 handlers, 7 findings"


def test_the_policy_is_in_force(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run(
        "document.body.insertAdjacentHTML('beforeend', '<img src=\"https://example.invalid/x.png\">')"
    )
    browser.run("new Promise((done) => setTimeout(done, 100))")
    assert any("violates the following Content Security Policy" in text for text in browser.complaints)


def test_a_level_filters_and_a_second_click_brings_all_back(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.click("[data-filter=level][data-value=error]")
    assert handlers_shown(browser) == ["purge"]
    assert counted(browser) == "1 handler, 1 finding"
    browser.click("[data-filter=level][data-value=error]")
    assert counted(browser) == "3 handlers, 7 findings"


def test_a_verdict_filters_handlers_and_their_findings(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.click("[data-filter=verdict][data-value=review]")
    assert handlers_shown(browser) == ["pick_handle"]
    assert counted(browser) == "1 handler, 2 findings"
    browser.click("[data-filter=verdict][data-value=hand]")
    assert handlers_shown(browser) == ["purge", "pick_handle"]


def test_a_rule_filters(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run("document.getElementById('rule').value = 'MRTR310'")
    browser.run("document.getElementById('rule').dispatchEvent(new Event('change'))")
    assert handlers_shown(browser) == ["pick_handle"]
    assert counted(browser) == "1 handler, 1 finding"


def test_the_keyboard_searches_and_clears(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.press("/")
    assert browser.run("document.activeElement.id") == "query"
    browser.type("snapshot PURGE")
    assert handlers_shown(browser) == ["purge"]
    browser.press("Escape")
    assert counted(browser) == "3 handlers, 7 findings"


def test_a_search_finds_files_too(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.click("#query")
    browser.type("DEMO.ipynb")
    assert counted(browser) == "0 handlers, 1 finding"


def test_what_passes_no_filter_is_said(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.click("#query")
    browser.type("no such words")
    assert browser.run(VISIBLE) == []
    assert browser.run("document.getElementById('nothing').checkVisibility()") is True
    assert browser.run("document.getElementById('handlers').checkVisibility()") is False
    browser.click("#clear")
    assert len(browser.run(VISIBLE)) == 10
    assert browser.run("document.getElementById('nothing').checkVisibility()") is False


def test_the_keyboard_reaches_and_works_every_control(browser: Browser, page: Path) -> None:
    browser.open(page)
    reached = []
    for _ in range(80):
        browser.press("Tab")
        place = "document.activeElement"
        reached.append(browser.run(f"{place}.id || {place}.dataset.value || {place}.getAttribute('href')"))
        if reached.count("error") == 1 and reached[-1] == "error":
            browser.press(" ")
    assert reached[0] == "#content"
    assert {"query", "rule", "error", "review", "clear", "#handler-1"} <= set(reached)
    assert handlers_shown(browser) == ["purge"]


def test_a_hazard_in_the_drawing_leads_to_its_finding(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.click("#handler-1 svg a")
    target = browser.run("document.querySelector(':target').textContent")
    assert "take_snapshot() runs again" in target
    assert browser.run("document.querySelector(':target').getBoundingClientRect().top") < 700


def test_a_link_to_what_a_filter_hides_brings_it_back(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.click("[data-filter=level][data-value=error]")
    browser.click(".names a[href='#handler-2']")
    browser.run("new Promise((done) => setTimeout(done, 50))")
    assert "pick_handle" in handlers_shown(browser)


def test_a_code_leads_to_its_rule_and_unfolds_it(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.click(".finding a.code")
    browser.run("new Promise((done) => setTimeout(done, 50))")
    assert browser.run("document.querySelector('details:target').open") is True


@pytest.mark.parametrize("width", [320, 375, 768, 1440])
def test_nothing_is_wider_than_the_window(browser: Browser, page: Path, width: int) -> None:
    browser.open(page, width=width)
    assert browser.run("innerWidth") == width
    assert browser.run("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_text_in_a_drawing_stays_inside_and_is_never_too_small(browser: Browser, tmp_path: Path) -> None:
    server = SERVER.replace("attempts < 3", f"attempts < {'long' * 40}")
    outcome = sample(server, path="深い/" * 40 + "x.py")
    longer = tuple(
        replace(ask, question=word * 90) for ask, word in zip(outcome.handlers[2].asks, "W界🎉", strict=True)
    )
    handlers = (*outcome.handlers[:2], replace(outcome.handlers[2], asks=longer))
    browser.open(saved(replace(outcome, handlers=handlers), tmp_path), width=320)
    assert browser.run("document.querySelectorAll('svg.flow text').length") > 20
    overflow = (
        "[...document.querySelectorAll('svg.flow')].flatMap((svg) => [...svg.querySelectorAll('text')]"
        ".filter((t) => t.getBBox().x + t.getBBox().width > svg.viewBox.baseVal.width).map((t) => t.textContent))"
    )
    assert browser.run(overflow) == []
    scale = "Math.min(...[...document.querySelectorAll('svg.flow')].map((s) => s.getBoundingClientRect().width / 348))"
    assert browser.run(scale) * 12 >= 9


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_enough_contrast(browser: Browser, page: Path, dark: bool) -> None:
    browser.open(page, dark=dark)
    browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true })")
    assert browser.run(_LOW_CONTRAST) == []


def test_dark_mode_is_dark(browser: Browser, page: Path) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    browser.open(page)
    light = browser.run(background)
    browser.open(page, dark=True)
    assert light == "rgb(246, 245, 241)"
    assert browser.run(background) == "rgb(20, 23, 27)"


def test_it_prints(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert len(browser.print()) > 20_000
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.run("document.getElementById('filters').checkVisibility()") is False
    browser.call("Emulation.setEmulatedMedia", media="")


def test_without_scripts_all_is_there_to_read(browser: Browser, page: Path) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(page)
        assert browser.run("document.getElementById('filters').checkVisibility()") is False
        assert len(browser.run(VISIBLE)) == 10
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)


HOSTILE = "</script></style><script>window.hit=1</script><img src=x onerror='window.hit=1'>\"'`&amp;<svg onload=hit=1>"


def test_hostile_text_stays_text_wherever_it_stands(browser: Browser, tmp_path: Path) -> None:
    outcome = sample(SERVER.replace("could not ask", HOSTILE), path=f"{HOSTILE}.py".replace("/", "\u2215"))
    handlers = tuple(
        replace(handler, name=HOSTILE, reason=HOSTILE, method=HOSTILE, framework=HOSTILE)
        for handler in outcome.handlers
    )
    span = outcome.handlers[0].span
    finding = Finding("MRTR101", Level.ERROR, HOSTILE, span, HOSTILE, related=((HOSTILE, span),))
    rules = {
        code: replace(rule, summary=HOSTILE, what=HOSTILE, name=HOSTILE)
        for code, rule in rule_docs(["MRTR101"]).items()
    }
    browser.open(saved(replace(outcome, handlers=handlers, findings=(finding,), rules=rules), tmp_path))
    assert browser.run("window.hit === undefined") is True
    assert browser.run("document.querySelectorAll('script').length") == 1
    assert browser.run("document.querySelectorAll('img').length") == 0
    assert browser.requests == [(tmp_path / "report.html").as_uri()]
    assert browser.complaints == []
    assert browser.run("document.querySelector('.message').textContent").replace("`", "") == HOSTILE.replace(
        "`", ""
    )


def test_five_thousand_findings_open_and_filter_at_once(browser: Browser, tmp_path: Path) -> None:
    outcome = sample()
    findings = tuple(
        Finding("MRTR101", Level.INFO, f"finding {n}", Span("src/files.py", n % 60 + 1, 1, n % 60 + 1, 4))
        for n in range(5000)
    )
    browser.open(saved(replace(outcome, findings=findings), tmp_path))
    assert counted(browser) == "3 handlers, 5,001 findings"
    spent = browser.run(
        "(() => { const q = document.getElementById('query'); q.value = 'finding 4999'; const t = performance.now();"
        " q.dispatchEvent(new Event('input')); return performance.now() - t })()"
    )
    assert counted(browser) == "0 handlers, 1 finding"
    assert spent < 5000


def test_a_clean_repo_has_a_page_too(browser: Browser, tmp_path: Path) -> None:
    browser.open(saved(Outcome(files=12), tmp_path))
    assert browser.complaints == []
    assert "12 files checked, no findings." in browser.run("document.body.innerText")
    assert browser.run("document.getElementById('filters')") is None


# Every text against the nearest opaque background, by the formula of WCAG 2.2; 4.5 is level AA.
_LOW_CONTRAST = """
(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const linear = (c) => ((c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = rgba(getComputedStyle(e).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const low = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !element.checkVisibility()) continue;
    if (element.closest("script, title, .hide, option")) continue;
    const style = getComputedStyle(element);
    const ink = rgba(element.closest("svg") ? style.fill : style.color);
    const [high, dim] = [luminance(ink), luminance(behind(element))].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (dim + 0.05);
    if (ratio < 4.5) low.push(`${ratio.toFixed(2)} ${element.outerHTML}`);
  }
  return [...new Set(low)];
})()
"""
