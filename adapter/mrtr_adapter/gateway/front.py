"""What clients see: the SDK's server for both eras, with the name, instructions and abilities of the old one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.models import InitializationOptions
from mcp_types import (
    CallToolRequestParams,
    CompleteRequestParams,
    GetPromptRequestParams,
    Icon,
    NotificationParams,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    SetLevelRequestParams,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    UnsubscribeRequestParams,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel

from mrtr_adapter.gateway.bridge import Bridge
from mrtr_adapter.gateway.freshness import cache_hints
from mrtr_adapter.gateway.listening import Listening
from mrtr_adapter.gateway.serving import Context, Serving

Handler = Callable[[Context, Any], Any]

_LISTS: dict[str, dict[str, type[BaseModel]]] = {
    "tools": {"tools/list": PaginatedRequestParams},
    "prompts": {"prompts/list": PaginatedRequestParams},
    "resources": {
        "resources/list": PaginatedRequestParams,
        "resources/templates/list": PaginatedRequestParams,
    },
    "completions": {"completion/complete": CompleteRequestParams},
}
_CALLS: dict[str, dict[str, type[BaseModel]]] = {
    "tools": {"tools/call": CallToolRequestParams},
    "prompts": {"prompts/get": GetPromptRequestParams},
    "resources": {"resources/read": ReadResourceRequestParams},
}
_OLD_ONLY: dict[str, dict[str, type[BaseModel]]] = {
    "logging": {"logging/setLevel": SetLevelRequestParams},
    "resources": {
        "resources/subscribe": SubscribeRequestParams,
        "resources/unsubscribe": UnsubscribeRequestParams,
    },
}


class Front(Server[Any]):
    """The server that stands in front of an old one. `hello` is what that one said to `initialize`."""

    def __init__(self, hello: Mapping[str, Any]) -> None:
        info = hello.get("serverInfo") or {}
        self.hello = hello
        super().__init__(
            str(info.get("name") or "mcp-server"),
            version=str(info.get("version") or ""),
            title=info.get("title"),
            description=info.get("description"),
            instructions=hello.get("instructions"),
            website_url=info.get("websiteUrl"),
            icons=[Icon.model_validate(icon) for icon in info.get("icons") or []] or None,
            cache_hints=cache_hints(hello.get("capabilities") or {}),
        )
        # Old tools map no argument to a header, so they need not be listed for each call.
        self.get_tool_input_schema = lambda name: None

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *args: Any, **kwargs: Any
    ) -> InitializationOptions:
        """For older clients: with the change notifications that the old server announces."""

        def announced(name: str) -> bool:
            return bool((self.hello.get("capabilities", {}).get(name) or {}).get("listChanged"))

        options = NotificationOptions(announced("prompts"), announced("resources"), announced("tools"))
        return super().create_initialization_options(notification_options or options, *args, **kwargs)


def build_front(hello: Mapping[str, Any], serving: Serving, bridge: Bridge, listening: Listening) -> Front:
    """The front of one gateway: it has the methods that the old server has."""
    front = Front(hello)
    abilities = [name for name, value in (hello.get("capabilities") or {}).items() if value is not None]

    def register(methods: Mapping[str, Mapping[str, type[BaseModel]]], handler: Handler) -> None:
        for ability in abilities:
            for method, params in methods.get(ability, {}).items():
                front.add_request_handler(method, params, handler)

    async def bridged(ctx: Context, params: object) -> dict[str, Any]:
        return await bridge.request(ctx, serving.kind(ctx))

    def by_era(modern: Handler) -> Handler:
        async def handler(ctx: Context, params: object) -> dict[str, Any]:
            if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                return await bridged(ctx, params)
            result: dict[str, Any] = await modern(ctx, params)
            return {**result, "resultType": "complete"}

        return handler

    async def listen(ctx: Context, params: SubscriptionsListenRequestParams) -> BaseModel:
        return await listening.listen(serving.pool, serving.kind(ctx), ctx, params)

    async def roots_changed(ctx: ServerRequestContext[Any], params: NotificationParams) -> None:
        await bridge.notify(ctx, serving.kind(ctx))

    register(_LISTS, by_era(serving.plain))
    register(_CALLS, by_era(serving.interactive))
    register(_OLD_ONLY, bridged)
    if _notifies(hello):
        front.add_request_handler("subscriptions/listen", SubscriptionsListenRequestParams, listen)
    front.add_notification_handler("notifications/roots/list_changed", NotificationParams, roots_changed)
    return front


def _notifies(hello: Mapping[str, Any]) -> bool:
    """Whether the old server announces any notification that a client can listen for."""
    groups = [value for value in (hello.get("capabilities") or {}).values() if isinstance(value, dict)]
    return any(group.get("listChanged") or group.get("subscribe") for group in groups)
