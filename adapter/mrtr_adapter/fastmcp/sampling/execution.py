"""Running the tools that a model has called, and telling it what came of them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import anyio
from fastmcp.exceptions import ToolError
from mcp_types import TextContent, ToolResultContent, ToolUseContent

from mrtr_adapter.engine.unsaid import unsaid
from mrtr_adapter.fastmcp.sampling.tool import SamplingTool

logger = logging.getLogger("mrtr")


async def execute(
    calls: Sequence[ToolUseContent],
    tools: Mapping[str, SamplingTool],
    *,
    mask_error_details: bool,
    concurrency: int | None,
) -> list[ToolResultContent]:
    """The results of `calls`, in their order. A tool that fails gives a result too: the model is told.

    Args:
        calls: what the model wants to be called.
        tools: what it may call, by name.
        mask_error_details: whether the model is told only that a tool failed. A `ToolError` is always told.
        concurrency: how many run at once: None one after the other, 0 all. One `sequential` tool keeps all apart.

    Raises:
        ValueError: `concurrency` is negative.
    """
    if concurrency is not None and concurrency < 0:
        raise ValueError(
            f"tool_concurrency must be None, 0 (unlimited), or a positive integer, got {concurrency}"
        )
    called = [tools[call.name] for call in calls if call.name in tools]
    if concurrency is None or any(tool.sequential for tool in called):
        return [await _execute_one(call, tools, mask_error_details) for call in calls]
    results: dict[int, ToolResultContent] = {}
    limit = anyio.Semaphore(concurrency or max(len(calls), 1))

    async def run(place: int, call: ToolUseContent) -> None:
        async with limit:
            results[place] = await _execute_one(call, tools, mask_error_details)

    async with anyio.create_task_group() as group:
        for place, call in enumerate(calls):
            group.start_soon(run, place, call)
    return [results[place] for place in range(len(calls))]


async def _execute_one(
    call: ToolUseContent, tools: Mapping[str, SamplingTool], mask: bool
) -> ToolResultContent:
    tool = tools.get(call.name)
    if tool is None:
        return _told(call, f"Error: Unknown tool '{call.name}'", is_error=True)
    try:
        return _told(call, str(await tool.run(call.input)))
    except ToolError as error:
        logger.log(error.log_level, "sampling tool %r refused: %s", call.name, unsaid(error))
        return _told(call, str(error), is_error=True)
    except Exception as error:
        logger.error("sampling tool %r failed: %s", call.name, unsaid(error))
        failed = f"Error executing tool '{call.name}'"
        return _told(call, failed if mask else f"{failed}: {error}", is_error=True)


def _told(call: ToolUseContent, text: str, *, is_error: bool = False) -> ToolResultContent:
    return ToolResultContent(
        tool_use_id=call.id, content=[TextContent(type="text", text=text)], is_error=is_error or None
    )
