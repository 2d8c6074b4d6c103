/** REST servers by the command line: the looks, the connection and the refresh of the guide, on a server of the test's own. */
// @module-tag long
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callTool, textIn } from '../fault/caller.ts'
import { makeInstallation, type Installation, type Running } from './installation.ts'

const shop = (version: string, paths: object) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Shop', version },
    servers: [{ url: 'https://shop.example.com/v2' }],
    paths,
  })
const operation = (operationId: string, tag: string) => ({
  operationId,
  tags: [tag],
  summary: `Does ${operationId}`,
  parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }],
  responses: { 200: { description: 'ok' } },
})
const PATHS = {
  '/orders': { get: operation('listOrders', 'orders'), delete: operation('dropOrders', 'orders') },
  '/orders/search': { post: operation('searchOrders', 'orders') },
  '/users': { get: operation('listUsers', 'users') },
}

const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(
    JSON.stringify({ asked: `${request.method} ${request.url}`, token: request.headers['x-token'] === 's3cret-token' }),
  )
})
let here: Installation
let running: Running
let file = ''
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`
  here = await makeInstallation()
  running = await here.start()
  file = join(here.folder, 'shop.json')
  await writeFile(file, shop('1', PATHS))
})
afterAll(async () => {
  await here[Symbol.asyncDispose]()
  await new Promise<void>((resolve) => void server.close(() => resolve()))
})

test('a look says what would be, and keeps nothing', async () => {
  const { code, out } = await here.run(['connection', 'add', 'shop', '--openapi', file, '--preview'])
  expect(code).toBe(0)
  expect(out).toContain('Base address for calls: https://shop.example.com/v2.')
  expect(out).toContain('4 tools: 2 read, 1 write, 1 destructive; 0 left out, 0 not selected.')
  expect(out).toMatch(/dropOrders\s+destructive\s+DELETE \/orders/)
  expect((await here.run(['connection', 'list'])).out).not.toContain('shop')
})

test(
  'is connected with what was selected, called, and renewed when somebody says so',
  { timeout: 300_000 },
  async () => {
    await writeFile(join(here.folder, 'headers'), 'X-Token: s3cret-token\n')
    const words = ['connection', 'add', 'shop', '--openapi', file, '--url', url, '--include', 'tag:orders']
    const more = [
      '--exclude',
      'method:delete',
      '--effect',
      'searchOrders=read',
      '--header-from',
      join(here.folder, 'headers'),
    ]
    const added = await here.run([...words, ...more])
    expect(added, added.err).toMatchObject({ code: 0 })
    expect(added.out).toContain('shop is connected: 2 tools')

    const at = { url: `${running.address}/mcp`, key: await here.localKey() }
    // The command waits for the contact that the gateway stores; the gateway reads what it stored a moment later.
    const call = async () => textIn(await callTool(at, 'shop__searchOrders', { q: 'a b' }))
    await expect.poll(call).toContain('POST /v2/orders/search?q=a%20b')
    expect(await call()).toContain('"token":true')

    await writeFile(
      file,
      shop('2', {
        ...PATHS,
        '/orders/{id}': { parameters: [{ name: 'id', in: 'path', schema: {} }], get: operation('getOrder', 'orders') },
      }),
    )
    const shown = await here.run(['connection', 'refresh', 'shop', '--openapi', file])
    expect(shown).toMatchObject({ code: 0 })
    expect(shown.out).toBe(
      '1 new, 0 removed, 0 changed.\n+ getOrder (read)\nNothing has been stored yet: use --apply to store the new document.\n',
    )
    const applied = await here.run(['connection', 'refresh', 'shop', '--openapi', file, '--apply'])
    expect(applied, applied.err).toMatchObject({ code: 0 })
    expect(applied.out).toContain('shop is connected: 3 tools')
    expect((await here.run(['connection', 'refresh', 'shop', '--openapi', file])).out).toContain(
      'The document has not changed.',
    )
  },
)

test.each([
  [['--openapi', '/nowhere.yaml'], 1, 'The file /nowhere.yaml does not exist'],
  [['--openapi', 'FILE', '--', 'npx', 'x'], 2, '--openapi is for a remote server'],
  [['--openapi', 'FILE', '--include', 'tag:none'], 1, 'the selection leaves all 5 out'],
  [['--openapi', 'FILE', '--key-in', 'header:x'], 2, '--key-in must be query:NAME or cookie:NAME'],
  [['--url', 'https://x.example.com/mcp', '--preview'], 2, 'require --openapi'],
] as const)('%j is refused with what to do', async (words, code, said) => {
  const ran = await here.run(['connection', 'add', 'other', ...words.map((word) => (word === 'FILE' ? file : word))])
  expect(ran, ran.err).toMatchObject({ code, err: expect.stringContaining(said) })
})
