#!/bin/sh
# An MCP server of a few lines, with nothing but a shell: one tool that says in what it is written.
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  method=$(printf '%s' "$line" | sed -n 's/.*"method":"\([^"]*\)".*/\1/p')
  [ -n "$id" ] || continue
  case $method in
  initialize) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
  tools/list) result='{"tools":[{"name":"written_in","inputSchema":{"type":"object"}}]}' ;;
  tools/call) result='{"content":[{"type":"text","text":"a shell, process '$$'"}]}' ;;
  ping) result='{}' ;;
  *)
    printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id"
    continue
    ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
