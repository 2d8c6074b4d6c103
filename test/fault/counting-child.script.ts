/** A stdio server whose calls take a moment, and say how many it had at once when they began. */
import { createInterface } from 'node:readline'

const send = (value: object) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...value })}\n`)
/** Milliseconds. */
const MOMENT = 300
let running = 0

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line) as { id?: number; method: string }
  if (id === undefined) return
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'counting', version: '1' },
    },
    'tools/list': { tools: [{ name: 'good', inputSchema: { type: 'object' } }] },
    ping: {},
  }
  if (method === 'tools/call') {
    const result = { content: [{ type: 'text', text: String(++running) }] }
    setTimeout(() => {
      running--
      send({ id, result })
    }, MOMENT)
  } else if (results[method] === undefined) send({ id, error: { code: -32601, message: 'no such method' } })
  else send({ id, result: results[method] })
})
