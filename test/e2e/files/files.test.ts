/**
 * Files over the gateway's own port: uploads in pieces, single-use addresses, and who may do what with whose file. Everything goes
 * through the doors that clients use.
 */
import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

const Entry = z.looseObject({ id: z.string(), uri: z.string(), state: z.string(), owner: z.string() })
const Made = Entry.extend({ upload: z.object({ url: z.string(), expires_at: z.string() }) })
const Address = z.object({ url: z.string(), expires_at: z.string() })

/** The second organization has a key of its own. */
const THEIR_KEY = `uru_${'fedcba9876543210'.repeat(4)}`
const OTHERS_KEY = `uru_${'00112233445566aa'.repeat(4)}`
const openGateway = (settings: Record<string, string> = {}) =>
  startTestGateway({
    settings,
    keys: [{ name: 'another', value: OTHERS_KEY, toolset: undefined }],
    others: [
      {
        slug: 'zebrafish',
        name: 'Zebrafish',
        connections: [],
        toolsets: [],
        keys: [{ name: 'theirs', value: THEIR_KEY, toolset: undefined }],
      },
    ],
  })

function askerOf({ address, key: own }: TestGateway, key = own, organization = 'default') {
  const files = `${address}/api/v1/organizations/${organization}/files`
  const ask = (path: string, method = 'GET', body?: unknown) =>
    fetch(`${files}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return {
    ask,
    async add(name: string, bytes: Uint8Array, more: object = {}) {
      const answer = await ask('', 'POST', { name, size: bytes.length, sha256: hashOf(bytes), ...more })
      expect(answer.status).toBe(201)
      return Made.parse(await answer.json())
    },
    async link(id: string, kind: 'upload' | 'download' = 'download') {
      const answer = await ask(`/${id}/${kind}`, 'POST')
      expect(answer.status).toBe(201)
      return Address.parse(await answer.json()).url
    },
  }
}

const patch = (url: string, offset: number, bytes: Uint8Array, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'PATCH',
    headers: {
      'tus-resumable': '1.0.0',
      'upload-offset': String(offset),
      'content-type': 'application/offset+octet-stream',
      ...headers,
    },
    body: bytes,
  })

async function put(gateway: TestGateway, bytes: Uint8Array, more: object = {}) {
  const asker = askerOf(gateway)
  const made = await asker.add('report.pdf', bytes, more)
  const sent = await patch(made.upload.url, 0, bytes)
  expect(sent.status).toBe(204)
  return { ...made, asker }
}

const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code]
const GONE = [404, 'file.link']

describe('files', () => {
  test('an upload in pieces becomes a file that its owner downloads, whole and in part', async () => {
    await using gateway = await openGateway()
    const bytes = randomBytes(300_000)
    const asker = askerOf(gateway)
    const made = await asker.add('Jahresbericht ü.pdf', bytes, { media_type: 'application/pdf' })
    expect(made).toMatchObject({ state: 'uploading', uri: `toolway://files/${made.id}` })
    const { url } = made.upload
    const head = await fetch(url, { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } })
    expect([head.status, head.headers.get('upload-offset'), head.headers.get('upload-length')]).toEqual([
      200,
      '0',
      '300000',
    ])
    expect(head.headers.get('cache-control')).toBe('no-store')
    const first = await patch(url, 0, bytes.subarray(0, 100_001))
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '100001'])
    const wrong = await patch(url, 5, bytes.subarray(5))
    expect(await codeOf(wrong)).toEqual([409, 'file.offset'])
    expect(await codeOf(await asker.ask(`/${made.id}/download`, 'POST'))).toEqual([404, 'thing.unknown'])
    const last = await patch(url, 100_001, bytes.subarray(100_001))
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, '300000'])
    expect(await codeOf(await patch(url, 300_000, Buffer.alloc(0)))).toEqual(GONE)

    const whole = await fetch(await asker.link(made.id))
    expect(whole.status).toBe(200)
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': '300000',
      'content-disposition': `attachment; filename="Jahresbericht _.pdf"; filename*=UTF-8''Jahresbericht%20%C3%BC.pdf`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': expect.stringContaining('sandbox'),
      'repr-digest': `sha-256=:${Buffer.from(hashOf(bytes), 'hex').toString('base64')}:`,
    })
    const part = await fetch(await asker.link(made.id), { headers: { range: 'bytes=65530-65545' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 65530-65545/300000'])
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(65_530, 65_546))).toBe(true)
    const beyond = await fetch(await asker.link(made.id), { headers: { range: 'bytes=300000-' } })
    expect(await codeOf(beyond)).toEqual([416, 'file.range'])
  })

  test('an address is good once: of many requests at the same time, one gets the file', async () => {
    await using gateway = await openGateway()
    const { id, asker } = await put(gateway, randomBytes(100_000))
    for (let round = 0; round < 5; round++) {
      const url = await asker.link(id)
      const answers = await Promise.all(Array.from({ length: 8 }, () => fetch(url)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      for (const answer of answers) if (answer.status !== 200) expect(await codeOf(answer)).toEqual(GONE)
    }
  })

  test('wrong, used and expired addresses get the same answer', async () => {
    await using gateway = await openGateway()
    const { id, asker, upload } = await put(gateway, randomBytes(10))
    const used = await asker.link(id)
    await fetch(used)
    const expired = await asker.link(id)
    const fresh = await asker.add('later', Buffer.of(1))
    await gateway.db.system((sql) => sql(z.object({}))`update file_links set expires_at = now() - interval '1 second'`)
    const wrong = `${gateway.address}/files/d/${'A'.repeat(43)}`
    const malformed = `${gateway.address}/files/d/short`
    const other = upload.url.replace('/files/u/', '/files/d/')
    const answers = await Promise.all([used, expired, wrong, malformed, other].map((url) => fetch(url)))
    const told = await Promise.all(
      answers.map(async (answer) => {
        const { correlation_id: id, ...body } = (await answer.json()) as Record<string, unknown>
        return [answer.status, typeof id, body, answer.headers.get('content-type')]
      }),
    )
    expect(new Set(told.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(await codeOf(await patch(fresh.upload.url, 0, Buffer.of(1)))).toEqual(GONE)
    expect((await fetch(fresh.upload.url, { method: 'HEAD' })).status).toBe(404)
  })

  test('content with another hash or size than announced is not a file', async () => {
    await using gateway = await openGateway()
    const asker = askerOf(gateway)
    const made = await asker.add('a', randomBytes(100))
    expect(await codeOf(await patch(made.upload.url, 0, randomBytes(101)))).toEqual([422, 'file.mismatch'])
    expect(await codeOf(await patch(made.upload.url, 0, randomBytes(100)))).toEqual([422, 'file.mismatch'])
    expect(await codeOf(await asker.ask(`/${made.id}`))).toEqual([404, 'thing.unknown'])
    expect(await codeOf(await patch(made.upload.url, 0, randomBytes(100)))).toEqual(GONE)
  })

  test('another key and another organization neither see, read nor remove a file', async () => {
    await using gateway = await openGateway()
    const { id } = await put(gateway, randomBytes(10))
    for (const asker of [askerOf(gateway, OTHERS_KEY), askerOf(gateway, THEIR_KEY, 'zebrafish')]) {
      for (const [path, method] of [
        [`/${id}`, 'GET'],
        [`/${id}`, 'DELETE'],
        [`/${id}/download`, 'POST'],
        [`/${id}/upload`, 'POST'],
      ] as const)
        expect((await codeOf(await asker.ask(path, method)))[0], `${method} ${path}`).toBe(404)
      expect(((await (await asker.ask('')).json()) as { total: number }).total).toBe(0)
      expect((await asker.ask('?whose=everybody')).status).toBe(403)
    }
    expect((await askerOf(gateway, THEIR_KEY).ask(`/${id}`)).status).toBe(404)
    expect((await askerOf(gateway).ask(`/${id}`)).status).toBe(200)
  })

  test('removing a file removes its content and ends its addresses', async () => {
    await using gateway = await openGateway()
    const { id, asker } = await put(gateway, randomBytes(10))
    const url = await asker.link(id)
    expect((await asker.ask(`/${id}`, 'DELETE')).status).toBe(204)
    expect(await codeOf(await fetch(url))).toEqual(GONE)
    const left = () =>
      gateway.db.system((sql) => sql(z.object({ key: z.string() }))`select storage_key as key from file_removals`)
    await expect.poll(left).toEqual([])
  })

  test('an address ends with the key that asked for it, and the files of a key with the key', async () => {
    await using gateway = await openGateway()
    const { id, asker } = await put(gateway, randomBytes(10))
    const begun = await asker.add('later', Buffer.of(1))
    const url = await asker.link(id)
    const Id = z.object({ id: z.string() })
    await gateway.db.system((sql) => sql(Id)`update keys set expires_at = now() where name <> 'theirs' returning id`)
    expect(await codeOf(await fetch(url))).toEqual(GONE)
    expect(await codeOf(await patch(begun.upload.url, 0, Buffer.of(1)))).toEqual(GONE)
    // One that belongs to no organization is a key of the platform.
    await gateway.db.system(
      (sql) => sql(Id)`
      update keys set organization_id = null, role = 'platform_admin' where id = (select owner from files limit 1) returning id`,
    )
    await gateway.db.system((sql) => sql(Id)`delete from keys where organization_id is null returning id`)
    expect(await gateway.db.system((sql) => sql(Id)`select id from files`)).toEqual([])
  })

  test('a key for reading downloads, and neither uploads nor removes; one of a toolset does nothing here', async () => {
    await using gateway = await openGateway()
    const bytes = randomBytes(10)
    const { id, asker } = await put(gateway, bytes)
    const change = async (set: 'read' | 'execute', toolset: string | null) => {
      await gateway.db.system(
        (sql) => sql(z.object({ id: z.string() }))`
        update keys set effect_limit = ${set}, toolset = ${toolset} where id = (select owner from files limit 1) returning id`,
      )
      await expect.poll(async () => (await asker.ask('', 'POST', { name: 'x', size: 1 })).status).toBe(403)
    }
    await change('read', null)
    const whole = await fetch(await asker.link(id))
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    expect(await codeOf(await asker.ask(`/${id}/upload`, 'POST'))).toEqual([403, 'key.limit'])
    expect(await codeOf(await asker.ask(`/${id}`, 'DELETE'))).toEqual([403, 'key.limit'])
    await change('execute', 'all')
    await expect.poll(async () => (await asker.ask(`/${id}/download`, 'POST')).status).toBe(403)
  })

  test('slow transfers of one organization leave room for those of others, and use up no address of theirs', async () => {
    await using gateway = await openGateway()
    const bytes = randomBytes(10)
    const { id, asker } = await put(gateway, bytes)
    const theirs = askerOf(gateway, THEIR_KEY, 'zebrafish')
    const slow = await Promise.all(
      Array.from({ length: 26 }, async () => {
        const { upload } = await asker.add('slow.bin', bytes)
        const headers = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
        const sending = request(upload.url, { method: 'PATCH', headers: { ...headers, 'content-length': 10 } })
        const ended = new Promise((resolve) => sending.on('response', ({ statusCode }) => resolve(statusCode)))
        sending.write(bytes.subarray(0, 1))
        return { finish: () => sending.end(bytes.subarray(1)), ended }
      }),
    )
    // All of the share have begun once one more is refused.
    const kept = await asker.link(id)
    await expect
      .poll(
        async () => (await asker.add('one-more.bin', bytes).then(({ upload }) => patch(upload.url, 0, bytes))).status,
      )
      .toBe(503)
    expect(await codeOf(await fetch(kept))).toEqual([503, 'file.crowded'])
    const { upload } = await theirs.add('theirs.bin', bytes)
    expect((await patch(upload.url, 0, bytes)).status).toBe(204)
    for (const { finish } of slow) finish()
    expect(await Promise.all(slow.map(({ ended }) => ended))).toEqual(slow.map(() => 204))
    expect((await fetch(kept)).status).toBe(200)
  })

  test('the size of one file and the quota of an organization are limits', async () => {
    await using gateway = await openGateway({ TOOLWAY_FILES_LIMIT: '2000', TOOLWAY_FILES_QUOTA: '3000' })
    const asker = askerOf(gateway)
    expect(await codeOf(await asker.ask('', 'POST', { name: 'x', size: 2_001 }))).toEqual([413, 'file.too-large'])
    const bytes = randomBytes(2_000)
    const { upload } = await asker.add('one', bytes)
    expect((await patch(upload.url, 0, bytes)).status).toBe(204)
    expect(await codeOf(await asker.ask('', 'POST', { name: 'x', size: 1_001 }))).toEqual([507, 'file.quota'])
    const usage = await fetch(`${gateway.address}/api/v1/organizations/default/file-usage`, {
      headers: { authorization: `Bearer ${gateway.key}` },
    })
    expect(await usage.json()).toEqual({ used: 2_000, quota: 3_000, files: 1, most: 2_000 })
  })

  test('what was promised and not sent takes no room of others, and what was sent counts', async () => {
    await using gateway = await openGateway({ TOOLWAY_FILES_QUOTA: '10000' })
    const [greedy, other] = [askerOf(gateway), askerOf(gateway, OTHERS_KEY)]
    const usage = async () =>
      fetch(`${gateway.address}/api/v1/organizations/default/file-usage`, {
        headers: { authorization: `Bearer ${gateway.key}` },
      }).then((answer) => answer.json())
    const bytes = randomBytes(9_000)
    const promised = await Promise.all([1, 2, 3].map((name) => greedy.add(`promise ${name}`, bytes)))
    expect(await usage()).toMatchObject({ used: 0 })
    // One byte of each is one byte.
    for (const { upload } of promised) expect((await patch(upload.url, 0, bytes.subarray(0, 1))).status).toBe(204)
    expect(await usage()).toMatchObject({ used: 3 })
    const { upload } = await other.add('theirs', bytes)
    expect((await patch(upload.url, 0, bytes)).status).toBe(204)
    expect(await usage()).toMatchObject({ used: 9_003 })
    // The quota holds while bytes arrive, and the upload goes on when there is room again.
    const [first] = promised
    const late = await patch(first?.upload.url ?? '', 1, bytes.subarray(1))
    expect(await codeOf(late)).toEqual([507, 'file.quota'])
    expect(await usage()).toMatchObject({ used: 9_003 })
  })

  test('with TOOLWAY_FILES=off the operations say that no files are kept', async () => {
    await using gateway = await openGateway({ TOOLWAY_FILES: 'off' })
    const asker = askerOf(gateway)
    expect(await codeOf(await asker.ask(''))).toEqual([501, 'file.off'])
    expect(await codeOf(await asker.ask('', 'POST', { name: 'x', size: 1 }))).toEqual([501, 'file.off'])
    expect((await fetch(`${gateway.address}/files/d/${'A'.repeat(43)}`)).status).toBe(404)
  })

  test('making, uploading, downloading and removing are on record, and no address is in a record or the log', async () => {
    await using gateway = await openGateway()
    const bytes = randomBytes(10)
    const { id, asker, upload } = await put(gateway, bytes)
    const url = await asker.link(id)
    await fetch(url, { headers: { range: 'bytes=0-3' } })
    await asker.ask(`/${id}`, 'DELETE')
    const Row = z.object({ method: z.string(), principal: z.string(), detail: z.unknown() })
    const rows = () =>
      gateway.db.organization(
        gateway.organization.id,
        (sql) => sql(Row)`select method, principal, detail from records where resource_id = ${id} order by seq`,
      )
    await expect
      .poll(async () => (await rows()).map(({ method }) => method))
      .toEqual(['file.add', 'file.upload', 'file.download-link', 'file.download', 'file.remove'])
    const told = JSON.stringify([await rows(), gateway.log])
    for (const address of [url, upload.url]) expect(told).not.toContain(address.split('/').at(-1))
    expect(new Set((await rows()).map(({ principal }) => principal)).size).toBe(1)
  })

  test('a page is never served as one', async () => {
    await using gateway = await openGateway()
    const { id, asker } = await put(gateway, Buffer.from('<script>alert(1)</script>'), { media_type: 'text/html' })
    const answer = await fetch(await asker.link(id))
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment;/)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })
})
