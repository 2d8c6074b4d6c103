/**
 * Two published MCP servers with apps, which name their tool and their page alike: their pages, in a real browser inside of a host as
 * small as hosts can be, call their own server at joined endpoints. The servers are fetched from npm, pinned, into `node_modules/.cache`;
 * without npm or a browser the tests are skipped and say why.
 *
 * @module-tag long
 */
import { ToolsetSettings } from '@toolway/contract'
import type { Frame } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { bringPublishedApps } from '../../../tools/counterparts.ts'
import { browser, NO_BROWSER } from '../../console/support/browser.ts'
import { IS_SHORT } from '../../setup/form.ts'
import { ask, openSession, type RawPeer } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startPublishedApp } from '../peers/servers/published-app.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const OWN = 'ui://get-time/mcp-app.html'
const SHOWS_APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }
const Recorded = z.object({ target: z.string().nullable(), connection: z.string().nullable(), outcome: z.string() })

// Fetched by nobody whose tests leave this file out.
const apps = IS_SHORT ? { lacking: 'they are for the long form' } : bringPublishedApps()
const lacking = 'lacking' in apps ? apps.lacking : NO_BROWSER ? 'there is no Chromium here' : undefined
if (lacking !== undefined && !IS_SHORT) console.warn(`Published apps are not tried here: ${lacking}.`)

type Relayed = Record<string, unknown> & { result?: Record<string, unknown>; error?: { message: string } }

/** Sends as a host does for itself and for a page, in one session or under one name. */
async function openHost(gateway: TestGateway, era: 'modern' | 'legacy', path: string) {
  const url = `${gateway.address}${path}`
  const peer: RawPeer =
    era === 'modern' ? { url, key: gateway.key, era } : await openSession(url, gateway.key, '2025-11-25', SHOWS_APPS)
  const meta =
    era === 'modern'
      ? {
          'io.modelcontextprotocol/clientCapabilities': SHOWS_APPS,
          'io.modelcontextprotocol/clientInfo': { name: `host at ${path} ${Math.random()}`, version: '1' },
        }
      : {}
  return async (method: string, params: Record<string, unknown>): Promise<Relayed> => {
    const { result, error } = (await ask(peer, method, params, { meta })).answer
    return error === undefined ? { result: result ?? {} } : { error }
  }
}
type Host = Awaited<ReturnType<typeof openHost>>

/** Runs in the browser: shows a page in a frame and answers its messages as hosts do (MCP Apps, 2026-01-26). */
const SHOW = `(html) => {
  const frame = document.createElement('iframe')
  frame.srcdoc = html
  const opening = {
    protocolVersion: '2026-01-26',
    hostInfo: { name: 'host', version: '1' },
    hostCapabilities: { serverTools: {}, serverResources: {}, logging: {} },
    hostContext: {},
  }
  addEventListener('message', ({ data, source }) => {
    const { id, method, params } = data
    if (source !== frame.contentWindow || id === undefined || method === undefined) return
    const answer = method === 'ui/initialize' ? Promise.resolve({ result: opening }) : relay(method, params ?? {})
    void answer.then((word) => frame.contentWindow.postMessage({ jsonrpc: '2.0', id, ...word }, '*'))
  })
  document.body.append(frame)
}`

/** The page of a server, shown by a host; `relayed`: what the page sent and was answered. */
async function openApp(host: Host, alias: string) {
  const { result } = await host('tools/list', {})
  const tools = result?.['tools'] as { name: string; _meta: { ui: { resourceUri: string } } }[]
  const uri = tools.find(({ name }) => name === `${alias}__get-time`)?._meta.ui.resourceUri ?? ''
  const page = await host('resources/read', { uri })
  const [{ text: html } = { text: '' }] = (page.result?.['contents'] ?? []) as { text: string }[]
  expect(html).toContain('Get Server Time')
  const relayed: { method: string; params: Record<string, unknown>; answer: Relayed }[] = []
  const context = await (await browser()).newContext()
  const tab = await context.newPage()
  await tab.exposeFunction('relay', async (method: string, params: Record<string, unknown>) => {
    const answer = await host(method, params)
    relayed.push({ method, params, answer })
    return answer
  })
  await tab.evaluate(`(${SHOW})(${JSON.stringify(html)})`)
  const frame = await until('the frame is there', () => tab.frames().find((each) => each !== tab.mainFrame()))
  return {
    relayed,
    frame,
    press: () => frame.getByRole('button', { name: 'Get Server Time' }).click(),
    shown: () => frame.locator('body').innerText(),
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** Asks from inside of the page, as its own script does. */
const readFrom = (frame: Frame, uri: string) =>
  frame.evaluate<Relayed>(`new Promise((resolve) => {
    addEventListener('message', ({ data }) => {
      if (data.id === 4711) resolve(data)
    })
    const params = { uri: ${JSON.stringify(uri)} }
    parent.postMessage({ jsonrpc: '2.0', id: 4711, method: 'resources/read', params }, '*')
  })`)

describe.skipIf(lacking !== undefined)('the page of a published app', () => {
  const parts = new AsyncDisposableStack()
  let gateway: TestGateway
  beforeAll(async () => {
    if ('lacking' in apps) throw new Error(apps.lacking)
    const react = parts.use(await startPublishedApp(apps['server-basic-react']))
    const plain = parts.use(await startPublishedApp(apps['server-basic-vanillajs']))
    gateway = parts.use(
      await openGateway({
        connections: [
          { alias: 'react', wire: httpWire(react.url) },
          { alias: 'plain', wire: httpWire(plain.url) },
        ],
        toolsets: [
          { slug: 'apps', title: 'Apps', settings: ToolsetSettings.parse({ include: ['react__*', 'plain__*'] }) },
        ],
      }),
    )
  })
  afterAll(() => parts.disposeAsync())

  const lastCall = async () => {
    const [row] = await gateway.db.system(
      (sql) => sql(Recorded)`
        select target, connection, outcome from records where method = 'tools/call' order by at desc, id desc limit 1`,
    )
    return row
  }
  const cases = (['modern', 'legacy'] as const).flatMap((era) =>
    ['/mcp', '/o/default/t/apps/mcp'].flatMap((path) => ['react', 'plain'].map((alias) => ({ era, path, alias }))),
  )

  test.each(cases)('calls its own tool and reads its own page in a $era host at $path: $alias', async (one) => {
    const host = await openHost(gateway, one.era, one.path)
    await using app = await openApp(host, one.alias)
    await app.press()
    const call = await until('the page has called', () => app.relayed.find(({ method }) => method === 'tools/call'))
    expect([call.params['name'], call.answer.error]).toEqual(['get-time', undefined])
    const time = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(JSON.stringify(call.answer.result))?.[0] ?? 'no time'
    await until('the page shows the time', async () => (await app.shown()).includes(time))
    const target = `${one.alias}__get-time`
    await until('the call is on record', async () => {
      const row = await lastCall()
      return row?.target === target && row.connection === one.alias && row.outcome === 'ok'
    })
    const page = await readFrom(app.frame, OWN)
    expect(page.result?.['contents']).toMatchObject([{ uri: OWN, text: expect.stringContaining('Get Server Time') }])
  })

  test('says which names are listed once the pages of both were read in one session', async () => {
    const host = await openHost(gateway, 'legacy', '/o/default/t/apps/mcp')
    await using app = await openApp(host, 'react')
    await using other = await openApp(host, 'plain')
    expect(other.relayed).toEqual([])
    await app.press()
    const call = await until('the page has called', () => app.relayed.find(({ method }) => method === 'tools/call'))
    expect(call.answer.error?.message).toMatch(/^Unknown tool: get-time\. .*(react|plain)__get-time/)
  })
})
