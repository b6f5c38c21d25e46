"""The support module goes where the code that imports it finds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrtr_codemod.rewrite.place import support_place

SCRIPT = b"if __name__ == '__main__':\n    main()\n"


@pytest.mark.parametrize(
    ("beside", "text", "prefix"),
    [
        ("desk/__init__.py", "", ""),
        ("desk/__main__.py", "from .server import main\n", "."),
        ("desk/cli.py", "from desk.server import main\n", "."),
        ("desk/cli.py", "import desk.server\n", "."),
        ("desk/cli.py", "from other.server import main\n", ""),
        ("pyproject.toml", "[project.scripts]\ndesk = 'desk.server:main'\n", "."),
    ],
)
def test_a_script_in_a_package_is_a_module_if_the_package_uses_it(
    tmp_path: Path, beside: str, text: str, prefix: str
) -> None:
    server = tmp_path / "desk" / "server.py"
    server.parent.mkdir()
    (server.parent / "__init__.py").touch()
    server.write_bytes(SCRIPT)
    (tmp_path / beside).write_text(text)
    assert support_place(server, SCRIPT).prefix == prefix
    assert support_place(server, SCRIPT).directory == server.parent
