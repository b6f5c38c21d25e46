"""Nothing that a handler does with its suspension turns it into a result, and nothing unconfirmed happens meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
import pytest
from mcp.server.mcpserver import Context

from adapter.rounds import YES, always, call, play_tool
from adapter.servers import Ok, serving

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A file that only a confirmed handler may delete."""
    path = tmp_path / "precious"
    path.write_text("x")
    Swallowing.target = path
    return path


class Swallowing:
    """Handlers that catch, each in its own way, what stops them, and would go on to delete."""

    target: Path

    @classmethod
    def delete(cls, how: str) -> str:
        cls.target.unlink()
        return f"deleted {how}"

    async def catching_exception(self, ctx: Context) -> str:
        try:
            await ctx.elicit("Delete?", Ok)
        except Exception:
            pass
        return self.delete("anyway")

    async def catching_everything(self, ctx: Context) -> str:
        try:
            await ctx.elicit("Delete?", Ok)
        except:  # noqa: E722
            pass
        return self.delete("anyway")

    async def catching_base_exception(self, ctx: Context) -> str:
        try:
            await ctx.elicit("Delete?", Ok)
        except BaseException:
            return self.delete("in except")
        return self.delete("confirmed")

    async def catching_and_waiting(self, ctx: Context) -> str:
        with contextlib.suppress(BaseException):
            await ctx.elicit("Delete?", Ok)
        await anyio.sleep(0)
        return self.delete("after a wait")

    async def retrying(self, ctx: Context) -> str:
        for _ in range(5):
            try:
                await ctx.elicit("Delete?", Ok)
                break
            except BaseException:
                continue
        return self.delete("after retries")

    async def returning_in_finally(self, ctx: Context) -> str:
        try:
            await ctx.elicit("Delete?", Ok)
        finally:
            return self.delete("in finally")  # noqa: B012

    async def suppressing(self, ctx: Context) -> str:
        with contextlib.suppress(BaseException):
            await ctx.elicit("Delete?", Ok)
        return self.delete("suppressed")

    async def raising_another(self, ctx: Context) -> str:
        try:
            await ctx.elicit("Delete?", Ok)
        except BaseException as error:
            raise RuntimeError("wrapped") from error
        return self.delete("confirmed")

    async def shielding(self, ctx: Context) -> str:
        with anyio.CancelScope(shield=True), contextlib.suppress(Exception):
            await ctx.elicit("Delete?", Ok)
        return self.delete("shielded")

    async def timing_out(self, ctx: Context) -> str:
        with anyio.move_on_after(0.0001):
            await ctx.elicit("Delete?", Ok)
        return self.delete("after a timeout")

    async def deleting_in_a_thread(self, ctx: Context) -> str:
        with contextlib.suppress(BaseException):
            await ctx.elicit("Delete?", Ok)
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self.target.unlink)
        return "deleted in a thread"

    def sync_catching_exception(self, ctx: Context) -> str:
        try:
            anyio.from_thread.run(ctx.elicit, "Delete?", Ok)
        except Exception:
            pass
        return self.delete("anyway")

    def sync_catching_everything(self, ctx: Context) -> str:
        try:
            anyio.from_thread.run(ctx.elicit, "Delete?", Ok)
        except BaseException:
            pass
        return self.delete("anyway")

    async def failing_beside_the_ask(self, ctx: Context) -> str:
        async def fail() -> None:
            await anyio.sleep(0)
            raise ValueError("the other branch")

        try:
            async with anyio.create_task_group() as group:
                group.start_soon(ctx.elicit, "Delete?", Ok)
                group.start_soon(fail)
        except BaseException:
            pass
        return self.delete("after a failure")

    async def gathering_exceptions(self, ctx: Context) -> str:
        await asyncio.gather(ctx.elicit("Delete?", Ok), return_exceptions=True)
        return self.delete("gathered")

    async def waiting(self, ctx: Context) -> str:
        await asyncio.wait({asyncio.create_task(ctx.elicit("Delete?", Ok))}, timeout=0.001)
        return self.delete("waited")

    async def not_awaiting(self, ctx: Context) -> str:
        task = asyncio.create_task(ctx.elicit("Delete?", Ok))
        await asyncio.sleep(0)
        self.delete(f"before {task.get_name()}")
        return "deleted, not awaited"

    async def shielding_in_asyncio(self, ctx: Context) -> str:
        with contextlib.suppress(BaseException):
            await asyncio.shield(asyncio.create_task(ctx.elicit("Delete?", Ok)))
        return self.delete("shielded")

    async def timing_out_in_asyncio(self, ctx: Context) -> str:
        with contextlib.suppress(BaseException):
            await asyncio.wait_for(ctx.elicit("Delete?", Ok), 60)
        return self.delete("after wait_for")


ASYNCIO_ONLY = {
    "gathering_exceptions",
    "waiting",
    "not_awaiting",
    "shielding_in_asyncio",
    "timing_out_in_asyncio",
}
NOT_SWALLOWED = {"not_awaiting", "waiting", "timing_out"}
"""These go on by themselves while the question is open, as they did on an old session; the round still asks."""

NAMES = [name for name in vars(Swallowing) if not name.startswith("_") and name not in ("target", "delete")]


@pytest.mark.parametrize("name", NAMES)
async def test_a_swallowed_suspension_never_becomes_a_result(
    name: str, target: Path, anyio_backend: str
) -> None:
    if anyio_backend == "trio" and name in ASYNCIO_ONLY:
        return
    handler: Callable[..., Any] = getattr(Swallowing(), name)
    result = await call(serving(handler)(), "tool")
    assert result["resultType"] == "input_required"
    assert [request["params"]["message"] for request in result["inputRequests"].values()] == ["Delete?"]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NOT_SWALLOWED])
async def test_an_unconfirmed_handler_never_deletes(name: str, target: Path, anyio_backend: str) -> None:
    if anyio_backend == "trio" and name in ASYNCIO_ONLY:
        return
    await call(serving(getattr(Swallowing(), name))(), "tool")
    assert target.exists()


@pytest.mark.parametrize(
    "name",
    [n for n in NAMES if n not in {"failing_beside_the_ask", "timing_out", "deleting_in_a_thread"}],
)
async def test_a_confirmed_handler_goes_on(name: str, target: Path, anyio_backend: str) -> None:
    if anyio_backend == "trio" and name in ASYNCIO_ONLY:
        return
    first = await call(serving(getattr(Swallowing(), name))(), "tool")
    target.write_text("x")
    (key,) = first["inputRequests"]
    second = await call(
        serving(getattr(Swallowing(), name))(), "tool", state=first["requestState"], responses={key: YES}
    )
    assert second["resultType"] == "complete"
    assert not target.exists()


async def test_every_ask_of_an_unwinding_handler_stops_it_again() -> None:
    reached = []

    async def handler(ctx: Context) -> str:
        for number in range(3):
            try:
                await ctx.elicit(f"Number {number}?", Ok)
            except BaseException:
                reached.append(number)
        return "done"

    result = await call(serving(handler)(), "tool")
    assert [r["params"]["message"] for r in result["inputRequests"].values()] == ["Number 0?"]
    assert reached == [0, 1, 2]


@pytest.mark.parametrize("use", ["report_progress", "info", "read_resource"])
async def test_an_unwinding_handler_can_not_use_its_context(use: str) -> None:
    after = []

    async def handler(ctx: Context) -> str:
        with contextlib.suppress(BaseException):
            await ctx.elicit("Sure?", Ok)
        with contextlib.suppress(Exception):
            if use == "report_progress":
                await ctx.report_progress(1)
            elif use == "info":
                await ctx.session.send_log_message("info", "on I go", related_request_id=ctx.request_id)
            else:
                await ctx.session.send_resource_updated("x://y")
            after.append(use)
        return "done"

    meta = {"io.modelcontextprotocol/logLevel": "debug"}
    result = await call(serving(handler)(), "tool", meta=meta)
    assert result["resultType"] == "input_required"
    assert after == []


async def test_a_cleanup_may_remove_what_the_handler_made_itself(tmp_path: Path) -> None:
    import tempfile

    made: list[Path] = []

    async def handler(ctx: Context) -> str:
        with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
            made.append(Path(folder))
            (Path(folder) / "deep").mkdir()
            (Path(folder) / "deep" / "draft").write_text("x")
            answer = await ctx.elicit("Keep it?", Ok)
            return answer.action

    played = await play_tool(serving(handler), "tool", always(YES))
    assert played.text == "accept"
    assert len(made) == 2
    assert list(tmp_path.iterdir()) == []


async def test_a_branch_that_fails_does_not_swallow_the_ask_of_another() -> None:
    async def handler(ctx: Context) -> str:
        async def fail() -> None:
            raise ValueError("broken branch")

        async with anyio.create_task_group() as group:
            group.start_soon(ctx.elicit, "Sure?", Ok)
            group.start_soon(fail)
        return "unreachable"

    result = await call(serving(handler)(), "tool")
    assert result["resultType"] == "input_required"
    assert [r["params"]["message"] for r in result["inputRequests"].values()] == ["Sure?"]


async def test_a_cancelled_request_stays_cancelled() -> None:
    """The client has gone away while the handler was being stopped: no result is made up."""
    done = []

    async def handler(ctx: Context) -> str:
        try:
            await ctx.elicit("Sure?", Ok)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.sleep(0.05)
        return "done"

    with anyio.move_on_after(0.02) as scope:
        done.append(await call(serving(handler)(), "tool"))
    assert scope.cancelled_caught
    assert done == []
