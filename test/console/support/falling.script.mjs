/** An MCP server of a few lines that falls over when it is told to, and says so on stderr. A fixture. */
import { createInterface } from 'node:readline'

console.error(`up, with the token ${process.env.TOKEN}`)

const RESULTS = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'falling', version: '1.2.0' },
  },
  'tools/list': {
    tools: ['look', 'fall'].map((name) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' } })),
  },
  'tools/call': { content: [{ type: 'text', text: 'looked' }] },
  ping: {},
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  if (method === 'tools/call' && params.name === 'fall') {
    console.error('falling over')
    process.exit(3)
  }
  const answer = Object.hasOwn(RESULTS, method)
    ? { result: RESULTS[method] }
    : { error: { code: -32601, message: 'no such method' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
})
