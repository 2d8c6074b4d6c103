/** An MCP server of a few lines, with nothing but Node itself: one tool that says in what it is written. */
import { createInterface } from 'node:readline'

const RESULTS = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'node', version: '1' },
  },
  'tools/list': { tools: [{ name: 'written_in', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: `JavaScript, process ${process.pid}` }] },
  ping: {},
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  const answer = Object.hasOwn(RESULTS, method)
    ? { result: RESULTS[method] }
    : { error: { code: -32601, message: 'no such method' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
})
