/**
 * Resources and prompts of each kind of endpoint: what its servers have is passed on with rewritten addresses, connections are
 * resources where there are tiers, and an endpoint without any announces none. Each discovery mode, in both eras.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startEverythingServer } from '../../conformance/everything-server.ts'
import { ask, openSession, type RawPeer } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startProbe } from '../peers/probes/probe-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'

const MODES = ['direct', 'paged', 'two-tier', 'search'] as const

const parts = new AsyncDisposableStack()
let gateway: TestGateway
beforeAll(async () => {
  const everything = parts.use(await startEverythingServer({ era: 'modern' }))
  const probe = parts.use(await startProbe({ era: 'modern', name: 'plain' }))
  const toolset = (name: string, mode: (typeof MODES)[number], include: string[], connections: string[]) => ({
    slug: `${name}-${mode}`,
    title: `${name} ${mode}`,
    settings: { connections, include, exclude: [], discovery: mode },
  })
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'all', wire: httpWire(everything.url) },
        { alias: 'plain', wire: httpWire(probe.url) },
      ],
      toolsets: MODES.flatMap((mode) => [
        toolset('both', mode, ['*'], ['all', 'plain']),
        toolset('tools', mode, ['plain__*'], ['plain']),
      ]),
    }),
  )
})
afterAll(() => parts.disposeAsync())

const at = (toolset: string) => `${gateway.address}/o/default/t/${toolset}/mcp`

async function peersOf(toolset: string): Promise<RawPeer[]> {
  const [url, key] = [at(toolset), gateway.key]
  return [{ url, key, era: 'modern' }, await openSession(url, key)]
}

async function announced(toolset: string): Promise<readonly string[][]> {
  const [url, key] = [at(toolset), gateway.key]
  const words = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const legacy = await ask({ url, key, era: 'legacy' }, 'initialize', words)
  const modern = await ask({ url, key, era: 'modern' }, 'server/discover')
  return [legacy, modern].map(({ answer }) => Object.keys(answer.result?.['capabilities'] ?? {}))
}

async function listOf(peer: RawPeer, method: string, member: string, name: string): Promise<string[]> {
  const found: string[] = []
  for (let cursor: unknown, more = true; more;) {
    const { answer } = await ask(peer, method, cursor === undefined ? {} : { cursor })
    const items = (answer.result?.[member] ?? []) as Record<string, unknown>[]
    found.push(...items.map((item) => String(item[name])))
    cursor = answer.result?.['nextCursor']
    more = cursor !== undefined
  }
  return found
}
const read = async (peer: RawPeer, uri: string) => {
  const { answer } = await ask(peer, 'resources/read', { uri })
  return (answer.result?.['contents'] ?? []) as { uri: string; text?: string }[]
}

describe.each(MODES)('U-09: an endpoint in the mode %s', (mode) => {
  test('passes on resources and prompts of its servers, and has its connections as resources where there are tiers', async () => {
    for (const found of await announced(`both-${mode}`))
      expect(found).toEqual(expect.arrayContaining(['tools', 'resources', 'prompts']))
    for (const peer of await peersOf(`both-${mode}`)) {
      const uris = await listOf(peer, 'resources/list', 'resources', 'uri')
      expect(uris).toContain('toolway://all/test://static-text')
      const [static_] = await read(peer, 'toolway://all/test://static-text')
      expect(static_).toMatchObject({ uri: 'toolway://all/test://static-text', text: expect.any(String) })
      expect(uris.filter((uri) => uri.startsWith('app://')).toSorted()).toEqual(
        mode === 'two-tier' ? ['app://all', 'app://plain'] : [],
      )
      if (mode === 'two-tier') expect(await read(peer, 'app://plain')).toMatchObject([{ uri: 'app://plain' }])

      const prompts = await listOf(peer, 'prompts/list', 'prompts', 'name')
      expect(prompts).toContain('all__test_simple_prompt')
      const { answer } = await ask(peer, 'prompts/get', { name: 'all__test_simple_prompt' })
      expect(answer.result?.['messages']).toHaveLength(1)
    }
  })

  test('announces neither where it has none', async () => {
    for (const found of await announced(`tools-${mode}`)) {
      expect(found).toContain('tools')
      expect(found).not.toContain('prompts')
      expect(found.includes('resources')).toBe(mode === 'two-tier')
    }
    for (const peer of await peersOf(`tools-${mode}`)) {
      expect(await listOf(peer, 'prompts/list', 'prompts', 'name')).toEqual([])
      expect(await listOf(peer, 'resources/list', 'resources', 'uri')).toEqual(
        mode === 'two-tier' ? ['app://plain'] : [],
      )
    }
  })
})
