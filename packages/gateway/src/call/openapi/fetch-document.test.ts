// @module-tag long
import { zipSync } from 'fflate'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createExceptions } from '../../upstreams/http/exceptions.ts'
import { readDocument } from '../../upstreams/openapi/document/read-document.ts'
import { fetchDocument } from './fetch-document.ts'

const servers: ReturnType<typeof createServer>[] = []
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const asked: string[] = []
const files = new Map<string, string | Uint8Array>()
let here = ''
let other = ''
beforeAll(async () => {
  other = await serve(({ url = '' }, response) => {
    asked.push(`other ${url}`)
    response.end(url === '/away.yml' ? documentOf(['a.yml']) : 'get: { operationId: other }')
  })
  here = await serve(({ url = '' }, response) => {
    asked.push(url)
    const content = files.get(url)
    if (url === '/away.yml') response.writeHead(302, { location: `${other}/away.yml` }).end()
    else if (url === '/moved.yml') response.writeHead(301, { location: '/paths/moved.yml' }).end()
    else response.writeHead(content === undefined ? 404 : 200).end(content)
  })
})
afterAll(() => {
  for (const server of servers) server.close()
})

const reach = (privateOrigins: readonly string[]) => ({
  alias: 'the document',
  privateOrigins,
  exceptions: createExceptions({ networks: [], hosts: [] }),
  whose: { share: 'org_1', lane: 'look' } as const,
})
const read = async (address: string, privateOrigins: readonly string[] = [here]) =>
  readDocument(await fetchDocument(address, reach(privateOrigins)), { select: { exclude: [] }, effects: {} })
const documentOf = (refs: readonly string[]) =>
  `openapi: 3.0.3\npaths:\n${refs.map((ref, at) => `  /${at}: { $ref: "${ref}" }\n`).join('')}`

test('a document at an address is read with the files of its origin, and of no other', async () => {
  files.set(
    '/docs/openapi.yaml?key=s3cret',
    documentOf(['paths/a.yml', '/moved.yml', '/away.yml', `${other}/b.yml`, 'gone.yml']),
  )
  files.set('/docs/paths/a.yml', 'get: { operationId: a, parameters: [{ $ref: "../parts.yml#/page" }] }')
  files.set('/docs/parts.yml', 'page: { name: page, in: query, schema: { type: integer } }')
  files.set('/paths/moved.yml', 'get: { operationId: moved }')
  asked.length = 0
  const { tools, leftOut } = await read(`${here}/docs/openapi.yaml?key=s3cret`)
  expect(tools.map((tool) => tool['name'])).toEqual(['a', 'moved'])
  expect(tools[0]?.['inputSchema']).toMatchObject({ properties: { page: { type: 'integer' } } })
  expect(leftOut.map(({ reason }) => reason)).toEqual([
    'is in another file, "/away.yml", which leads to another origin',
    `is in another file, "${other}/b.yml", which is at another origin`,
    'is in another file, "gone.yml", which could not be fetched (HTTP 404)',
  ])
  expect(asked.filter((one) => one.startsWith('other'))).toEqual([])
  // The key of the document is not sent for its files.
  expect(asked.slice(1).join(' ')).not.toContain('s3cret')
})

test('a document that was found at another origin has no files', async () => {
  asked.length = 0
  const { leftOut } = await read(`${here}/away.yml`, [here, other])
  expect(leftOut[0]?.reason).toBe('is in another file, "a.yml", which is at another origin')
  expect(asked).toEqual(['/away.yml', 'other /away.yml'])
})

test('files beyond the maximum are left out by name, and the others are read', async () => {
  const names = Array.from({ length: 310 }, (_, at) => `many/${at}.yml`)
  files.set('/openapi.yaml', documentOf(names))
  for (const [at, name] of names.entries()) files.set(`/${name}`, `get: { operationId: o${at} }`)
  const { tools, leftOut } = await read(`${here}/openapi.yaml`)
  expect(tools).toHaveLength(300)
  expect(leftOut[0]?.reason).toBe('is in another file, "many/300.yml", which is beyond the maximum of 300 files')
})

test('files that refer to files without end are left out in the end', async () => {
  let count = 0
  const endless = await serve(({ url = '' }, response) => {
    count++
    const next = Number(/\d+/.exec(url)?.[0] ?? 0) + 1
    response.end(url === '/openapi.yaml' ? documentOf(['1.yml']) : `$ref: "${next}.yml"`)
  })
  const { leftOut } = await read(`${endless}/openapi.yaml`, [endless])
  expect(leftOut[0]?.reason).toContain('is referred to through too many other files')
  expect(count).toBeLessThan(20)
})

test('a ZIP archive at an address is opened', async () => {
  files.set(
    '/api.zip',
    zipSync({
      'openapi.yaml': Buffer.from(documentOf(['a.yml'])),
      'a.yml': Buffer.from('get: { operationId: packed }'),
    }),
  )
  expect((await read(`${here}/api.zip`)).tools.map((tool) => tool['name'])).toEqual(['packed'])
})

test('an address in a private network is no more reached for a file than for the document', async () => {
  await expect(fetchDocument(`${here}/openapi.yaml`, reach([]))).rejects.toMatchObject({ code: 'egress.refused' })
})
