"""A server of the published Python SDK, which speaks both eras: one tool pushes its question, one asks by its result.

`both_eras.py` serves stdio; `both_eras.py PORT` serves HTTP.
"""

import sys

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult
from pydantic import BaseModel

FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


class Who(BaseModel):
    name: str


server = MCPServer("both-eras")


@server.tool()
async def push(ctx: Context) -> str:
    answer = await ctx.elicit("Who are you?", Who)
    return f"push: {answer.action} {getattr(answer, 'data', None)}"


@server.tool()
async def rounds(ctx: Context) -> str | InputRequiredResult:
    if ctx.input_responses:
        return f"rounds: {ctx.input_responses['who'].content}"
    form = ElicitRequestFormParams(message="Who are you?", requested_schema=FORM)
    return InputRequiredResult(input_requests={"who": ElicitRequest(params=form)})


if len(sys.argv) > 1:
    server.run(transport="streamable-http", port=int(sys.argv[1]))
else:
    server.run()
