/** The cases of Outlook: input, then the requests that it makes. */
import { lineOf, type VendorRows } from '../kit/rows.ts'

const message = { message_id: 'm1' }
const $select = 'id,subject,from,toRecipients,receivedDateTime,bodyPreview,isRead,hasAttachments,flag'
const $orderby = 'receivedDateTime desc'
const person = (address: string) => ({ emailAddress: { address } })
const mail = { subject: 'Hi', body: '<p>x</p>', to_recipients: ['a@b.c'] }
const least = { subject: 'Hi', body: { contentType: 'html', content: '<p>x</p>' }, toRecipients: [person('a@b.c')] }
const attachments = [{ name: 'a.txt', media_type: 'text/plain', data: 'SGVsbG8=' }]
const copies = { cc_recipients: ['d@e.f'], content_type: 'Text' }
const full = {
  subject: 'Hi',
  body: { contentType: 'text', content: '<p>x</p>' },
  toRecipients: [person('a@b.c')],
  ccRecipients: [person('d@e.f')],
}
const focused = "receivedDateTime ge 1900-01-01T00:00:00Z and inferenceClassification eq 'focused'"

export const rows: VendorRows = {
  described: ['microsoft-graph.json'],
  failures: [
    {
      status: 401,
      body: { error: { code: 'InvalidAuthenticationToken', message: 'Lifetime validation failed' } },
      word: 'NEEDS_AUTH',
    },
    {
      status: 429,
      headers: { 'retry-after': '11' },
      body: { error: { code: 'ApplicationThrottled', message: 'Application is over its MailboxConcurrency limit.' } },
      word: 'RATE_LIMITED',
      retryAfter: 11,
    },
    {
      status: 503,
      headers: { 'retry-after': '9' },
      body: { error: { code: 'TooManyRequests', message: 'Too many requests' } },
      word: 'RATE_LIMITED',
      retryAfter: 9,
    },
    {
      status: 404,
      body: {
        error: { code: 'MailboxNotEnabledForRESTAPI', message: 'REST API is not yet supported for this mailbox.' },
      },
      word: 'PERMISSION_DENIED',
    },
    {
      status: 403,
      body: { error: { code: 'ErrorAccessDenied', message: 'Access is denied.' } },
      word: 'PERMISSION_DENIED',
    },
  ],
  undescribed: Object.fromEntries(
    ['send_message.', 'create_draft.', 'reply_to_message.'].map((value) => [
      value,
      'the description leaves out attachments of new messages; bodies of files are streams',
    ]),
  ),
  replies: {
    'POST /me/messages/with/createReplyAll': { id: 'd1' },
  },
  answers: {
    get_attachment: [
      [{ id: 'a', name: 'a.txt', contentType: 'text/plain', size: 2, contentBytes: 'SGk=' }],
      [{ id: 'b', name: 'b.png', contentType: 'image/png', size: 3, isInline: false, contentBytes: 'AP8B' }],
      [{ '@odata.type': '#microsoft.graph.itemAttachment', id: 'c', name: 'Re: Plan', size: 3 }],
    ],
  },
  tools: {
    list_messages: [
      [{}, lineOf('GET /me/mailFolders/inbox/messages', { $select, $orderby, $top: '25' })],
      [
        {
          folder_id: 'drafts',
          filter: 'isRead eq false',
          select: 'subject',
          order_by: 'subject',
          top: 5,
        },
        lineOf('GET /me/mailFolders/drafts/messages', {
          $filter: 'isRead eq false',
          $select: 'subject',
          $orderby: 'subject',
          $top: '5',
        }),
      ],
    ],
    get_message: [
      [message, 'GET /me/messages/m1'],
      [{ ...message, select: 'subject,body' }, lineOf('GET /me/messages/m1', { $select: 'subject,body' })],
    ],
    send_message: [
      [mail, ['POST /me/sendMail', { Message: least, SaveToSentItems: true }]],
      [
        { ...mail, ...copies, bcc_recipients: ['g@h.i'] },
        ['POST /me/sendMail', { Message: { ...full, bccRecipients: [person('g@h.i')] }, SaveToSentItems: true }],
      ],
      [{ ...mail, attachments }, 'POST /me/sendMail'],
    ],
    reply_to_message: [
      [{ ...message, comment: 'Thanks' }, ['POST /me/messages/m1/reply', { Comment: 'Thanks' }]],
      [{ ...message, comment: 'Thanks', reply_all: true }, ['POST /me/messages/m1/replyAll', { Comment: 'Thanks' }]],
      [
        { message_id: 'with', comment: 'Thanks', reply_all: true, attachments },
        ['POST /me/messages/with/createReplyAll', { Comment: 'Thanks' }],
        'POST /me/messages/d1/attachments',
        'POST /me/messages/d1/send',
      ],
    ],
    forward_message: [
      [{ ...message, to_recipients: ['a@b.c'] }, ['POST /me/messages/m1/forward', { ToRecipients: [person('a@b.c')] }]],
      [
        { ...message, to_recipients: ['a@b.c'], comment: 'See' },
        ['POST /me/messages/m1/forward', { ToRecipients: [person('a@b.c')], Comment: 'See' }],
      ],
    ],
    delete_message: [[message, 'DELETE /me/messages/m1']],
    move_message: [
      [{ ...message, destination_folder_id: 'archive' }, ['POST /me/messages/m1/move', { DestinationId: 'archive' }]],
    ],
    list_folders: [
      [{}, lineOf('GET /me/mailFolders', { $top: '100' })],
      [{ top: 5 }, lineOf('GET /me/mailFolders', { $top: '5' })],
    ],
    create_folder: [
      [{ display_name: 'A' }, ['POST /me/mailFolders', { displayName: 'A' }]],
      [{ display_name: 'A', parent_folder_id: 'p' }, ['POST /me/mailFolders/p/childFolders', { displayName: 'A' }]],
    ],
    list_attachments: [
      [message, lineOf('GET /me/messages/m1/attachments', { $select: 'id,name,contentType,size,isInline' })],
    ],
    get_attachment: [[{ ...message, attachment_id: 'a' }, 'GET /me/messages/m1/attachments/a']],
    create_draft: [
      [mail, ['POST /me/messages', least]],
      [{ ...mail, ...copies }, ['POST /me/messages', full]],
      [{ ...mail, attachments }, 'POST /me/messages'],
    ],
    search_messages: [
      [{ query: 'a "b"' }, lineOf('GET /me/messages', { $search: '"a \\"b\\""', $select, $top: '25' })],
      [{ query: 'x', top: 5 }, lineOf('GET /me/messages', { $search: '"x"', $select, $top: '5' })],
    ],
    flag_message: [
      [{ ...message, flag_status: 'complete' }, ['PATCH /me/messages/m1', { flag: { flagStatus: 'complete' } }]],
    ],
    list_focused_inbox: [
      [{}, lineOf('GET /me/mailFolders/inbox/messages', { $filter: focused, $orderby, $select, $top: '25' })],
      [
        { filter: 'isRead eq false', top: 5 },
        lineOf('GET /me/mailFolders/inbox/messages', {
          $filter: `${focused} and (isRead eq false)`,
          $orderby,
          $select,
          $top: '5',
        }),
      ],
    ],
  },
}
