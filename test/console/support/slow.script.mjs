/**
 * An MCP server that works once a file is there. Until then it is slow (`waits`: it says what it fetches, and answers nothing), or it
 * fails as npx does behind a network that breaks TLS (`fails`: the cause is in npm's own log). A fixture.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [way, file] = process.argv.slice(2)
console.error(`fetching package 1 of 3 with the token ${process.env.TOKEN}; process ${process.pid}`)

if (way === 'fails' && !existsSync(file)) {
  const logs = `${process.env.npm_config_cache}/_logs`
  mkdirSync(logs, { recursive: true })
  const cause = 'fetch GET https://npm.example/x attempt 1 failed with SELF_SIGNED_CERT_IN_CHAIN'
  writeFileSync(`${logs}/2026-01-01T00_00_00_000Z-debug-0.log`, `0 verbose cli npx x\n1 http ${cause}\n`)
  process.exit(1)
}

const RESULTS = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'slow', version: '1' },
  },
  'tools/list': { tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }] },
  ping: {},
}
const waiting = []
createInterface({ input: process.stdin }).on('line', (line) => {
  waiting.push(JSON.parse(line))
  work()
})
setInterval(work, 100)

function work() {
  if (!existsSync(file)) return
  for (const { id, method } of waiting.splice(0)) {
    if (id === undefined) continue
    const answer = Object.hasOwn(RESULTS, method)
      ? { result: RESULTS[method] }
      : { error: { code: -32601, message: 'no such method' } }
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
  }
}
