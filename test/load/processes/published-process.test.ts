import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { freePort } from '../../../packages/gateway/src/testing/free-port.ts'
import type { PublishedPeer } from '../peers/peers.ts'
import { startPublished } from './published-process.ts'

/** A server with sessions that answers in event streams, and a child that would outlive it. */
const GOOD = `
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
createServer(async (request, response) => {
  const { id, params } = JSON.parse(await text(request))
  if (id === undefined) return response.writeHead(202).end()
  const result = { content: [{ type: 'text', text: params.arguments?.text }] }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': 's1' })
  response.end('data: ' + JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n\\n')
}).listen(Number(process.argv[2]), '127.0.0.1')
`

async function started(program: string) {
  const root = mkdtempSync(join(tmpdir(), 'toolway-published-'))
  writeFileSync(join(root, 'program.mjs'), program)
  const peer: PublishedPeer = {
    ...{ name: 'mcp-proxy', package: 'mcp-proxy', program: 'program.mjs', server: 'stdio' },
    words: ({ port }) => [String(port)],
    endpoint: { path: '/mcp', tool: 'echo' },
  }
  const process = startPublished(peer, root, { port: await freePort(), stdio: ['true'], remote: '' }, undefined)
  return {
    process,
    async [Symbol.asyncDispose]() {
      await process[Symbol.asyncDispose]()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

describe('a published program', () => {
  test('is called in its session once it answers, and leaves nothing behind', async () => {
    let folder: string
    {
      await using setup = await started(GOOD)
      folder = setup.process.folder
      const { call, startMs } = await setup.process.answered()
      expect(call).toMatchObject({ tool: 'echo', session: 's1' })
      expect(startMs).toBeGreaterThan(0)
    }
    expect(existsSync(folder)).toBe(false)
  })

  test('that ends at once is reported with the end of its log', async () => {
    await using setup = await started(`console.error('no such option: --port'); process.exit(3)`)
    await expect(setup.process.answered()).rejects.toThrow(/it ended \(3\).*\n.*no such option: --port/)
  })
})
