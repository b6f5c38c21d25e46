"""`ctx.sample` and `ctx.sample_step`, which FastMCP 4 has removed, on asks.

Names, defaults, return types and exceptions are those of FastMCP 3.4.
"""

from mrtr_adapter.fastmcp.sampling.result import SampleStep, SamplingResult
from mrtr_adapter.fastmcp.sampling.tool import SamplingTool

__all__ = ["SampleStep", "SamplingResult", "SamplingTool"]
