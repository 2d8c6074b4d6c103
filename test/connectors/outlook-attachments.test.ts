/** Files that a mail of Outlook takes with it: within the request where they are small, else in parts to an upload session. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Json } from '../../packages/connectors/src/index.ts'
import { get } from '../../packages/connectors/src/kit/shape.ts'
import type { CallerFiles } from '../../packages/gateway/src/upstreams/caller-files.ts'
import { PATH, startOwnServer, type Asked, type OwnServer } from './own-server.ts'

let outlook: OwnServer
beforeAll(async () => {
  outlook = await startOwnServer()
})
beforeEach(() => {
  outlook.asked.length = 0
})
afterAll(() => outlook.close())

const mail = { subject: 'Plan "B"', body: '<p>x</p>', to_recipients: ['ada@example.com'] }
const small = { name: 'ü "1".txt', media_type: 'text/plain', data: Buffer.from('Hello').toString('base64') }
const attachment = (name: string, contentType: string, content: string) => ({
  ...{ '@odata.type': '#microsoft.graph.fileAttachment', name, contentType },
  contentBytes: Buffer.from(content).toString('base64'),
})
const REFERENCE = `toolway://files/file_${'0'.repeat(26)}`

/** A stored file of so many bytes, in chunks as the store reads it. */
function stored(bytes: Buffer): CallerFiles {
  const chunk = 300_000
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, at) =>
    bytes.subarray(at * chunk, (at + 1) * chunk),
  )
  return {
    find: async () => ({ id: 'file', uri: REFERENCE, name: 'big.bin', mediaType: 'a/b', size: bytes.length }),
    open: async () => Readable.from(chunks),
  }
}

const lines = () =>
  outlook.asked.map(({ method, url }) => `${method} ${url.pathname.replace(PATH, '').replace('/v1.0', '')}`)
const bodyOf = ({ text }: Asked): Json => JSON.parse(text) as Json

test('a small file stands in the mail that is sent, and in the draft that is created', async () => {
  const text = { name: 'note.txt', type: 'text/plain' }
  outlook.reply = () => ({ body: { id: 'd1', subject: 'Plan "B"' } })
  expect(await outlook.call('outlook_send_message', { ...mail, attachments: [small, small] })).toEqual({ done: true })
  const wanted = attachment(small.name, text.type, 'Hello')
  expect(lines()).toEqual(['POST /me/sendMail'])
  const [sent] = outlook.asked
  expect(sent && bodyOf(sent)).toMatchObject({
    Message: { subject: 'Plan "B"', attachments: [wanted, wanted] },
    SaveToSentItems: true,
  })
  outlook.asked.length = 0
  expect(await outlook.call('outlook_create_draft', { ...mail, attachments: [small] })).toMatchObject({ id: 'd1' })
  expect(lines()).toEqual(['POST /me/messages'])
  const [drafted] = outlook.asked
  expect(drafted && bodyOf(drafted)).toMatchObject({ toRecipients: [expect.anything()], attachments: [wanted] })
})

describe('a file of seven megabytes', () => {
  const bytes = Buffer.alloc(7_000_001, 'Toolway ')
  const parts: { range: string; bytes: Buffer; authorized: boolean }[] = []
  beforeEach(() => {
    parts.length = 0
    outlook.raw = (asked, received) => {
      if (asked.method === 'PUT')
        parts.push({ range: String(asked.headers['content-range']), bytes: received, authorized: asked.authorized })
    }
    outlook.reply = ({ method, url }) =>
      url.pathname.endsWith('createUploadSession')
        ? { status: 201, body: { uploadUrl: `${outlook.origin}/upload/1?token=a`, nextExpectedRanges: ['0-'] } }
        : { status: method === 'PUT' ? 200 : 201, body: { id: 'd1' } }
  })

  test.each([
    ['outlook_send_message', mail, ['POST /me/messages'], ['POST /me/messages/d1/send']],
    ['outlook_create_draft', mail, ['POST /me/messages'], []],
    [
      'outlook_reply_to_message',
      { message_id: 'm1', comment: 'Thanks' },
      ['POST /me/messages/m1/createReply'],
      ['POST /me/messages/d1/send'],
    ],
  ] as const)('%s uploads it in parts, byte for byte, without the account', async (name, input, before, after) => {
    await outlook.call(name, { ...input, attachments: [REFERENCE, small] }, stored(bytes))
    expect(lines()).toEqual([
      ...before,
      'POST /me/messages/d1/attachments/createUploadSession',
      'PUT /upload/1',
      'PUT /upload/1',
      'POST /me/messages/d1/attachments',
      ...after,
    ])
    expect(get(outlook.asked[1] && bodyOf(outlook.asked[1]), 'AttachmentItem')).toEqual({
      ...{ attachmentType: 'file', name: 'big.bin', size: bytes.length, contentType: 'a/b' },
    })
    expect(parts.map(({ range, authorized }) => [range, authorized])).toEqual([
      ['bytes 0-3932159/7000001', false],
      ['bytes 3932160-7000000/7000001', false],
    ])
    const hashOf = (content: Buffer) => createHash('sha256').update(content).digest('hex')
    expect(hashOf(Buffer.concat(parts.map((part) => part.bytes)))).toBe(hashOf(bytes))
  })

  test('that is refused half-way is not sent', async () => {
    const { reply } = outlook
    outlook.reply = (asked) => (asked.method === 'PUT' ? { status: 507 } : reply(asked))
    await expect(
      outlook.call('outlook_send_message', { ...mail, attachments: [REFERENCE] }, stored(bytes)),
    ).rejects.toThrow(/big.bin was not attached.*was not sent/)
    expect(lines().some((line) => line.endsWith('/send'))).toBe(false)
  })

  test('in too great a number is refused before anything is asked', async () => {
    await expect(
      outlook.call(
        'outlook_send_message',
        { ...mail, attachments: Array.from({ length: 6 }, () => REFERENCE) },
        stored(bytes),
      ),
    ).rejects.toThrow(/at most 35000000/)
    expect(outlook.asked).toEqual([])
  })
})

describe('an attachment that is read', () => {
  const read = (facts: Json) => {
    outlook.reply = () => ({ body: { id: 'a', name: 'a', size: 1, ...facts } })
    return outlook.call('outlook_get_attachment', { message_id: 'm', attachment_id: 'a' })
  }
  const base64 = (text: string) => Buffer.from(text).toString('base64')

  test('comes as text where it is a short one, and whole as a file where it is long', async () => {
    expect(await read({ contentType: 'text/csv', contentBytes: base64('a,b') })).toMatchObject({ text: 'a,b' })
    const long = 'ü'.repeat(100_001)
    expect(await read({ contentType: 'text/csv', contentBytes: base64(long) })).toMatchObject({
      ...{ data: base64(long), is_base64: true },
    })
  })

  test('says what it is where it is no file', async () => {
    const output = await read({ '@odata.type': '#microsoft.graph.itemAttachment', contentType: null })
    expect(output).toMatchObject({ note: expect.stringMatching(/not a file/) })
  })
})
