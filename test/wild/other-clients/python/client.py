"""Lists every tool and prompt at an MCP endpoint with the Python SDK, calls each tool, and prints what came of it as JSON."""

import asyncio
import json
import os

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def every(fetch, member):
    items, cursor = [], None
    while True:
        page = await fetch(cursor=cursor)
        items += getattr(page, member)
        cursor = page.next_cursor
        if not cursor:
            return items


async def main():
    headers = {"authorization": f"Bearer {os.environ['ZOO_KEY']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(os.environ["ZOO_URL"], http_client=http)
        async with Client(transport, mode=os.environ["ZOO_MODE"]) as client:
            tools = [tool.name for tool in await every(client.list_tools, "tools")]
            prompts = [prompt.name for prompt in await every(client.list_prompts, "prompts")]
            failed = []
            for name in tools:
                try:
                    await client.call_tool(name, {})
                except Exception as error:  # Whatever it is, it is shown.
                    failed.append([name, f"{type(error).__name__}: {error}"])
    print(json.dumps({"tools": tools, "prompts": prompts, "failed": failed}))


asyncio.run(main())
