"""A hostile or broken file is named, and neither hangs nor stops the check of the others."""

from __future__ import annotations

import time

import pytest

from mrtr_codemod.check import check
from mrtr_codemod.source import SourceFile

HONEST = "from fastmcp import Context\nasync def f(c: Context):\n    await c.elicit('?', bool)\n"
MENTION = "from fastmcp import Context\n# c.elicit(\nasync def f(c: Context):\n    await c.elicit(x, bool)\n"

BROKEN = {
    "nested parentheses": "x = " + "(" * 5_000 + ")" * 5_000,
    "nested lists": "x = " + "[" * 5_000 + "]" * 5_000,
    "long sum": "x = " + "+".join(["a"] * 200_000),
    "unary minus": "x = " + "-" * 100_000 + "1",
    "nested blocks": "".join(f"{' ' * n}if x:\n" for n in range(300)) + " " * 300 + "pass\n",
    "elif chain": "if x: pass\n" + "elif x: pass\n" * 20_000,
    "attribute chain": "x" + ".a" * 100_000,
    "call chain": "x" + "()" * 100_000,
    "huge": "x = '" + "a" * 3_000_000 + "'",
    "null byte": "x = 1\x00",
    "unfinished": "def f(:\n",
    "python 2": "print 'hello'\n",
    "python 2 except": "try:\n    pass\nexcept ValueError, e:\n    pass\n",
}
FINE = {
    "long literal": "x = [" + "1," * 100_000 + "]\n",
    "many functions": "".join(f"def f{n}(): pass\n" for n in range(5_000)),
    "many names": "".join(f"a{n} = a{n - 1}\n" for n in range(1, 3_000)),
    "cycle": "a = b\nb = a\nclass A(B): pass\nclass B(A): pass\ndef g(): return g()\n",
    "itself": "import server\nfrom server import *\nfrom . import server\n",
    "star cycle": "from other import *\n",
    "empty": "",
    "form feed": "\x0c\n",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_a_file_that_cannot_be_checked_is_named_with_a_reason(text: str) -> None:
    started = time.monotonic()
    report = check([SourceFile("hostile.py", f"{MENTION}\n{text}\n"), SourceFile("honest.py", HONEST)])
    assert time.monotonic() - started < 30
    for failure in report.failures:
        assert failure.path == "hostile.py"
        assert failure.reason
    found = {finding.span.path for finding in report.findings if finding.rule == "MRTR101"}
    assert "honest.py" in found
    assert report.failures or "hostile.py" in found


@pytest.mark.parametrize("text", FINE.values(), ids=FINE.keys())
def test_an_odd_file_is_checked_like_any_other(text: str) -> None:
    report = check(
        [SourceFile("server.py", f"{HONEST}{text}"), SourceFile("other.py", "from server import *\n")]
    )
    assert not report.failures
    assert [finding.span.line for finding in report.findings if finding.rule == "MRTR101"] == [3]


def test_python_2_is_said_to_be_python_2() -> None:
    (failure,) = check([SourceFile("old.py", f"{MENTION}print 'hello'\n")]).failures
    assert "Python 2" in failure.reason


def _nested(head: str, depth: int) -> str:
    return "".join(f"{' ' * (n + 1)}{head}\n" for n in range(depth)) + " " * (depth + 1)


COSTLY = {
    "loops in loops": _nested("for x in c:", 60)
    + "open('x', 'w').write('y')\n"
    + " " * 61
    + "await c.elicit('?', bool)\n",
    "endless loops": _nested("while True:", 60) + "x = await c.elicit('?', bool)\n",
    "ifs in a row": "".join(f" if c: a{n} = {n}\n else: a{n} = 0\n" for n in range(300))
    + " await c.elicit('?', bool)\n",
    "many asks": "".join(
        f" try:\n  a{n} = await c.elicit('?', bool)\n except Exception:\n  a{n} = None\n" for n in range(400)
    ),
    "tries in tries": _nested("try:", 40)
    + "await c.elicit('?', bool)\n"
    + "".join(f"{' ' * n}except Exception:\n{' ' * (n + 1)}pass\n" for n in range(40, 0, -1)),
}


@pytest.mark.parametrize("body", COSTLY.values(), ids=COSTLY.keys())
def test_a_function_that_is_costly_to_follow_is_followed_in_time(body: str) -> None:
    text = f"from fastmcp import Context, FastMCP\nmcp = FastMCP('x')\n@mcp.tool\nasync def f(c: Context):\n{body}"
    started = time.process_time()
    report = check([SourceFile("server.py", text)])
    assert time.process_time() - started < 30
    assert not report.failures
    assert sum(finding.rule == "MRTR101" for finding in report.findings) == body.count("c.elicit(")
    assert len(report.handlers) == 1


def test_a_deep_handler_fails_alone() -> None:
    deep = "from fastmcp import Context\nasync def f(c: Context):\n    x = " + "a if b else " * 700 + "c\n"
    deep += "    await c.elicit(x, bool)\n"
    report = check([SourceFile("deep.py", deep), SourceFile("honest.py", HONEST)])
    assert {failure.path for failure in report.failures} <= {"deep.py"}
    assert "honest.py" in {finding.span.path for finding in report.findings}
