/**
 * Lists of mail at a Gmail whose lists have identifiers only, as the vendor's do: one call shows sender, subject, date and first words,
 * and a message that cannot be read costs its own row.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Json } from '../../packages/connectors/src/index.ts'
import { PATH, startOwnServer, type Asked, type OwnServer, type Reply } from './own-server.ts'

let gmail: OwnServer
beforeAll(async () => {
  gmail = await startOwnServer()
})
beforeEach(() => {
  gmail.asked.length = 0
  gmail.most = 0
})
afterAll(() => gmail.close())

const header = (name: string, value: string) => ({ name, value })
const mailOf = (id: string): Json => ({
  ...{
    id,
    threadId: `t${id}`,
    labelIds: ['INBOX', 'UNREAD'],
    snippet: `It&#39;s ${id}`,
    internalDate: '1764590400000',
  },
  payload: {
    mimeType: 'multipart/mixed',
    headers: [
      header('From', `Ada ${id} <ada@example.com>`),
      header('To', 'me@example.com'),
      header('Subject', `Plan ${id}`),
      header('Date', 'Mon, 1 Dec 2025 13:00:00 +0100'),
    ],
    parts: [{ partId: '1', mimeType: 'image/png', filename: 'a.png', body: { size: 3, attachmentId: 'long' } }],
  },
})
const ids = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1))

/** Lists of so many, and each message and thread; `odd` answers some of these otherwise. */
function mailbox(count: number, odd: (id: string, place: string) => Reply | undefined = () => undefined) {
  gmail.reply = async ({ url }: Asked): Promise<Reply> => {
    const [place = '', id = ''] = url.pathname
      .slice(PATH.length + 1)
      .split('/')
      .slice(-2)
    const own = ['messages', 'threads'].includes(place) ? place : ''
    if (own === '') {
      const list = url.pathname.split('/').at(-1) ?? ''
      const items = ids(count).map((one) =>
        list === 'drafts'
          ? { id: `d${one}`, message: { id: one, threadId: `t${one}` } }
          : { id: one, threadId: `t${one}` },
      )
      return { body: { [list]: items, nextPageToken: 'more' } }
    }
    await pause(5)
    return odd(id, own) ?? { body: own === 'threads' ? { id, messages: [mailOf(id), mailOf('9')] } : mailOf(id) }
  }
}
const shown = (id: string) => ({
  ...{ from: `Ada ${id} <ada@example.com>`, to: 'me@example.com', subject: `Plan ${id}`, snippet: `It's ${id}` },
  ...{ date: '2025-12-01T12:00:00.000Z', labels: ['INBOX', 'UNREAD'] },
})

test.each([
  ['gmail_list_messages', {}],
  ['gmail_search_messages', { query: 'is:unread' }],
])('%s shows sender, subject, date and first words of twenty messages in one call', async (name, input) => {
  mailbox(20)
  const { items, next_cursor } = await gmail.call(name, input)
  expect(items).toEqual(ids(20).map((id) => ({ id, thread_id: `t${id}`, ...shown(id) })))
  expect(next_cursor).toBe('more')
  expect(gmail.asked).toHaveLength(21)
  expect(gmail.asked.every(({ authorized, url }) => authorized && url.pathname.startsWith(PATH))).toBe(true)
  // Several at a time, and never more than a few.
  expect(gmail.most).toBeGreaterThan(1)
  expect(gmail.most).toBeLessThanOrEqual(6)
})

test('drafts and threads are shown in the same way', async () => {
  mailbox(2)
  const drafts = await gmail.call('gmail_list_drafts', {})
  expect(drafts['items']).toEqual(
    ids(2).map((id) => ({ id: `d${id}`, message_id: id, thread_id: `t${id}`, ...shown(id) })),
  )
  const threads = await gmail.call('gmail_list_threads', {})
  expect(threads['items']).toMatchObject([
    { id: '1', subject: 'Plan 1', from: [shown('1').from, shown('9').from], messages: 2, date: shown('9').date },
    { id: '2', subject: 'Plan 2', labels: ['INBOX', 'UNREAD'] },
  ])
})

describe('a message that cannot be read', () => {
  test.each<[string, Reply, RegExp]>([
    [
      'is gone',
      { status: 404, body: { error: { code: 404, message: 'Requested entity was not found.' } } },
      /not found/,
    ],
    ['is answered with a failure', { status: 500, body: { error: { message: 'Backend Error' } } }, /Backend Error/],
    ['is not answered', { lost: true }, /interrupted/],
    ['is answered with a page', { headers: { 'content-type': 'text/html' }, body: '<p>Sorry</p>' }, /web page/],
  ])('%s: its row says so, the others are whole', async (_, reply, problem) => {
    mailbox(8, (id) => (id === '3' ? reply : undefined))
    const { items } = await gmail.call('gmail_list_messages', {})
    expect(items).toEqual(
      ids(8).map((id) =>
        id === '3'
          ? { id, thread_id: 't3', problem: expect.stringMatching(problem) }
          : { id, thread_id: `t${id}`, ...shown(id) },
      ),
    )
  })

  test('has no headers, or null where they are: the row has what there is', async () => {
    mailbox(2, (id) => ({ body: id === '1' ? { id, snippet: null, internalDate: null, payload: null } : null }))
    const { items } = await gmail.call('gmail_list_messages', {})
    expect(items).toEqual(ids(2).map((id) => ({ id, thread_id: `t${id}` })))
  })
})

test('after a rate limit nothing more is asked, and the rows say what was not read', async () => {
  mailbox(20, (id) => (id === '8' ? { status: 429, body: { error: { code: 429, message: 'Too many' } } } : undefined))
  const { items } = await gmail.call('gmail_list_messages', {})
  const rows = items as Json[]
  expect(rows).toHaveLength(20)
  expect(gmail.asked).toHaveLength(1 + 12)
  expect(rows.slice(0, 7).every(({ subject }) => typeof subject === 'string')).toBe(true)
  expect(rows[7]?.['problem']).toMatch(/Too many/)
  expect(rows.slice(12).map(({ problem }) => problem)).toEqual(
    Array.from({ length: 8 }, () => 'Not read: the rate limit of the vendor was reached.'),
  )
})

test.each([
  ['the rate limit is reached at once', 429, /HTTP 429/],
  ['the account is refused', 401, /account|credential|sign/i],
])('where %s, the call says so and can be made again', async (_, status, words) => {
  mailbox(3, () => ({ status, body: { error: { code: status, message: 'No' } } }))
  await expect(gmail.call('gmail_list_messages', {})).rejects.toThrow(words)
})

test('an attachment has an identifier by which it is read as a file', async () => {
  gmail.reply = ({ url }) =>
    url.pathname.includes('/attachments/') ? { body: { size: 3, data: 'AP_-' } } : { body: mailOf('1') }
  const message = await gmail.call('gmail_get_message', { id: '1' })
  expect(message['attachments']).toEqual([{ id: '1', name: 'a.png', type: 'image/png', size: 3 }])
  expect(await gmail.call('gmail_get_attachment', { message_id: '1', attachment_id: '1' })).toEqual({
    ...{ id: '1', name: 'a.png', type: 'image/png', size: 3, data: 'AP/+', is_base64: true },
  })
  await expect(gmail.call('gmail_get_attachment', { message_id: '1', attachment_id: '7' })).rejects.toThrow(
    /no attachment 7/,
  )
})
