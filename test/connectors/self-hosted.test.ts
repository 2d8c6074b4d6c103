/**
 * Every connector at a server of its own: a double at another host than the vendor's, below a path, that answers as the vendor does there.
 * Each tool that pages walks three pages, wherever the server's links lead by rights; a link that cannot be followed costs the cursor and
 * not the page. Files come from the server itself, or from an address that it signed, which never sees the account.
 */
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CONNECTORS, type Json } from '../../packages/connectors/src/index.ts'
import { isJson } from '../../packages/connectors/src/kit/shape.ts'
import type { Paging } from '../../packages/connectors/src/kit/tool.ts'
import { pageOf, PAGES } from './next-pages.ts'
import { callTool, leastOf, listening, PATH, startOwnServer, type OwnServer } from './own-server.ts'

let own: OwnServer
let other: Server
let origin = ''
let elsewhere = ''
const reached: string[] = []

beforeAll(async () => {
  own = await startOwnServer()
  origin = own.origin
  other = createServer((request, response) => {
    reached.push(JSON.stringify(request.headers))
    response.end('{}')
  })
  elsewhere = await listening(other)
})
beforeEach(() => {
  own.asked.length = 0
  reached.length = 0
})
afterAll(() => {
  for (const each of [own, other]) each.close()
})

const paging = (
  await Promise.all(
    Object.entries(CONNECTORS).map(async ([id, { load }]) =>
      [...(await load()).tools].flatMap(([name, tool]) =>
        tool.paging === undefined ? [] : [{ id, name, tool, paging: tool.paging }],
      ),
    ),
  )
).flat()
const linked = paging.filter((each) => each.paging.kind === 'link' || each.paging.kind === 'address')

test('the list of tools that page has all of them', () => {
  expect(paging.length).toBeGreaterThan(100)
  expect(new Set(linked.map(({ id }) => id))).toEqual(
    new Set(['confluence', 'copilot', 'excel', 'github', 'gitlab', 'bitbucket', 'outlook', 'powerpoint', 'teams']),
  )
})

describe.each([
  ['the server itself', () => `${origin}${PATH}/x`],
  ['a path of the server', () => `${PATH}/x`],
  ['the server by its other scheme', () => `${origin.replace('http:', 'https:')}${PATH}/x`],
  ["the vendor's own host", (id: string) => `${CONNECTORS[id]?.address ?? ''}/x`],
] as const)('where links lead to %s', (title, address) => {
  test.each(title === 'the server itself' ? paging : linked)('$name walks three pages', async (each) => {
    own.reply = (request) => pageOf(each.paging, numberOf(each.paging, request.sent), address(each.id))
    const upstream = await own.open(each.id)
    try {
      let input = leastOf(each.name)
      let walked = 0
      for (; walked < PAGES + 1; walked++) {
        const { next_cursor: cursor, note } = await callTool(upstream, each.name, input)
        expect(note).toBeUndefined()
        if (cursor === undefined) break
        input = { ...input, cursor }
      }
      expect(walked + 1).toBe(PAGES)
      expect(own.asked.map(({ sent }) => numberOf(each.paging, sent))).toEqual([1, 2, 3])
      for (const { url, authorized } of own.asked)
        expect([url.pathname.startsWith(PATH), authorized]).toEqual([true, true])
    } finally {
      await upstream.close()
    }
  })
})

test.each([
  ['another host', () => `${elsewhere}/x`],
  ['another port of the host', () => `${origin.replace(/\d+$/, '1')}/x`],
  ['an address with a name before the host', () => `${origin.replace('//', '//me@')}/x`],
  ['nothing that is an address', () => 'https://['],
])('S3-CON-11: a page whose link leads to %s is returned without a cursor, with a note', async (_, address) => {
  for (const each of linked) {
    own.reply = () => pageOf(each.paging, 1, address())
    const upstream = await own.open(each.id)
    const output = await callTool(upstream, each.name, leastOf(each.name))
    await upstream.close()
    expect([each.name, output]).toEqual([
      each.name,
      { items: expect.any(Array), note: expect.stringMatching(/^There is a next page, but/) },
    ])
  }
  expect(reached).toEqual([])
})

describe('a file of a server of its own', () => {
  const exported = async (location: string): Promise<Json> => {
    own.reply = ({ url }) =>
      url.pathname.startsWith(PATH)
        ? { status: 302, headers: { location } }
        : { headers: { 'content-type': 'application/pdf' }, body: '%PDF' }
    const upstream = await own.open('powerpoint')
    try {
      return await callTool(upstream, 'powerpoint_export_pdf', leastOf('powerpoint_export_pdf'))
    } finally {
      await upstream.close()
    }
  }

  test.each([
    ['a whole address', () => `${origin}/files/1?sig=a`],
    ['a path', () => '/files/1?sig=a'],
  ])('comes from %s there, which is asked without the account', async (_, location) => {
    expect(await exported(location())).toMatchObject({ data: Buffer.from('%PDF').toString('base64') })
    expect(own.asked.map(({ url, authorized }) => [url.pathname.replace(/^\/api.*/, PATH), authorized])).toEqual([
      [PATH, true],
      ['/files/1', false],
    ])
  })

  test.each([
    ['without TLS', () => elsewhere],
    ['in the private network, for which the connection has no permission', () => elsewhere.replace('http:', 'https:')],
  ])('does not come from another host %s', async (_, host) => {
    await expect(exported(`${host()}/files/1`)).rejects.toThrow(/not https|not allowed/)
    expect(reached).toEqual([])
  })

  test('goes to the upload address of the server, without the account', async () => {
    own.reply = ({ url }) =>
      url.pathname.startsWith(PATH)
        ? { body: { ok: true, upload_url: `${origin}/upload/1`, file_id: 'F1', ts: '1', channel: 'C1' } }
        : { body: 'OK' }
    const upstream = await own.open('slack')
    const file = { name: 'a.txt', media_type: 'text/plain', data: 'YQ==' }
    const input = leastOf('slack_conversations_add_message')
    await callTool(upstream, 'slack_conversations_add_message', { ...input, files: [file] })
    await upstream.close()
    const uploads = own.asked.filter(({ url }) => !url.pathname.startsWith(PATH))
    expect(uploads.map(({ url, authorized }) => [url.pathname, authorized])).toEqual([['/upload/1', false]])
  })
})

/** The number of the page that a request asks for. */
function numberOf({ kind, takes: [take = ''], size }: Paging, sent: unknown): number {
  const value = valueAt(sent, take)
  if (value === undefined) return 1
  const number = Number(String(value).replace(/^next-/, ''))
  if (kind === 'offset') return number / (size?.default ?? 1) + 1
  return kind === 'token' || kind === 'relay' || kind === 'last' ? number + 1 : number
}

function valueAt(sent: unknown, name: string): unknown {
  if (Array.isArray(sent)) return sent.map((each) => valueAt(each, name)).find((found) => found !== undefined)
  if (!isJson(sent)) return undefined
  return sent[name] ?? valueAt(Object.values(sent), name)
}
