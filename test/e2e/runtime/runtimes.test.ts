/**
 * Tests that the language of a server that is started here makes no difference: one server for each runtime of this machine, and
 * a custom command.
 */
// @module-tag long
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PATIENCE_MS } from '../../../packages/gateway/src/testing/patience.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { callTool, openSession, type RawPeer } from '../peers/clients/raw-client.ts'

const at = (name: string) => join(import.meta.dirname, '../peers/runtimes', name)
const RUNTIMES = [
  { alias: 'node', says: 'JavaScript', look: ['node', '--version'], command: 'node', args: [at('server.mjs')] },
  { alias: 'python', says: 'Python', look: ['python3', '--version'], command: 'python3', args: [at('server.py')] },
  { alias: 'go', says: 'Go', look: ['go', 'version'], command: 'go', args: ['run', at('server.go')] },
  { alias: 'own', says: 'a shell', look: ['sh', '-c', 'true'], command: 'sh', args: [at('server.sh')] },
]
const installed = RUNTIMES.filter(({ look: [command = '', ...words] }) => spawnSync(command, words).status === 0)

const parts = new AsyncDisposableStack()
let gateway: TestGateway
beforeAll(async () => {
  gateway = parts.use(
    await openGateway({
      connections: installed.map(({ alias, command, args }) => ({
        alias,
        // The first start of a runtime may compile what it starts.
        timeout: PATIENCE_MS / 1_000,
        wire: { kind: 'process', command, args, environment: {} },
      })),
    }),
  )
})
afterAll(() => parts.disposeAsync())

const textOf = async (peer: RawPeer, tool: string) => (await callTool(peer, tool)).answer.result?.content?.[0]?.text

describe('S3-EXT-01: a server that is started here', () => {
  test('may be written in Node, Python, or whatever a command starts', () => {
    expect(installed.map(({ alias }) => alias)).toEqual(expect.arrayContaining(['node', 'own']))
  })

  test.each(installed)(
    'in $says answers clients of both eras, from the same process each time',
    async ({ alias, says }) => {
      expect(await toolNames(gateway, gateway.connectionUrl(alias))).toEqual(['written_in'])
      const legacy = await openSession(gateway.url, gateway.key)
      const modern: RawPeer = { url: gateway.url, key: gateway.key, era: 'modern' }
      const texts = [
        await textOf(legacy, `${alias}__written_in`),
        await textOf(modern, `${alias}__written_in`),
        await textOf(modern, `${alias}__written_in`),
      ]
      expect(new Set(texts)).toEqual(new Set([expect.stringMatching(new RegExp(`^${says}, process \\d+$`))]))
      expect(new Set(texts).size).toBe(1)
    },
  )
})
