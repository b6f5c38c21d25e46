"""What a text tells without being parsed."""

from __future__ import annotations

import pytest

from mrtr_codemod.source import SourceFile
from mrtr_codemod.texts.imports import HERE, imported_words
from mrtr_codemod.texts.lines import lines_at, lines_with
from mrtr_codemod.texts.survey import Survey, Topic
from mrtr_codemod.texts.vocabulary import Vocabulary

IMPORTS = {
    "import a.b as c": {"a", "b", "c"},
    "from a import (\n    b,  # (first)\n    c,\n)": {"a", "b", "c"},
    "from a \\\n    import b": {"a", "b"},
    "from a \\\n  \\\n  import b": {"a", "b"},
    "import a; from b import c": {"a", "b", "c"},
    "if x: from a import b": {"a", "b"},
    "try: import a\nexcept ImportError: import b": {"a", "b"},
    "def f():\n\tfrom a import b\n": {"a", "b"},
    "from . import a": {"a", HERE},
    "from .. import a\r\nfrom .b import c\r\n": {"a", "b", "c", HERE},
    "from a import b\rimport c\r": {"a", "b", "c"},
    "importance = 1\nx.important()\n": set(),
    "": set(),
}


@pytest.mark.parametrize(("text", "words"), IMPORTS.items(), ids=range(len(IMPORTS)))
def test_every_name_of_an_import_is_found(text: str, words: set[str]) -> None:
    assert words <= imported_words(text)


def test_what_is_no_import_names_nothing() -> None:
    assert imported_words("important = x.imports\nprint('importing', a)\n") == set()


def test_a_vocabulary_finds_what_a_search_for_each_word_finds() -> None:
    words = {"elicit", "licit", "elicit_url", "solicit", "url", "_", "Elicit", "mcp"}
    vocabulary = Vocabulary(words)
    for text in ("", "elicit", "solicitor", "elicit_url", "x_url", "mcp.Elicit", "ELICIT", "licit elicit_ur"):
        assert vocabulary.found_in(text) == {word for word in words if word in text}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_are_those_of_python(newline: str) -> None:
    text = newline.join(["a word", "words", "a\x0cword, word", "sword", "word"])
    assert lines_with(text, "word") == [1, 3, 5]
    assert lines_at(text, [0, text.index("sword"), len(text) - 1]) == [1, 4, 5]


def test_a_text_has_a_topic_if_it_tells_of_the_subject_and_concerns_it() -> None:
    topics = [Topic("forms", ["form"]), Topic("long forms", ["form"], lambda text: len(text) > 30)]
    survey = Survey(topics, telling=["mcp"], also=["note:"])
    texts = {
        "a.py": "mcp form",
        "b.py": "form",
        "c.py": "mcp",
        "d.py": "mcp form" + " " * 30,
        "e.py": "note:",
    }
    sources = {path: SourceFile(path, text) for path, text in texts.items()}
    for source in sources.values():
        survey.add(source)
    assert survey.topics == {"a.py": {"forms"}, "d.py": {"forms", "long forms"}}
    for word in ("note:", "form", "absent"):
        assert [survey.mentions(source, word) for source in sources.values()] == [
            word in text for text in texts.values()
        ]
