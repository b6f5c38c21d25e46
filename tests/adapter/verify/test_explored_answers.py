"""Explored answers and words: forms are accepted, refused and broken; words are those that the server tells apart."""

from __future__ import annotations

from pathlib import Path

from mrtr_adapter.engine.answers import accepted
from mrtr_adapter.engine.question import ELICIT, SAMPLE, Question
from mrtr_adapter.verify.answers import Elicited, on_the_wire
from mrtr_adapter.verify.explore.answers import answers_to_try
from mrtr_adapter.verify.explore.words import MOST, known_words

FORM = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}, "why": {"type": "string"}},
    "required": ["ok"],
}


def test_a_form_is_accepted_refused_and_answered_against_its_schema() -> None:
    question = Question.of(ELICIT, {"mode": "form", "message": "?", "requestedSchema": FORM})
    tried = list(answers_to_try(question))
    single = [each[0] for each in tried if len(each) == 1]
    assert Elicited(action="decline") in single
    assert Elicited(action="cancel") in single
    contents = [each.content for each in single if isinstance(each, Elicited) and each.action == "accept"]
    assert {content["ok"] for content in contents if content} == {True, False}
    assert {"ok": True} in contents
    assert all(accepted(question, {"action": "accept", "content": content}) for content in contents)

    ((invalid, then),) = [each for each in tried if len(each) == 2]
    assert isinstance(invalid, Elicited)
    assert not accepted(question, on_the_wire(invalid, ""))
    assert then == Elicited(action="decline")


def test_a_model_answers_with_text_and_without() -> None:
    question = Question.of(SAMPLE, {"messages": [], "maxTokens": 1})
    wire = [on_the_wire(each[0], "") for each in answers_to_try(question)]  # type: ignore[arg-type]
    assert [each["content"]["type"] for each in wire] == ["text", "image", "text"]
    assert all(accepted(question, each) for each in wire)


def test_words_are_what_the_code_tells_apart(tmp_path: Path) -> None:
    file = tmp_path / "server.py"
    file.write_text(
        'TABLE = {"inbox": 1, "spam": 2}\n'
        'if __name__ == "__main__":\n    pass\n'
        "def tool(answer, text):\n"
        '    """Not this."""\n'
        '    if answer.action == "accept" and text.startswith("free"):\n'
        '        return "nor this"\n'
        '    return text in ("yes", "no")\n'
    )
    assert known_words(file) == ["inbox", "spam", "yes", "no", "free"]
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "annual report.txt").touch()
    assert known_words(file)[-1] == "annual report"
    file.write_text(f"TABLE = {dict.fromkeys(map(str, range(99)))}")
    assert len(known_words(file)) == MOST + 1
