"use strict";
(() => {
  const form = document.getElementById("filters");
  if (!form) return;
  const query = document.getElementById("query");
  const rule = document.getElementById("rule");
  const shown = document.getElementById("shown");
  const nothing = document.getElementById("nothing");
  const chips = [...form.querySelectorAll("[data-filter]")];
  const items = [...document.querySelectorAll("[data-item]")].map((element) => ({
    element,
    verdict: element.dataset.verdict,
    levels: element.dataset.levels.split(" "),
    rules: element.dataset.rules.split(" "),
    words: null,
  }));

  const wordsOf = (item) => (item.words ??= `${item.element.dataset.path} ${item.element.textContent}`.toLowerCase());
  const isPressed = (chip) => chip.getAttribute("aria-pressed") === "true";
  const chosen = (name) => chips.filter((c) => c.dataset.filter === name && isPressed(c)).map((c) => c.dataset.value);

  function apply() {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const levels = chosen("level");
    const verdicts = chosen("verdict");
    const counts = { handler: 0, finding: 0 };
    for (const item of items) {
      const passes =
        (!verdicts.length || verdicts.includes(item.verdict)) &&
        (!levels.length || levels.some((level) => item.levels.includes(level))) &&
        (!rule.value || item.rules.includes(rule.value)) &&
        words.every((word) => wordsOf(item).includes(word));
      item.element.hidden = !passes;
      if (passes) counts[item.element.dataset.item] += 1;
    }
    hideEmpty("[data-group]");
    hideEmpty("#content > section:has([data-item])");
    nothing.hidden = counts.handler + counts.finding > 0;
    shown.textContent = `${plural(counts.handler, "handler")}, ${plural(counts.finding, "finding")}`;
  }

  function hideEmpty(selector) {
    for (const group of document.querySelectorAll(selector)) {
      group.hidden = !group.querySelector("[data-item]:not([hidden])");
    }
  }

  const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

  function clear() {
    query.value = "";
    rule.value = "";
    for (const chip of chips) chip.setAttribute("aria-pressed", "false");
    apply();
  }

  // A link may lead to what a filter hides, or to a rule that is folded up.
  function reveal() {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    if (target.closest("[hidden]")) clear();
    if (target.matches("details")) target.open = true;
    target.scrollIntoView();
  }

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    clear();
  });
  query.addEventListener("input", apply);
  rule.addEventListener("change", apply);
  for (const chip of chips) {
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", String(!isPressed(chip)));
      apply();
    });
  }
  addEventListener("hashchange", reveal);
  addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      query.focus();
    }
    if (event.key === "Escape" && typing === query) {
      query.value = "";
      apply();
    }
  });
  apply();
  reveal();
})();
