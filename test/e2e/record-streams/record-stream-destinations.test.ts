/**
 * Destinations of record streams, each against a receiver that parses strictly: syslog over TLS, OTLP, ClickHouse and Parquet.
 */
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { gunzipSync } from 'node:zlib'
import type { RecordStreamId } from '@toolway/contract'
import { StreamDestination } from '@toolway/contract/admin'
import { expect, test } from 'vitest'
import { createSendBatch } from '../../../packages/gateway/src/features/record-streams/send-batch.ts'
import { parquetOf } from '../../../packages/gateway/src/features/record-streams/destinations/parquet.ts'
import {
  testItem,
  type StreamBatch,
  type StreamItem,
} from '../../../packages/gateway/src/features/record-streams/stream-items.rows.ts'
import { startOtlpReceiver } from '../../../packages/gateway/src/testing/otlp-receiver.ts'
import { createGuardedFetch } from '../../../packages/gateway/src/upstreams/http/guarded-fetch.ts'
import { connectTls } from '../../../packages/gateway/src/upstreams/http/guarded-tls.ts'
import { recordStreamSealContext } from '../../../packages/gateway/src/vault/sealed-columns.ts'
import { createVault } from '../../../packages/gateway/src/vault/vault.ts'
import { selfSigned } from '../peers/authorities/self-signed.ts'
import { findS3Server, startS3Server } from '../peers/servers/s3-server.ts'

const vault = createVault(Buffer.alloc(32, 6))
const ID = 'str_1' as RecordStreamId
const send = createSendBatch({
  vault,
  reveal: (_owner, text) => Promise.resolve(text),
  connectTls,
  fetchFor: (reach) => createGuardedFetch(reach),
  now: Date.now,
  host: 'gateway 1',
})

const AT = new Date('2026-11-20T10:00:00.123Z')
const item = (at: number, more: Partial<StreamItem> = {}): StreamItem => ({
  ...testItem('org_1', `rec_${at}`, AT),
  ...{ seq: at, kind: 'call', method: 'tools/call', target: 'web__lies „ja“ \u{1F600}\n<13>1 forged' },
  ...more,
})
const batchOf = (count: number): StreamBatch => ({
  ...{ id: `${ID}-org_1-1-${count}`, streamId: ID, organizationId: 'org_1' },
  items: Array.from({ length: count }, (_, at) => item(at + 1, at === 1 ? { outcome: 'failed', code: 'x' } : {})),
})

const deliver = (destination: object, secrets: object, batch: StreamBatch, more: { private?: boolean } = {}) =>
  send(
    {
      ...{ id: ID, organization_id: 'org_1', destination: StreamDestination.parse(destination) },
      private: more.private ?? true,
      sealed_secrets: vault.seal(JSON.stringify(secrets), recordStreamSealContext(ID)),
    },
    batch,
    new AbortController().signal,
  )

/** Octet counting (RFC 6587): digits, a space, so many octets; then the header of RFC 5424, field by field. Throws for anything else. */
function parseFrames(bytes: Buffer): { priority: number; host: string; name: string; item: StreamItem }[] {
  const messages = []
  for (let at = 0; at < bytes.length;) {
    const length = /^([1-9]\d{0,8}) /.exec(bytes.toString('latin1', at, at + 10))?.[1]
    if (length === undefined) throw new Error(`no frame at ${at}`)
    const from = at + length.length + 1
    const message = bytes.subarray(from, from + Number(length))
    if (message.length !== Number(length)) throw new Error('a frame is cut')
    at = from + message.length
    const head =
      /^<(\d{1,3})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}Z) ([!-~]{1,255}) ([!-~]{1,48}) ([!-~]{1,128}) ([!-~]{1,32}) - /.exec(
        message.toString('utf8'),
      )
    if (head === null || Number(head[1]) > 191) throw new Error(`no RFC 5424: ${message.toString()}`)
    const [all, priority, , host = '', , , name = ''] = head
    messages.push({
      priority: Number(priority),
      host,
      name,
      item: JSON.parse(message.toString('utf8').slice(all.length)),
    })
  }
  return messages
}

async function syslogServer(how: 'reads' | 'breaks off') {
  const { key, cert } = selfSigned()
  const chunks: Buffer[] = []
  const server = createTlsServer({ key, cert }, (socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (how === 'breaks off') socket.destroy()
    })
    socket.on('end', () => socket.end())
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    cert,
    port: (server.address() as AddressInfo).port,
    received: () => Buffer.concat(chunks),
    [Symbol.asyncDispose]: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}

test('syslog: messages of RFC 5424, counted in octets, over TLS; taken when the receiver has read to the end', async () => {
  await using server = await syslogServer('reads')
  const target = { kind: 'syslog', host: '127.0.0.1', port: server.port, ca: server.cert }
  expect(await deliver(target, {}, batchOf(2_000))).toBeUndefined()
  const messages = parseFrames(server.received())
  expect(messages.map((one) => one.item)).toEqual(batchOf(2_000).items)
  expect(messages[0]).toMatchObject({ priority: 13 * 8 + 6, host: 'gateway_1', name: 'call' })
  expect(messages[1]).toMatchObject({ priority: 13 * 8 + 4 })
})

test('syslog: a receiver that breaks off has taken nothing, and one whose certificate is not proven gets nothing', async () => {
  await using breaking = await syslogServer('breaks off')
  const broken = { kind: 'syslog', host: '127.0.0.1', port: breaking.port, ca: breaking.cert }
  expect(await deliver(broken, {}, batchOf(2_000))).toMatchObject({ problem: expect.stringContaining('reached') })
  await using stranger = await syslogServer('reads')
  const unproven = { kind: 'syslog', host: '127.0.0.1', port: stranger.port }
  expect(await deliver(unproven, {}, batchOf(1))).toMatchObject({ problem: expect.stringContaining('reached') })
  const inside = { kind: 'syslog', host: '127.0.0.1', port: stranger.port, ca: stranger.cert }
  expect(await deliver(inside, {}, batchOf(1), { private: false })).toMatchObject({
    problem: expect.stringContaining('not allowed'),
  })
  expect(stranger.received()).toHaveLength(0)
})

test('OTLP: log records in protobuf with their attributes; headers are sent and a refusal is no delivery', async () => {
  await using receiver = await startOtlpReceiver({ authorization: 'Bearer s3cret' })
  const target = { kind: 'otlp', url: `${receiver.url}/v1/logs` }
  expect(await deliver(target, {}, batchOf(3))).toEqual({
    problem: 'it responded with HTTP 401',
    retryAfter: undefined,
  })
  expect(await deliver(target, { headers: { authorization: 'Bearer s3cret' } }, batchOf(3))).toBeUndefined()
  expect(receiver.lines.map(({ body }) => JSON.parse(body) as unknown)).toEqual(batchOf(3).items)
  expect(receiver.lines.map(({ severity }) => severity)).toEqual([9, 13, 9])
  receiver.fails = 503
  receiver.retryAfter = '7'
  expect(await deliver(target, { headers: { authorization: 'Bearer s3cret' } }, batchOf(3))).toEqual({
    problem: 'it responded with HTTP 503',
    retryAfter: 7,
  })
})

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** What ClickHouse's HTTP interface does with an insert, from its published description: user, token, strict rows. */
async function clickHouse() {
  const rows: StreamItem[] = []
  const tokens = new Set<string>()
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const url = new URL(request.url ?? '/', 'http://clickhouse')
      const fail = (status: number, code: number, text: string) =>
        response.writeHead(status, { 'x-clickhouse-exception-code': String(code) }).end(`Code: ${code}. ${text}`)
      if (request.method !== 'POST') return fail(500, 164, 'readonly')
      if (request.headers['x-clickhouse-user'] !== 'writer' || request.headers['x-clickhouse-key'] !== 'pw')
        return fail(403, 516, 'Authentication failed')
      if (url.searchParams.get('query') !== 'INSERT INTO logs.toolway_records FORMAT JSONEachRow')
        return fail(404, 60, 'Table does not exist')
      for (const name of url.searchParams.keys())
        if (!/^(?:query|wait_end_of_query|date_time_input_format|insert_deduplication_token)$/.test(name))
          return fail(404, 115, `Unknown setting ${name}`)
      const token = url.searchParams.get('insert_deduplication_token') ?? ''
      const parsed = body
        .toString()
        .split('\n')
        .map((line) => JSON.parse(line) as StreamItem)
      if (!tokens.has(token)) rows.push(...parsed)
      tokens.add(token)
      return response.writeHead(200).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    rows,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('ClickHouse: rows of JSONEachRow with a token by which a repeated batch is stored once', async () => {
  await using server = await clickHouse()
  const target = { kind: 'clickhouse', url: server.url, database: 'logs', user: 'writer' }
  expect(await deliver(target, { password: 'no' }, batchOf(2))).toEqual({
    problem: 'it responded with HTTP 403, exception 516',
    retryAfter: undefined,
  })
  expect(await deliver(target, { password: 'pw' }, batchOf(20))).toBeUndefined()
  expect(await deliver(target, { password: 'pw' }, batchOf(20))).toBeUndefined()
  expect(server.rows).toEqual(batchOf(20).items)
  expect(() => StreamDestination.parse({ ...target, table: 'x; DROP TABLE y' })).toThrow(
    'must start with a letter or _',
  )
})

test('Parquet: a column for each field, which an independent reader gives back', async () => {
  const { parquetReadObjects } = await import('hyparquet')
  const { items } = batchOf(300)
  const bytes = await parquetOf(items)
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
  const rows = await parquetReadObjects({ file })
  expect(rows).toHaveLength(300)
  const plain = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value)
  const read = rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])))
  expect(read).toEqual(items.map((one) => ({ ...one, at: AT })))
})

const binary = findS3Server()

test('S3: an object for each batch in both formats, which a repeated batch replaces; a wrong key is a problem in words', async () => {
  if (binary === undefined) {
    console.log('No S3 server is there, so nothing was sent to one: `npm run counterparts` builds it where Go is.')
    return
  }
  await using s3 = await startS3Server(binary)
  const { AWS_ACCESS_KEY_ID: id = '', AWS_SECRET_ACCESS_KEY: secret = '' } = s3.settings
  const target = { kind: 's3', endpoint: s3.endpoint, bucket: 'toolway', prefix: 'audit/', access_key_id: id }
  for (const format of ['jsonl', 'parquet', 'jsonl'])
    expect(await deliver({ ...target, format }, { secret_access_key: secret }, batchOf(50))).toBeUndefined()
  const folder = join(s3.folder, 'audit/organization=org_1/2026-11-20')
  expect((await readdir(folder)).toSorted()).toEqual([`${ID}-org_1-1-50.jsonl.gz`, `${ID}-org_1-1-50.parquet`])
  const lines = gunzipSync(await readFile(join(folder, `${ID}-org_1-1-50.jsonl.gz`))).toString()
  expect(
    lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(batchOf(50).items)
  expect(await deliver(target, { secret_access_key: 'wrong' }, batchOf(50))).toMatchObject({
    problem: 'it responded with HTTP 403 SignatureDoesNotMatch',
  })
})
