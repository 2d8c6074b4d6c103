/** The cases of Gmail: input, then the requests that it makes. */
import { base64UrlOf } from '../kit/index.ts'
import type { VendorRows } from '../kit/rows.ts'

const head =
  'MIME-Version: 1.0\r\nContent-Type: text/plain; charset="UTF-8"\r\nContent-Transfer-Encoding: base64\r\n\r\n'
const least = { to: 'a@b.c', subject: 's', body: 'Hello' }
const leastRaw = base64UrlOf(`To: a@b.c\r\nSubject: s\r\n${head}SGVsbG8=`)
const full = { to: '"Zoë, Q" <z@b.c>, d@e.f', subject: 'Grüße', body: 'ä', cc: 'c@b.c', bcc: 'x@b.c' }
const fullRaw = base64UrlOf(
  `To: =?UTF-8?B?Wm/DqywgUQ==?= <z@b.c>, d@e.f\r\nCc: c@b.c\r\nBcc: x@b.c\r\nSubject: =?UTF-8?B?R3LDvMOfZQ==?=\r\n${head}w6Q=`,
)
const replied =
  'GET /messages/m?format=metadata&metadataHeaders=From&metadataHeaders=Reply-To&metadataHeaders=To&metadataHeaders=Cc&metadataHeaders=Delivered-To&metadataHeaders=Subject&metadataHeaders=Message-ID&metadataHeaders=References'
const reply = base64UrlOf(`Subject: Re:\r\n${head}SGVsbG8=`)
const attachments = [{ name: 'a.txt', media_type: 'text/plain', data: 'SGVsbG8=' }]
const header = (name: string, value: string) => ({ name, value })
const message = {
  id: 'm',
  threadId: 't',
  labelIds: ['INBOX'],
  payload: {
    mimeType: 'multipart/mixed',
    headers: [
      header('From', 'Ada <ada@b.c>'),
      header('To', 'me@b.c, bob@b.c'),
      header('Cc', 'cy@b.c'),
      header('Delivered-To', 'me@b.c'),
      header('Date', 'Sun, 22 Nov 2026 12:00:00 +0000'),
      header('Subject', 'Plan'),
      header('Message-ID', '<1@b.c>'),
    ],
    parts: [
      { partId: '0', mimeType: 'text/plain', filename: '', body: { size: 5, data: 'SGVsbG8' } },
      { partId: '1', mimeType: 'image/png', filename: 'a.png', body: { size: 3, attachmentId: 'A' } },
    ],
  },
}
const gone = { whole: { status: 404, headers: {} } }
const listed = { ...message, snippet: 'It&#39;s &lt;new&gt;', internalDate: '1764590400000' }
const shown = 'format=metadata&metadataHeaders=From&metadataHeaders=To&metadataHeaders=Subject&metadataHeaders=Date'
const note = {
  id: 'm',
  payload: { parts: [{ partId: '1', mimeType: 'text/csv', filename: 'a.csv', body: { size: 3, data: 'YSxi' } }] },
}
const page = { ...message, payload: { mimeType: 'text/html', body: { data: base64UrlOf('<p>A &amp; B</p>') } } }
const forwarded = (note: string) =>
  base64UrlOf(
    `To: a@b.c\r\nSubject: Fwd:\r\n${head}${btoa(`${note}---------- Forwarded message ---------\r\nFrom: \r\nDate: \r\nSubject: \r\nTo: \r\n\r\n`).replaceAll(/.{76}(?=.)/g, '$&\r\n')}`,
  )

export const rows: VendorRows = {
  described: ['google-gmail.json'],
  failures: [
    {
      status: 403,
      body: { error: { code: 403, message: 'limit', errors: [{ reason: 'userRateLimitExceeded' }] } },
      word: 'RATE_LIMITED',
    },
    {
      status: 403,
      body: { error: { code: 403, message: 'scopes', errors: [{ reason: 'insufficientPermissions' }] } },
      word: 'PERMISSION_DENIED',
    },
    { status: 401, body: { error: { code: 401, message: 'no', status: 'UNAUTHENTICATED' } }, word: 'NEEDS_AUTH' },
  ],
  undescribed: Object.fromEntries(
    ['send_message.', 'create_draft.', 'reply_to_message.'].map((value) => [
      value,
      'the description leaves out the upload address',
    ]),
  ),
  replies: {
    'GET /messages?q=is%3Aunread&labelIds=INBOX&labelIds=L&maxResults=2&pageToken=c': {
      messages: [
        { id: 'm', threadId: 't' },
        { id: 'n', threadId: 't' },
      ],
    },
    'GET /messages?q=a&maxResults=500': { messages: [{ id: 'm', threadId: 't' }] },
    'GET /threads?q=a&labelIds=L&maxResults=2': { threads: [{ id: 't', snippet: 's' }] },
    'GET /drafts?maxResults=2&pageToken=c': { drafts: [{ id: 'd', message: { id: 'm', threadId: 't' } }] },
    'GET /messages/with': message,
  },
  picks: ['get_attachment'],
  answers: {
    list_messages: [[{ messages: [{ id: 'm', threadId: 't' }, { id: 'n' }] }, listed, gone]],
    search_messages: [[{ messages: [{ id: 'm', threadId: 't' }, { id: 'n' }] }, listed, gone]],
    list_threads: [[{ threads: [{ id: 't', snippet: 's' }, { id: 'u' }] }, { id: 't', messages: [listed] }, gone]],
    list_drafts: [
      [
        {
          drafts: [
            { id: 'd', message: { id: 'm', threadId: 't' } },
            { id: 'e', message: { id: 'n' } },
          ],
        },
        listed,
        gone,
      ],
    ],
    get_attachment: [[message, { size: 3, data: 'AP_-' }], [note]],
    get_message: [[message], [page]],
    get_thread: [[{ id: 't', messages: [message, page] }]],
    reply_to_message: [[message, { id: 'n', threadId: 't', labelIds: ['SENT'] }]],
    forward_message: [[message, { size: 3, data: 'AAEC' }, { id: 'n', threadId: 'u', labelIds: ['SENT'] }]],
  },
  tools: {
    list_messages: [
      [{}, 'GET /messages?maxResults=20'],
      [
        { q: 'is:unread', labelIds: ['INBOX', 'L'], maxResults: 2, cursor: 'c' },
        'GET /messages?q=is%3Aunread&labelIds=INBOX&labelIds=L&maxResults=2&pageToken=c',
        `GET /messages/m?${shown}`,
        `GET /messages/n?${shown}`,
      ],
    ],
    get_attachment: [
      [{ message_id: 'with', attachment_id: '1' }, 'GET /messages/with', 'GET /messages/with/attachments/A'],
    ],
    get_message: [[{ id: 'm' }, 'GET /messages/m']],
    search_messages: [
      [{ query: 'a b' }, 'GET /messages?q=a b&maxResults=20'],
      [{ query: 'a', maxResults: 500 }, 'GET /messages?q=a&maxResults=500', `GET /messages/m?${shown}`],
    ],
    send_message: [
      [least, ['POST /messages/send', { raw: leastRaw }]],
      [full, ['POST /messages/send', { raw: fullRaw }]],
      [{ ...least, attachments }, 'POST /messages/send?uploadType=media'],
    ],
    reply_to_message: [
      [{ message_id: 'm', body: 'Hello' }, replied, ['POST /messages/send', { raw: reply }]],
      [{ message_id: 'm', body: 'Hello', reply_all: true }, replied, ['POST /messages/send', { raw: reply }]],
      [{ message_id: 'm', body: 'Hello', attachments }, replied, 'POST /messages/send?uploadType=media'],
    ],
    forward_message: [
      [{ message_id: 'm', to: 'a@b.c' }, 'GET /messages/m', ['POST /messages/send', { raw: forwarded('') }]],
      [
        { message_id: 'm', to: 'a@b.c', body: 'See' },
        'GET /messages/m',
        ['POST /messages/send', { raw: forwarded('See\r\n\r\n') }],
      ],
    ],
    list_threads: [
      [{}, 'GET /threads?maxResults=20'],
      [
        { q: 'a', labelIds: ['L'], maxResults: 2 },
        'GET /threads?q=a&labelIds=L&maxResults=2',
        `GET /threads/t?${shown}`,
      ],
    ],
    get_thread: [[{ id: 't' }, 'GET /threads/t']],
    list_labels: [[{}, 'GET /labels']],
    create_label: [
      [{ name: 'n' }, ['POST /labels', { name: 'n', labelListVisibility: 'labelShow', messageListVisibility: 'show' }]],
      [
        { name: 'n', labelListVisibility: 'labelHide', messageListVisibility: 'hide' },
        ['POST /labels', { name: 'n', labelListVisibility: 'labelHide', messageListVisibility: 'hide' }],
      ],
    ],
    modify_labels: [
      [{ id: 'm', addLabelIds: ['L'] }, ['POST /messages/m/modify', { addLabelIds: ['L'] }]],
      [
        { id: 'm', addLabelIds: ['L'], removeLabelIds: ['UNREAD'] },
        ['POST /messages/m/modify', { addLabelIds: ['L'], removeLabelIds: ['UNREAD'] }],
      ],
    ],
    trash_message: [[{ id: 'm' }, 'POST /messages/m/trash']],
    untrash_message: [[{ id: 'm' }, 'POST /messages/m/untrash']],
    create_draft: [
      [least, ['POST /drafts', { message: { raw: leastRaw } }]],
      [full, ['POST /drafts', { message: { raw: fullRaw } }]],
      [{ ...least, attachments }, 'POST /drafts?uploadType=media'],
    ],
    list_drafts: [
      [{}, 'GET /drafts?maxResults=20'],
      [{ maxResults: 2, cursor: 'c' }, 'GET /drafts?maxResults=2&pageToken=c', `GET /messages/m?${shown}`],
    ],
  },
}
