/** A stdio server that ends with code 7 as long as the file named on its command line is not there, and works once it is. */
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'

const send = (value: object) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...value })}\n`)
const [, , permit = ''] = process.argv

if (existsSync(permit)) {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line) as { id?: number; method: string }
    if (id === undefined) return
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'moody', version: '1' },
      },
      'tools/list': { tools: [{ name: 'good', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'in a good mood' }] },
      ping: {},
    }
    const result = results[method]
    if (result === undefined) send({ id, error: { code: -32601, message: 'no such method' } })
    else send({ id, result })
  })
} else process.exitCode = 7
