import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

describe('the legacy stub over stdio', () => {
  test('answers line by line, in the revision of its client, and ends with its input', async () => {
    const stub = spawn(process.execPath, [fileURLToPath(new URL('legacy-stub.ts', import.meta.url)), 'stdio'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const ended = once(stub, 'exit')
    const say = (message: object) => stub.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } })
    say({ method: 'notifications/initialized' })
    say({ id: 2, method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } })
    stub.stdin.end()
    const lines = (await text(stub.stdout)).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { id: 1, result: { protocolVersion: '2025-06-18' } },
      { id: 2, result: { content: [{ type: 'text', text: 'x' }] } },
    ])
    expect(await ended).toEqual([0, null])
  })
})
