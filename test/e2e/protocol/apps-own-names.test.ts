/**
 * Pages of apps at joined endpoints: a page knows its tools and addresses by its server's own names, and its host sends them as the page
 * wrote them. In both eras, with two apps that name everything alike; the messages are those that a host sends for a page.
 */
import { ToolsetSettings } from '@toolway/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { ask, callTool, openSession } from '../peers/clients/raw-client.ts'
import type { RawPeer } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { startAppsServer, PAGE, VIEW } from '../peers/servers/apps-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const SHOWS_APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }
const UNKNOWN = -32602
/** Gateways that know of others on their database. */
const SHARED = { DATABASE_URL: 'postgres://shared.test/toolway' }
const RULES = '/api/v1/admin/rules'

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let platform: Ask
beforeAll(async () => {
  const sun = parts.use(await startAppsServer('modern', 'sun'))
  const rain = parts.use(await startAppsServer('legacy', 'rain'))
  const settings = (include: string[]) => ToolsetSettings.parse({ include })
  gateway = parts.use(
    await openGateway({
      settings: SHARED,
      connections: [
        { alias: 'sun', wire: httpWire(sun.url) },
        { alias: 'rain', wire: httpWire(rain.url) },
        // Its alias is what the addresses of both servers begin with.
        { alias: 'weather', wire: httpWire(rain.url) },
      ],
      toolsets: [
        { slug: 'both', title: 'Both', settings: settings(['sun__*', 'rain__*']) },
        { slug: 'dry', title: 'Dry', settings: settings(['sun__*']) },
      ],
    }),
  )
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
})
afterAll(() => parts.disposeAsync())

let hosts = 0

/** A host of its own: a session in the one era, a name in the other. */
async function openHost(era: 'modern' | 'legacy', path: string, capabilities: object = SHOWS_APPS) {
  const url = `${gateway.address}${path}`
  const peer: RawPeer =
    era === 'modern'
      ? { url, key: gateway.key, era }
      : await openSession(url, gateway.key, '2025-11-25', { ...capabilities })
  const clientInfo = { name: `host ${++hosts}`, version: '1' }
  const meta =
    era === 'modern'
      ? { 'io.modelcontextprotocol/clientCapabilities': capabilities, 'io.modelcontextprotocol/clientInfo': clientInfo }
      : {}
  const at = (address = gateway.address): RawPeer => ({ ...peer, url: `${address}${path}` })
  return {
    call: async (name: string, address?: string) => {
      const { answer } = await callTool(at(address), name, {}, { meta })
      return answer.error === undefined ? answer.result?.content?.[0]?.text : answer.error
    },
    read: async (uri: string, address?: string) => {
      const { answer } = await ask(at(address), 'resources/read', { uri }, { meta })
      return answer.error === undefined ? answer.result?.['contents'] : answer.error
    },
  }
}

const pageOf = (alias: string) => VIEW.replace('ui://', `ui://${alias}/`)
const unknown = (message: string) => expect.objectContaining({ code: UNKNOWN, message })
const CASES = (['modern', 'legacy'] as const).flatMap((era) =>
  ['/mcp', '/o/default/t/both/mcp'].map((path) => ({ era, path })),
)

describe.each(CASES)('a page in a $era host at $path', ({ era, path }) => {
  test.each(['sun', 'rain'])('calls the tool of its own server by the name that it knows: %s', async (alias) => {
    const host = await openHost(era, path)
    await host.read(pageOf(alias))
    expect(await host.call('origin')).toBe(`from ${alias}`)
    expect(await host.call('refresh')).toBe('an app')
    expect(await host.call(`${alias}__origin`)).toBe(`from ${alias}`)
  })

  test('reads its own address, which answers under the address that was read', async () => {
    const host = await openHost(era, '/o/default/t/both/mcp')
    expect(await host.read(VIEW)).toEqual(
      unknown(expect.stringMatching(/^Resource not found: ui:.*view\.html\. .*ui:\/\/sun\/weather/) as string),
    )
    await host.read(pageOf('rain'))
    expect(await host.read(VIEW)).toMatchObject([{ uri: VIEW, text: PAGE }])
    expect(await host.read(VIEW.replace('view.html', 'icon.png'))).toMatchObject([{ blob: 'iVBORw0KGgo=' }])
  })

  test('is told which names are listed where two of the pages that were read belong to such a tool', async () => {
    const host = await openHost(era, path)
    await host.read(pageOf('sun'))
    await host.read(pageOf('rain'))
    const answer = await host.call('origin')
    expect(answer).toEqual(unknown(expect.stringMatching(/^Unknown tool: origin\. .*sun__origin/) as string))
    expect(answer).toEqual(unknown(expect.stringContaining('rain__origin') as string))
    expect(await host.call('sun__origin')).toBe('from sun')
  })

  test('does not reach a tool by its own name while its page was not read, or was read by another client', async () => {
    const other = await openHost(era, path)
    await other.read(pageOf('sun'))
    const host = await openHost(era, path)
    expect(await host.call('origin')).toEqual(
      unknown(expect.stringMatching(/^Unknown tool: origin\. .*sun__origin/) as string),
    )
    expect(await host.call('no_such_tool')).toEqual(unknown('Unknown tool: no_such_tool'))
  })

  test('reaches no tool that is for the model alone, and a host without apps none that is for apps alone', async () => {
    const host = await openHost(era, path)
    await host.read(pageOf('sun'))
    expect(await host.call('internal')).toEqual(unknown('Unknown tool: internal'))
    const plain = await openHost(era, path, {})
    await plain.read(pageOf('sun'))
    expect(await plain.call('refresh')).toEqual(unknown('Unknown tool: refresh'))
  })

  test('meets rules as under the listed name, and a hidden tool is one that does not exist', async () => {
    const host = await openHost(era, path)
    await host.read(pageOf('sun'))
    const rule = async (action: string) => {
      // Whether it hides depends on the caller.
      const match = { tools: ['sun__origin'], when: 'principal.kind == "key"' }
      const added = await platform(`POST ${RULES}`, { name: `no-${++hosts}`, action, match, reason: 'Not today' })
      expect(added.status, added.text).toBe(201)
      return () => platform(`DELETE ${RULES}/${String(added.body['id'])}`)
    }
    const unblock = await rule('block')
    const blocked = /^POLICY_VIOLATION: .*sun__origin.*Not today/
    await until('the rule is in force', async () => blocked.test(String(await host.call('sun__origin'))))
    expect(await host.call('origin')).toMatch(blocked)
    await unblock()
    const show = await rule('hide')
    await until('it is hidden', async () => typeof (await host.call('sun__origin')) === 'object')
    await host.read(pageOf('rain'))
    // The page of the other server is alone in having such a tool now.
    expect(await host.call('origin')).toBe('from rain')
    const lone = await openHost(era, '/o/default/t/dry/mcp')
    await lone.read(pageOf('sun'))
    expect(await lone.call('origin')).toEqual(unknown('Unknown tool: origin'))
    await show()
    await until('it is seen', async () => (await lone.call('origin')) === 'from sun')
  })

  test('is known at another gateway, whether that has met the client before or not', async () => {
    await using second = await gateway.another(SHARED)
    const host = await openHost(era, path)
    await until('the other gateway has the tools', async () => {
      const answer = await host.call('sun__origin', second.address)
      return answer === 'from sun'
    })
    await host.read(pageOf('sun'))
    expect(await host.call('origin', second.address)).toBe('from sun')
    const next = await openHost(era, path)
    await next.read(pageOf('rain'))
    expect(await next.call('origin', second.address)).toBe('from rain')
  })
})

test.each(['modern', 'legacy'] as const)(
  'an address that is also the joined one of another connection is that one where it exists, and else the page’s own (%s)',
  async (era) => {
    const host = await openHost(era, '/mcp')
    await host.read(pageOf('sun'))
    // `ui://weather/view.html` names `ui://view.html` of the connection `weather`, whose server has no such page.
    expect(await host.read(VIEW)).toMatchObject([{ uri: VIEW, text: PAGE }])
  },
)

const Recorded = z.object({ target: z.string().nullable(), connection: z.string().nullable() })

test('a call by a tool’s own name is on record under its listed name', async () => {
  const host = await openHost('modern', '/mcp')
  await host.read(pageOf('rain'))
  await host.call('origin')
  await until('the call is on record', async () => {
    const [row] = await gateway.db.system(
      (sql) => sql(Recorded)`
        select target, connection from records where method = 'tools/call' order by at desc, id desc limit 1`,
    )
    return row?.target === 'rain__origin' && row.connection === 'rain'
  })
})

test('a session knows the pages that it read after its gateway was started anew', async () => {
  const host = await openHost('legacy', '/mcp')
  await host.read(pageOf('rain'))
  await until('the fact is stored', async () => {
    const rows = await gateway.db.system(
      (sql) => sql(z.object({ watched: z.unknown() }))`select watched from sessions order by opened_at desc limit 1`,
    )
    return JSON.stringify(rows).includes('page ')
  })
  await gateway.restart()
  await until('the tools are there', async () => (await host.call('rain__origin')) === 'from rain')
  expect(await host.call('origin')).toBe('from rain')
})
