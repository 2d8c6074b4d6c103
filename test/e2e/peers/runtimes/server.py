"""An MCP server of a few lines, with nothing but Python itself: one tool that says in what it is written."""
import json
import os
import sys

RESULTS = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "python", "version": "1"},
    },
    "tools/list": {"tools": [{"name": "written_in", "inputSchema": {"type": "object"}}]},
    "tools/call": {"content": [{"type": "text", "text": f"Python, process {os.getpid()}"}]},
    "ping": {},
}

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] in RESULTS:
        answer["result"] = RESULTS[message["method"]]
    else:
        answer["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(answer), flush=True)
