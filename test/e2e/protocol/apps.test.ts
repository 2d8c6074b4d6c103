/**
 * MCP Apps through the gateway: what a host that shows apps sees of a server with one, in every pair of eras, on one connection's
 * endpoint and on the joined one; and what everybody else sees.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { LOOK, PAGE, startAppsServer, VIEW } from '../peers/servers/apps-server.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { ask, callTool, openSession } from '../peers/clients/raw-client.ts'
import type { RawPeer } from '../peers/clients/raw-client.ts'
import { httpWire } from '../peers/servers/real-servers.ts'

const UI = 'io.modelcontextprotocol/ui'
const SHOWS_APPS = { extensions: { [UI]: { mimeTypes: ['text/html;profile=mcp-app'] } } }

const parts = new AsyncDisposableStack()
let gateway: TestGateway
beforeAll(async () => {
  const modern = parts.use(await startAppsServer('modern'))
  const legacy = parts.use(await startAppsServer('legacy'))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'modern', wire: httpWire(modern.url) },
        { alias: 'legacy', wire: httpWire(legacy.url) },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

interface Tool {
  readonly name: string
  readonly _meta?: { readonly ui?: { readonly resourceUri: string; readonly visibility?: string[] } }
}

/** A client of an era, with what it declares, at an endpoint. */
async function clientOf(era: 'modern' | 'legacy', url: string, capabilities: Record<string, unknown>) {
  const peer: RawPeer =
    era === 'modern' ? { url, key: gateway.key, era } : await openSession(url, gateway.key, '2025-11-25', capabilities)
  const meta = era === 'modern' ? { 'io.modelcontextprotocol/clientCapabilities': capabilities } : {}
  return {
    tools: async () => (await ask(peer, 'tools/list', {}, { meta })).answer.result?.['tools'] as readonly Tool[],
    call: async (name: string) => (await callTool(peer, name, {}, { meta })).answer.result?.content?.[0]?.text,
    read: async (uri: string) => (await ask(peer, 'resources/read', { uri }, { meta })).answer.result?.['contents'],
  }
}

const ERAS = ['modern', 'legacy'] as const
const PAIRS = ERAS.flatMap((client) =>
  ERAS.flatMap((server) => [false, true].map((joined) => ({ client, server, joined }))),
)

describe.each(PAIRS)(
  'a $client host at a $server server with an app (joined endpoint: $joined)',
  ({ client, server, joined }) => {
    const url = () => (joined ? gateway.url : gateway.connectionUrl(server))
    const named = (name: string) => (joined ? `${server}__${name}` : name)
    const view = joined ? VIEW.replace('ui://', `ui://${server}/`) : VIEW

    test('is offered the app, its page and what the page may do', async () => {
      const host = await clientOf(client, url(), SHOWS_APPS)
      const tools = await host.tools()
      expect(tools.find(({ name }) => name === named('weather'))).toMatchObject({
        description: 'As an app',
        _meta: { ui: { resourceUri: view } },
      })
      expect(tools.find(({ name }) => name === named('refresh'))?._meta?.ui).toEqual({
        resourceUri: view,
        visibility: ['app'],
      })
      expect(await host.read(view)).toEqual([
        { uri: view, mimeType: 'text/html;profile=mcp-app', text: PAGE, _meta: { ui: LOOK } },
      ])
      expect(await host.read(view.replace('view.html', 'icon.png'))).toMatchObject([{ blob: 'iVBORw0KGgo=' }])
      expect(await host.call(named('weather'))).toBe('an app')
      expect(await host.call(named('refresh'))).toBe('an app')
    })

    test('is offered text where it shows no apps, and no tool that only an app would call', async () => {
      const plain = await clientOf(client, url(), {})
      const names = (await plain.tools()).map(({ name }) => name)
      expect(names).toContain(named('weather'))
      expect(names).not.toContain(named('refresh'))
      expect(await plain.call(named('weather'))).toBe('text')
    })
  },
)

test.each(PAIRS)(
  '$client clients are told that apps are served at a $server server (joined: $joined)',
  async (pair) => {
    const url = pair.joined ? gateway.url : gateway.connectionUrl(pair.server)
    const peer: RawPeer = { url, key: gateway.key, era: pair.client }
    const clientInfo = { name: 'x', version: '1' }
    const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const { answer } = await (pair.client === 'modern'
      ? ask(peer, 'server/discover')
      : ask(peer, 'initialize', opening))
    expect(answer.result?.['capabilities']).toMatchObject({ extensions: { [UI]: {} } })
  },
)
