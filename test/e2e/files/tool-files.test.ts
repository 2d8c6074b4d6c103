/**
 * Files on the way of a call: sent to the gateway once and given to tools by reference, at vendors and at Composio; results that travel
 * by reference; and what rules, approvals and the record know of them.
 */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { ask, callTool, openSession, type RawPeer } from '../peers/clients/raw-client.ts'
import { API_KEY, startComposio, type ComposioDouble } from '../peers/composio/composio-double.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { until } from '../peers/until.ts'
import { hashOf, uploadFile } from '../peers/uploads.ts'
import { startGmail, startSlack, TOKEN, type GmailDouble, type SlackDouble } from '../peers/vendors/file-vendors.ts'

const FILE = {
  type: 'object',
  title: 'FileUploadable',
  file_uploadable: true,
  properties: { name: { type: 'string' }, mimetype: { type: 'string' }, s3key: { type: 'string' } },
  required: ['name', 'mimetype', 's3key'],
}
const MAIL = {
  type: 'object',
  properties: { to: { type: 'string' }, text: { type: 'string' }, attachment: { anyOf: [FILE, { type: 'null' }] } },
}
const OTHER_KEY = `uru_${'fedcba9876543210'.repeat(4)}`

const parts = new AsyncDisposableStack()
let composio: ComposioDouble
let gmail: GmailDouble
let slack: SlackDouble
let gateway: TestGateway
let platform: Ask
let peer: RawPeer

beforeAll(async () => {
  composio = parts.use(
    await startComposio(
      [
        { slug: 'GMAIL_SEND_EMAIL', toolkit: 'gmail', input: MAIL },
        { slug: 'GMAIL_GET_ATTACHMENT', toolkit: 'gmail', tags: ['readOnlyHint'] },
      ],
      { acts: true },
    ),
  )
  gmail = parts.use(await startGmail())
  slack = parts.use(await startSlack())
  setDefaultCACertificates([...getCACertificates('default'), slack.certificate])
  gateway = parts.use(
    await openGateway({
      connections: [
        {
          alias: 'composio',
          wire: {
            kind: 'composio',
            url: composio.url,
            headers: { 'x-api-key': API_KEY },
            words: { servers_at: composio.url, toolkits: ['gmail'], default_user: 'ada@example.com' },
          },
        },
      ],
      keys: [{ name: 'other', value: OTHER_KEY, toolset: undefined }],
    }),
  )
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  // Slack signs addresses of a server of its own: the permission for a private network is for the connection's server alone.
  await platform('PUT /api/v1/admin/tenants/default/egress', { networks: ['127.0.0.1/32'], hosts: [] })
  await connect('gmail', gmail.url)
  await connect('slack', slack.url)
  peer = { url: gateway.url, key: gateway.key, era: 'modern' }
  await until('the vendors are listed', async () => {
    const names = await toolNames(gateway, gateway.url)
    return ['gmail__gmail_send_message', 'slack__slack_conversations_add_message'].every((one) => names.includes(one))
  })
})
afterAll(() => parts.disposeAsync())
beforeEach(() => {
  composio.next.length = 0
  composio.accounts.length = 0
  composio.accounts.push({ id: 'ca_ada1', user: 'ada@example.com', toolkit: 'gmail', status: 'ACTIVE' })
})

async function connect(vendor: string, url: string): Promise<void> {
  const made = await platform('POST /api/v1/admin/tenants/default/connectors', {
    ...{ alias: vendor, connector: 'native', native: { vendor }, url, private: true },
    headers: { authorization: `Bearer ${TOKEN}` },
  })
  expect(made.status, made.text).toBe(201)
  await gateway.settled(vendor)
}

const call = async (name: string, given: Record<string, unknown>, from = peer) =>
  (await callTool(from, name, given)).answer.result ?? {}
const textOf = ({ content }: Record<string, unknown>) => JSON.stringify(content)
const linkIn = ({ content }: Record<string, unknown>) =>
  (content as { type: string; uri?: string; size?: number; mimeType?: string }[]).find(
    ({ type }) => type === 'resource_link',
  )
/** The records of one tool, the newest first. */
const recordsOf = async (tool: string) => {
  const found = await platform(`GET /api/v1/admin/tenants/default/audit?tool=${tool}`)
  return JSON.stringify(found.body)
}

describe('a file given to a tool', () => {
  test('is sent to the gateway once and goes with a mail of Composio', async () => {
    const bytes = randomBytes(200_000)
    const file = await uploadFile(peer, 'Jahresbericht ü.pdf', 'application/pdf', bytes)
    const sent = await call('composio__GMAIL_SEND_EMAIL', { to: 'bob@example.com', text: 'See', attachment: file })
    expect(sent['isError'], textOf(sent)).toBeUndefined()
    const [{ arguments: given } = { arguments: {} }] = composio.executed.slice(-1)
    const { attachment } = given as { attachment: Record<string, string> }
    expect(attachment).toEqual({
      ...{ name: 'Jahresbericht ü.pdf', mimetype: 'application/pdf' },
      s3key: expect.stringContaining('/gmail/GMAIL_SEND_EMAIL/'),
    })
    const stored = composio.storage.uploads.get(attachment['s3key'] ?? '')
    expect(hashOf(await readFile(stored?.path ?? ''))).toBe(hashOf(bytes))
    // The storage is told nothing of the key of the project.
    expect(JSON.stringify(composio.storage.headers)).not.toContain(API_KEY)
  })

  test('COMPOSIO_UPLOAD_FILE brings it to the storage for a program that sends the mail itself', async () => {
    const bytes = randomBytes(70_000)
    const file = await uploadFile(peer, 'plan.txt', 'text/plain', bytes)
    const given = { file, toolkit_slug: 'gmail', tool_slug: 'GMAIL_SEND_EMAIL', media_type: 'text/markdown' }
    const made = await call('composio__COMPOSIO_UPLOAD_FILE', given)
    expect(made['structuredContent']).toEqual({
      ...{ name: 'plan.txt', mimetype: 'text/markdown' },
      s3key: expect.stringContaining('/gmail/GMAIL_SEND_EMAIL/'),
    })
    const sent = await call('composio__GMAIL_SEND_EMAIL', { to: 'b@c.d', attachment: made['structuredContent'] })
    expect(sent['isError'], textOf(sent)).toBeUndefined()
    const many = await call('composio__COMPOSIO_UPLOAD_FILE', {
      ...given,
      file: `toolway://files/file_${'0'.repeat(26)}`,
    })
    expect(JSON.stringify(many)).not.toContain('s3key')
  })

  test('goes with a mail and a draft of Gmail, in parts of MIME and never as a whole in memory', async () => {
    const bytes = randomBytes(3_000_001)
    const file = await uploadFile(peer, 'Zeichnung "ä".png', 'image/png', bytes)
    const small = { name: 'note.txt', media_type: 'text/plain', data: Buffer.from('Hello').toString('base64') }
    const mail = { to: 'bob@example.com', subject: 'Plan', body: 'Grüße', attachments: [file, small] }
    const sent = await call('gmail__gmail_send_message', mail)
    expect(sent['structuredContent'], textOf(sent)).toMatchObject({ id: 'm1', thread_id: 't1' })
    const { path, type, body } = gmail.mails.at(-1) ?? { path: '', type: '', body: Buffer.alloc(0) }
    expect([path, type]).toEqual(['messages/send?uploadType=media', 'message/rfc822'])
    const [, head = '', boundary = ''] = /^([\s\S]*?boundary="([^"]+)")/.exec(body.toString('latin1')) ?? []
    expect(head).toContain('Subject: Plan')
    const [, text = '', picture = '', note = ''] = body.toString('latin1').split(`--${boundary}`)
    expect(Buffer.from(text.split('\r\n\r\n')[1] ?? '', 'base64').toString()).toBe('Grüße')
    expect(picture).toContain('Content-Type: image/png')
    expect(Buffer.from(picture.split('\r\n\r\n')[1] ?? '', 'base64')).toEqual(bytes)
    expect(Buffer.from(note.split('\r\n\r\n')[1] ?? '', 'base64').toString()).toBe('Hello')
    await call('gmail__gmail_create_draft', mail)
    expect(gmail.mails.at(-1)?.path).toBe('drafts?uploadType=media')
    await call('gmail__gmail_reply_to_message', { message_id: 'm', body: 'Here', attachments: [file] })
    expect(gmail.mails.at(-1)?.type).toMatch(/^multipart\/related/)
    expect(gmail.mails.at(-1)?.body.toString('latin1')).toContain('{"threadId":"t"}')
  })

  test('is refused where all of them are more than Gmail takes, and nothing is sent', async () => {
    const file = await uploadFile(peer, 'film.mp4', 'video/mp4', Buffer.alloc(13_000_000))
    const before = gmail.mails.length
    const mail = { to: 'b@c.d', subject: 's', body: 'b', attachments: [file, file] }
    const refused = await call('gmail__gmail_send_message', mail)
    expect(refused).toMatchObject({ isError: true })
    expect(textOf(refused)).toContain('26000000 bytes')
    expect(gmail.mails).toHaveLength(before)
  })

  test('is posted to a channel of Slack by its signed address, which never sees the account', async () => {
    const bytes = randomBytes(100_000)
    const file = await uploadFile(peer, 'chart.png', 'image/png', bytes)
    const given = { channel_id: 'C1', text: 'The chart', thread_ts: '1.1', files: [file] }
    const posted = await call('slack__slack_conversations_add_message', given)
    expect(posted['structuredContent'], textOf(posted)).toEqual({ channel: 'C1', files: ['F1'] })
    expect(slack.files.get('F1')).toMatchObject({ name: 'chart.png', posted: true })
    expect(slack.files.get('F1')?.bytes?.equals(bytes)).toBe(true)
    expect(slack.messages.at(-1)).toEqual({
      ...{ channel_id: 'C1', initial_comment: 'The chart', thread_ts: '1.1' },
      files: [{ id: 'F1', title: 'chart.png' }],
    })
    expect(JSON.stringify(slack.signed)).not.toContain(TOKEN)
    expect(JSON.stringify(posted)).not.toContain('s3cr3t')
  })

  test('of somebody else answers like one that never was, at every tool and in every way of reading', async () => {
    const file = await uploadFile(peer, 'mine.txt', 'text/plain', Buffer.from('secret'))
    const other = { ...peer, key: OTHER_KEY }
    const nowhere = `toolway://files/file_${'0'.repeat(26)}`
    const answers = async (uri: string) => {
      const all = [
        await ask(other, 'resources/read', { uri }),
        await callTool(other, 'download_file', { file: uri }),
        await callTool(other, 'gmail__gmail_send_message', {
          to: 'b@c.d',
          subject: 's',
          body: 'b',
          attachments: [uri],
        }),
        await callTool(other, 'composio__GMAIL_SEND_EMAIL', { attachment: uri }),
        await callTool(other, 'composio__COMPOSIO_UPLOAD_FILE', { file: uri, toolkit_slug: 'a', tool_slug: 'B' }),
      ]
      return all.map(({ answer: { error, result } }) =>
        JSON.stringify([error, result?.content])
          .replaceAll(uri, '…')
          .replaceAll(uri.slice(16), '…')
          .replaceAll(/"correlation_id":"[^"]+"/g, ''),
      )
    }
    const mine = await answers(file)
    expect(mine).toEqual(await answers(nowhere))
    expect(mine.join()).not.toContain('secret')
    expect(mine.join()).not.toContain('mine.txt')
  })
})

describe('the gateway’s own tools for files', () => {
  test('give an address to download from, once', async () => {
    const bytes = randomBytes(1_000)
    const file = await uploadFile(peer, 'a.bin', 'application/octet-stream', bytes)
    const { structuredContent } = (await callTool(peer, 'download_file', { file })).answer.result ?? {}
    const { download } = structuredContent as { download: { url: string } }
    const first = await fetch(download.url)
    expect(Buffer.from(await first.arrayBuffer())).toEqual(bytes)
    expect((await fetch(download.url)).status).toBe(404)
  })

  test('stand where a tool takes files or the toolset says so, and writing ones where a caller may write', async () => {
    const put = (slug: string, settings: object) =>
      platform(`PUT /api/v1/admin/tenants/default/toolsets/${slug}`, { title: slug, ...settings })
    for (const [slug, settings] of [
      ['reads', { limit: 'read', files: true }],
      ['none', { include: ['slack__slack_users_list'] }],
      ['hidden', { files: false }],
      ['found', { discovery: 'search' }],
    ] as const)
      expect((await put(slug, settings)).status).toBe(200)
    const url = (slug: string) => `${gateway.address}/o/default/t/${slug}/mcp`
    const listed = async (slug: string) =>
      (await toolNames(gateway, url(slug))).filter((name) => name.endsWith('load_file'))
    await until('the toolsets are there', async () => (await listed('reads')).length > 0)
    expect(await listed('reads')).toEqual(['download_file'])
    expect(await listed('none')).toEqual([])
    expect(await listed('hidden')).toEqual([])
    expect((await listed('found')).toSorted()).toEqual(['download_file', 'upload_file'])
    const refused = await callTool({ ...peer, url: url('reads') }, 'upload_file', { name: 'a', size: 1 })
    expect(refused.answer.error).toMatchObject({ message: expect.stringContaining('upload_file') })
    expect(await uploadFile({ ...peer, url: url('found') }, 'a', 'a/b', Buffer.from('x'))).toMatch(
      /^toolway:\/\/files\//,
    )
  })
})

describe('a result by reference', () => {
  const answerOf = (data: object) => ({ data, successful: true, error: null, log_id: 'log_1' })

  test('4 MB of Composio are answered directly, 6 MB are a file that the answer names', async () => {
    composio.next.push(answerOf({ text: 'a'.repeat(4_000_000) }))
    const direct = await call('composio__GMAIL_GET_ATTACHMENT', {})
    expect((direct['structuredContent'] as { data: { text: string } }).data.text).toHaveLength(4_000_000)
    expect(linkIn(direct)).toBeUndefined()

    const data = { text: 'b'.repeat(6_000_000) }
    composio.next.push(answerOf(data))
    const large = await call('composio__GMAIL_GET_ATTACHMENT', {})
    const link = linkIn(large)
    expect(link).toMatchObject({
      uri: expect.stringMatching(/^toolway:\/\/files\/file_/),
      mimeType: 'application/json',
    })
    expect(link?.size).toBeGreaterThan(6_000_000)
    expect(Buffer.byteLength(JSON.stringify(large))).toBeLessThan(300_000)
    expect(large['structuredContent']).toMatchObject({ successful: true, data: { file: { uri: link?.uri } } })
    const { structuredContent } = (await callTool(peer, 'download_file', { file: link?.uri })).answer.result ?? {}
    const whole = await fetch((structuredContent as { download: { url: string } }).download.url)
    expect(((await whole.json()) as { data: object }).data).toEqual(data)
  })

  test('a file of Composio’s storage becomes one of the caller, and its signed address reaches nobody', async () => {
    const file = await uploadFile(peer, 'in.bin', 'application/octet-stream', randomBytes(5_000))
    await call('composio__COMPOSIO_UPLOAD_FILE', { file, toolkit_slug: 'gmail', tool_slug: 'X' })
    const [upload] = [...composio.storage.uploads.values()].slice(-1)
    // The storage is another host than Composio.
    const s3url = composio.storage.address(upload?.path ?? '', composio.url.replace('127.0.0.1', 'localhost'))
    composio.next.push(answerOf({ file: { name: 'out.bin', mimetype: 'application/zip', s3url } }))
    const got = await call('composio__GMAIL_GET_ATTACHMENT', {})
    expect(got['structuredContent']).toMatchObject({
      data: { file: { name: 'out.bin', mimetype: 'application/zip', size: 5_000, file: linkIn(got)?.uri } },
    })
    expect(JSON.stringify(got)).not.toContain('Signature')
    const { answer } = await ask(peer, 'resources/read', { uri: linkIn(got)?.uri })
    const [content] = (answer.result?.['contents'] ?? []) as { blob: string; mimeType: string }[]
    expect(content?.mimeType).toBe('application/zip')
    expect(Buffer.from(content?.blob ?? '', 'base64')).toEqual(await readFile(upload?.path ?? ''))
  })

  test('files of Composio’s storage that cannot be stored say why, without their address, and many are not tried', async () => {
    const storage = composio.url.replace('127.0.0.1', 'localhost')
    const gone = (name: string) => ({ name, s3url: `${storage}/storage/${name}?X-Amz-Signature=s3cr3t` })
    composio.next.push(answerOf({ files: Array.from({ length: 25 }, (_, at) => gone(`gone${at}`)) }))
    const before = composio.storage.requests.length
    const got = await call('composio__GMAIL_GET_ATTACHMENT', {})
    const { files } = (got['structuredContent'] as { data: { files: Record<string, unknown>[] } }).data
    expect(files[0]).toEqual({ name: 'gone0', file: null, problem: expect.stringContaining('HTTP 404') })
    expect(files[24]).toEqual({ name: 'gone24', file: null, problem: expect.stringContaining('20 files') })
    expect(composio.storage.requests.length - before).toBe(20)
    expect(JSON.stringify(got)).not.toContain('s3cr3t')
  })

  test('is read in every era: texts in ranges, other content up to a bound, and beyond it by download', async () => {
    const text = await uploadFile(peer, 'a.txt', 'text/plain', Buffer.from('Zeile 1\nZeile ü\n'))
    const large = await uploadFile(peer, 'b.bin', 'application/zip', Buffer.alloc(2_000_000))
    for (const from of [peer, await openSession(gateway.url, gateway.key)]) {
      const contentsOf = async (uri: string) =>
        (((await ask(from, 'resources/read', { uri })).answer.result?.['contents'] ?? []) as { text: string }[])[0]
      expect(await contentsOf(text)).toMatchObject({ text: 'Zeile 1\nZeile ü\n' })
      expect(await contentsOf(`${text}?line=2&lines=1`)).toMatchObject({ text: 'Zeile ü\n' })
      expect(await contentsOf(large)).toMatchObject({ text: expect.stringContaining('download') })
    }
  })
})

describe('what is known of a file', () => {
  test('a rule sees name, type and size, and the record says which file went where', async () => {
    const rule = {
      ...{ name: 'no-programs', action: 'block', scope: 'organization', reason: 'Programs are not sent' },
      match: { tools: ['gmail__*'], when: 'context.files.exists(f, f.name.endsWith(".exe") || f.size > 1000)' },
      parameters: {},
    }
    const added = await platform('POST /api/v1/organizations/default/rules', rule)
    expect(added.status, added.text).toBe(201)
    const mail = { to: 'b@c.d', subject: 's', body: 'b' }
    const program = await uploadFile(peer, 'tool.exe', 'application/octet-stream', Buffer.from('MZ'))
    await until('the rule is in force', async () => {
      const answer = await call('gmail__gmail_send_message', { ...mail, attachments: [program] })
      return answer['isError'] === true && textOf(answer).includes('Programs are not sent')
    })
    const plain = await uploadFile(peer, 'ok.txt', 'text/plain', Buffer.from('fine'))
    const sent = await call('gmail__gmail_send_message', { ...mail, attachments: [plain] })
    expect(sent['isError'], textOf(sent)).toBeUndefined()
    expect((await call('gmail__gmail_send_message', mail))['isError'], 'without files').toBe(true)
    await until('the record is written', async () => (await recordsOf('gmail__gmail_send_message')).includes('ok.txt'))
    const records = await recordsOf('gmail__gmail_send_message')
    expect(records).toContain(hashOf(Buffer.from('fine')))
    expect(records).toContain(plain.slice('toolway://files/'.length))
    await platform(`DELETE /api/v1/organizations/default/rules/${String(added.body['id'])}`)
  })

  test('an approval shows the file and holds for its content alone', async () => {
    const rule = {
      ...{ name: 'ask-first', action: 'approve', scope: 'organization', reason: 'Customers see it' },
      match: { tools: ['slack__*'], when: 'size(context.files) > 0' },
      parameters: {},
    }
    const added = await platform('POST /api/v1/organizations/default/rules', rule)
    expect(added.status, added.text).toBe(201)
    const first = await uploadFile(peer, 'offer.pdf', 'application/pdf', Buffer.from('100 EUR'))
    const second = await uploadFile(peer, 'offer.pdf', 'application/pdf', Buffer.from('900 EUR'))
    const post = (file: string) =>
      call('slack__slack_conversations_add_message', { channel_id: 'C1', text: 't', files: [file] })
    const before = slack.messages.length
    await until('the rule is in force', async () => JSON.stringify(await post(first)).includes('approval'))
    const open = await platform('GET /api/v1/organizations/default/approvals?state=pending')
    const [pending] = open.body['items'] as { id: string }[]
    const at = `/api/v1/organizations/default/approvals/${pending?.id}`
    const { body } = await platform(`GET ${at}`)
    expect(body['files']).toMatchObject([
      {
        place: '/files/0',
        name: 'offer.pdf',
        media_type: 'application/pdf',
        size: 7,
        sha256: hashOf(Buffer.from('100 EUR')),
      },
    ])
    // The same name and size with other content is another question, and nothing was sent.
    expect(JSON.stringify(await post(second))).toContain('approval')
    const both = await platform('GET /api/v1/organizations/default/approvals?state=pending')
    expect(both.body['items']).toHaveLength(2)
    expect(slack.messages).toHaveLength(before)
    await platform(`DELETE /api/v1/organizations/default/rules/${String(added.body['id'])}`)
  })

  test('what a rule takes out of a result is in no file', async () => {
    const rule = {
      ...{ name: 'no-addresses', action: 'size', scope: 'organization', reason: 'Addresses are private' },
      match: { tools: ['composio__*'] },
      parameters: { result: { redact: ['data.secret'] } },
    }
    const added = await platform('POST /api/v1/organizations/default/rules', rule)
    expect(added.status, added.text).toBe(201)
    const data = { secret: 'zoe@private.example', text: 'c'.repeat(6_000_000) }
    let got: Record<string, unknown> = {}
    await until('the rule is in force', async () => {
      composio.next.push({ data, successful: true, error: null, log_id: 'log_1' })
      got = await call('composio__GMAIL_GET_ATTACHMENT', {})
      return !JSON.stringify(got).includes('zoe@private.example') && linkIn(got) !== undefined
    })
    const { structuredContent } =
      (await callTool(peer, 'download_file', { file: linkIn(got)?.uri })).answer.result ?? {}
    const whole = await (await fetch((structuredContent as { download: { url: string } }).download.url)).text()
    expect(whole.length).toBeGreaterThan(6_000_000)
    expect(whole.includes('zoe@private.example')).toBe(false)

    // A file beside it would say the same, and so would its signed address.
    const [upload] = [...composio.storage.uploads.values()]
    const s3url = composio.storage.address(upload?.path ?? '', composio.url.replace('127.0.0.1', 'localhost'))
    composio.next.push({ data: { file: { name: 'a', s3url } }, successful: true, error: null, log_id: 'log_1' })
    const beside = await call('composio__GMAIL_GET_ATTACHMENT', {})
    expect(beside['structuredContent']).toMatchObject({
      data: { file: { name: 'a', file: null, problem: expect.stringContaining('rule') } },
    })
    expect(JSON.stringify(beside)).not.toContain('Signature')
    await platform(`DELETE /api/v1/organizations/default/rules/${String(added.body['id'])}`)
  })
})
