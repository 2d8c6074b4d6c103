// The same as any-case.go, for machines without Go: member names count without regard to case, and the last of several holds.
import { createInterface } from 'node:readline'

const lowered = (value) =>
  value === null || typeof value !== 'object' || Array.isArray(value)
    ? value
    : Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name.normalize('NFKC').toLowerCase(), lowered(one)]),
      )
const text = { type: 'string' }
const properties = {
  amount: { type: 'number' },
  region: text,
  to: text,
  note: text,
  filter: { type: 'object', properties: { owner: text } },
}
const results = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'any-case', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'pay', inputSchema: { type: 'object', properties } }] }),
  'tools/call': ({ arguments: given }) => {
    const { amount = 0, region = '', to = '', filter } = lowered(given)
    const read = { amount, region, to, filter: { owner: filter?.owner ?? '' } }
    return { content: [{ type: 'text', text: JSON.stringify(read) }] }
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const result = results[method]?.(params) ?? {}
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
}
