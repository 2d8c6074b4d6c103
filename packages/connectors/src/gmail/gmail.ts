/** Gmail: messages, threads, labels and drafts. REST API of version 1. */
import { z } from 'zod'
import {
  byCode,
  changed,
  choice,
  file,
  FILE_CONTENT,
  get,
  givenFiles,
  many,
  maybe,
  num,
  prose,
  readable,
  refusal,
  rest,
  shape,
  str,
  strs,
  text,
  texts,
  token,
  vendor,
  type Content,
  type FileInput,
  type Json,
  type Piece,
  type Run,
} from '../kit/index.ts'
import { bodyOf, filesOf, headerOf, idOf, messageOf, plainOf, rawOf, type Attachment, type Mail } from './mime.ts'

const scope = (name: string) => `https://www.googleapis.com/auth/gmail.${name}`
const failures = [
  // Google answers 403 for its limits too.
  byCode('error.errors[].reason', ({ status, body }) => status === 403 && Array.isArray(get(body, 'error.errors')), {
    RATE_LIMITED: ['rateLimitExceeded', 'userRateLimitExceeded', 'dailyLimitExceeded', 'quotaExceeded'],
    PERMISSION_DENIED: [
      'forbidden',
      'insufficientPermissions',
      'accessNotConfigured',
      'domainPolicy',
      'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
    ],
  }),
]
const { read, write, destroy, ask } = rest({
  base: 'https://gmail.googleapis.com/gmail/v1/users/me',
  paging: token('nextPageToken', 'pageToken', { name: 'maxResults', default: 20, max: 500 }),
  failures,
})
/** The address for content, which takes messages up to 35 MB (Gmail API, uploading attachments). */
const { ask: upload } = rest({ base: 'https://gmail.googleapis.com/upload/gmail/v1/users/me', failures })

const Id = shape({ id: str(), thread_id: str('threadId') })
const SUMMARY = {
  from: str(),
  to: str(),
  subject: str(),
  date: str(),
  snippet: prose('snippet', 200),
  labels: strs('labelIds'),
  problem: str(),
}
const Summary = shape({ ...Id.fields, ...SUMMARY })
const Thread = shape({
  id: str(),
  subject: str(),
  from: strs(),
  date: str(),
  messages: num(),
  snippet: prose('snippet', 200),
  labels: strs('labelIds'),
  problem: str(),
})
const File = shape({ id: str(), name: str('filename'), type: str('mimeType'), size: num('body.size') })
const FileContent = shape({ ...File.fields, ...FILE_CONTENT })
const Message = shape({
  ...Id.fields,
  labels: strs('labelIds'),
  from: str(),
  to: str(),
  cc: str(),
  date: str(),
  subject: str(),
  text: prose('text', 20_000),
  attachments: many(File, 'attachments', 50),
})
const FullThread = shape({ id: str(), messages: many(Message, 'messages', 100) })
const Sent = shape({ ...Id.fields, labels: strs('labelIds') })
const Label = shape({ id: str(), name: str(), type: str() })
const Draft = shape({ id: str(), message_id: str('message.id'), thread_id: str('message.threadId') })
const DraftSummary = shape({ ...Draft.fields, ...SUMMARY })

const q = 'e.g. from:ada@example.com is:unread newer_than:7d'
const id = text('From gmail_list_messages, e.g. 18c2f0a9b1d4e5f6')
const mail = {
  to: text('Addresses separated by commas, e.g. ada@example.com'),
  subject: text('Subject in one line'),
  body: text('Plain text'),
  cc: maybe('Addresses separated by commas'),
  bcc: maybe('Addresses separated by commas'),
}
const attachments = z.array(file('A file to attach')).min(1).max(20).optional()
const labels = texts('From gmail_list_labels, e.g. INBOX')
const filter = { q: maybe(q), labelIds: texts('All of these, from gmail_list_labels, e.g. INBOX') }

const opened = (message: Json): Json => ({
  ...message,
  ...Object.fromEntries(['from', 'to', 'cc', 'date', 'subject'].map((name) => [name, headerOf(message, name)])),
  text: bodyOf(message),
  attachments: filesOf(message).map((part) => ({ ...part, id: idOf(part) })),
})

/** Gmail's lists have identifiers only; the headers of each come with a request of its own. */
const SHOWN = { format: 'metadata', metadataHeaders: ['From', 'To', 'Subject', 'Date'] }
const eachMessage = (at: string) => ({
  route: 'GET /messages/{id}' as const,
  send: (item: Json): Json => ({ id: get(item, at), ...SHOWN }),
})

function summary({ detail, ...item }: Json): Json {
  const headers = Object.fromEntries(['from', 'to', 'subject'].map((name) => [name, headerOf(detail, name)]))
  const [date, snippet, labelIds] = [dateOf(detail), plainOf(get(detail, 'snippet')), get(detail, 'labelIds')]
  return { ...item, ...headers, date, snippet, labelIds }
}

function threadSummary({ detail, ...item }: Json): Json {
  const messages = [get(detail, 'messages[]') ?? []].flat()
  const senders = messages.map((message) => headerOf(message, 'from')).filter((from) => from !== undefined)
  return {
    ...item,
    subject: headerOf(messages[0], 'subject'),
    from: [...new Set(senders)].slice(-MOST_SENDERS),
    date: dateOf(messages.at(-1)),
    messages: messages.length === 0 ? undefined : messages.length,
    snippet: plainOf(item['snippet']),
    labelIds: [...new Set(messages.flatMap((message) => [get(message, 'labelIds') ?? []].flat()))],
  }
}
/** Senders of a thread that are named, the latest. */
const MOST_SENDERS = 5

/** The time at which Gmail got a message; the header says what its sender's clock did. */
function dateOf(message: unknown): string | undefined {
  const at = Number(get(message, 'internalDate') ?? Number.NaN)
  return at > 0 && at < 8.64e15 ? new Date(at).toISOString() : headerOf(message, 'Date')
}
const composed = ({ to, subject, body, cc, bcc }: { [K in keyof typeof mail]?: string | undefined }): Mail => ({
  headers: { To: to, Cc: cc, Bcc: bcc, Subject: subject },
  text: body ?? '',
})

/** Bytes of attachments of one mail (Gmail, attachment size limit). */
const MOST_ATTACHED = 25_000_000
const RELATED = 'metadata-4d0f6b7c21'

/** Sends a mail, or stores it as a draft: as JSON, or with attachments to the upload address. */
function* deliver(to: 'send' | 'draft', mail: Mail, { files, thread }: Delivery) {
  const endpoint = to === 'send' ? 'messages/send' : 'drafts'
  const threadId = thread === undefined ? {} : { threadId: thread }
  if (files === undefined) {
    const message = { raw: rawOf(mail), ...threadId }
    return (yield* ask(`POST /${endpoint}`, to === 'send' ? message : { message })).body
  }
  const pieces = messageOf(mail, yield* givenFiles(files, MOST_ATTACHED))
  const content = thread === undefined ? { type: 'message/rfc822', pieces } : related(threadId, pieces)
  const uploadType = thread === undefined ? 'media' : 'multipart'
  return (yield* upload(`POST /${endpoint}?uploadType`, { uploadType }, { content })).body
}

interface Delivery {
  readonly files: readonly FileInput[] | undefined
  /** The thread that it answers in. */
  readonly thread?: unknown
}

/** The facts of a message and the message itself in one body (Gmail API, multipart upload). */
const related = (input: Json, message: readonly Piece[]): Content => ({
  type: `multipart/related; boundary="${RELATED}"`,
  pieces: [
    `--${RELATED}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${JSON.stringify(input)}\r\n`,
    `--${RELATED}\r\nContent-Type: message/rfc822\r\n\r\n`,
    ...message,
    `\r\n--${RELATED}--\r\n`,
  ],
})

/** The addresses of a header; a comma within quotes is no border. */
const listed = (line: string | undefined): readonly string[] =>
  (line?.match(/(?:"[^"]*"|[^,"])+/g) ?? []).map((value) => value.trim()).filter((value) => value !== '')
const addressOf = (person: string) => (/<([^<>]+)>/.exec(person)?.[1] ?? person).toLowerCase()

function recipientsOf(message: unknown, all: boolean): { to: string | undefined; cc: string } {
  const isOwn = [get(message, 'labelIds')].flat().includes('SENT')
  const to = isOwn ? headerOf(message, 'To') : (headerOf(message, 'Reply-To') ?? headerOf(message, 'From'))
  if (!all) return { to, cc: '' }
  // The account's own address is where the message was delivered to.
  const seen = new Set([...listed(to), ...listed(headerOf(message, isOwn ? 'From' : 'Delivered-To'))].map(addressOf))
  const others = [...listed(headerOf(message, 'To')), ...listed(headerOf(message, 'Cc'))]
  return { to, cc: others.filter((value) => !seen.has(addressOf(value)) && seen.add(addressOf(value))).join(', ') }
}

const prefixed = (prefix: string, subject = '') =>
  subject.toLowerCase().startsWith(prefix.toLowerCase()) ? subject : `${prefix} ${subject}`.trim()

const REPLY_HEADERS = ['From', 'Reply-To', 'To', 'Cc', 'Delivered-To', 'Subject', 'Message-ID', 'References']
/** Bytes of attachments that are carried over. */
const MOST_FORWARDED = 5_000_000

/** The content of a part in base64url. A large one has an identifier that is good for this answer only. */
function* bytesOfPart(part: Json, id: string): Run<unknown> {
  const attachment = get(part, 'body.attachmentId')
  if (typeof attachment !== 'string') return get(part, 'body.data')
  return get((yield* ask('GET /messages/{id}/attachments/{attachment}', { id, attachment })).body, 'data')
}

function* attachmentsOf(message: unknown, id: string) {
  const files = filesOf(message)
  if (files.reduce((sum, file) => sum + (Number(get(file, 'body.size')) || 0), 0) > MOST_FORWARDED)
    throw refusal('PAYLOAD_TOO_LARGE', 'The attachments are larger than 5 MB; forward this message in Gmail.')
  const found: Attachment[] = []
  for (const file of files) {
    const data = yield* bytesOfPart(file, id)
    found.push({ name: String(file['filename']), type: String(file['mimeType']), data: String(data ?? '') })
  }
  return found
}

function forwardedText(message: unknown, note: string | undefined): string {
  const head = ['From', 'Date', 'Subject', 'To'].map((name) => `${name}: ${headerOf(message, name) ?? ''}`)
  const top = note === undefined ? [] : [note, '']
  return [...top, '---------- Forwarded message ---------', ...head, '', bodyOf(message) ?? ''].join('\r\n')
}

export const gmail = vendor({
  id: 'gmail',
  auth: { provider: 'gmail' },
  scopes: { read: [scope('readonly')], write: [scope('modify')], destructive: [scope('send')] },
  whoami: 'list_labels',
  resources: {
    'gmail://message/{id}': 'get_message',
    'gmail://thread/{id}': 'get_thread',
  },
  tools: {
    list_messages: read('GET /messages', {
      says: 'List messages by search words or labels, newest first, with sender, subject, date and first words (the first 100 of a page).',
      input: filter,
      at: 'messages',
      each: eachMessage('id'),
      list: Summary,
      give: summary,
    }),
    get_message: read('GET /messages/{id}', {
      says: 'Read one message: sender, recipients, subject, text, and its attachments for gmail_get_attachment.',
      input: { id },
      output: Message,
      give: opened,
    }),
    search_messages: read('GET /messages', {
      says: "Search messages with Gmail's search syntax, newest first, with sender, subject, date and first words.",
      input: { query: text(q) },
      send: ({ query }) => ({ q: query }),
      at: 'messages',
      each: eachMessage('id'),
      list: Summary,
      give: summary,
    }),
    get_attachment: read.steps({
      says: 'Read one attachment: a text as it is, other files as base64 or as a stored file, at most 12 MB.',
      input: { message_id: id, attachment_id: text('From gmail_get_message, e.g. 1') },
      output: FileContent,
      *run({ message_id, attachment_id }) {
        const { body: message } = yield* ask('GET /messages/{id}', { id: message_id })
        const part = filesOf(message).find(
          (file) => idOf(file) === attachment_id || get(file, 'body.attachmentId') === attachment_id,
        )
        if (part === undefined) throw refusal('NOT_FOUND', `The message has no attachment ${attachment_id}.`)
        return { ...part, id: idOf(part), ...readable(yield* bytesOfPart(part, message_id), part['mimeType']) }
      },
    }),
    send_message: destroy.steps({
      says: 'Send an email in plain text, with attachments of at most 25 MB, from the connected account. It cannot be unsent.',
      input: { ...mail, attachments },
      output: Sent,
      *run({ attachments: files, ...input }) {
        return ((yield* deliver('send', composed(input), { files })) ?? {}) as Json
      },
    }),
    reply_to_message: destroy.steps({
      says: 'Reply to the sender of a message, or to all, in the same thread.',
      input: { message_id: id, body: text('Plain text'), reply_all: z.boolean().default(false), attachments },
      output: Sent,
      scopes: [scope('readonly'), scope('send')],
      *run({ message_id, body, reply_all, attachments: files }) {
        const query = { id: message_id, format: 'metadata', metadataHeaders: REPLY_HEADERS }
        const { body: message } = yield* ask('GET /messages/{id}', query)
        const { to, cc } = recipientsOf(message, reply_all)
        const [own, before] = [headerOf(message, 'Message-ID'), headerOf(message, 'References')]
        const headers = {
          To: to,
          Cc: cc,
          Subject: prefixed('Re:', headerOf(message, 'Subject')),
          'In-Reply-To': own,
          References: [before, own].filter((item) => item !== undefined).join(' '),
        }
        const thread = get(message, 'threadId')
        return ((yield* deliver('send', { headers, text: body }, { files, thread })) ?? {}) as Json
      },
    }),
    forward_message: destroy.steps({
      says: 'Forward a message with its attachments (at most 5 MB) and an optional note.',
      input: { message_id: id, to: mail.to, body: maybe('Note above the message') },
      output: Sent,
      scopes: [scope('readonly'), scope('send')],
      *run({ message_id, to, body: note }) {
        const { body: message } = yield* ask('GET /messages/{id}', { id: message_id })
        const attachments = yield* attachmentsOf(message, message_id)
        const headers = { To: to, Subject: prefixed('Fwd:', headerOf(message, 'Subject')) }
        const raw = rawOf({ headers, text: forwardedText(message, note), attachments })
        return ((yield* ask('POST /messages/send', { raw })).body ?? {}) as Json
      },
    }),
    list_threads: read('GET /threads', {
      says: 'List threads by search words or labels, newest first, with subject, senders, date and first words.',
      input: filter,
      at: 'threads',
      each: { route: 'GET /threads/{id}', send: ({ id }) => ({ id, ...SHOWN }) },
      list: Thread,
      give: threadSummary,
    }),
    get_thread: read('GET /threads/{id}', {
      says: 'Read all messages in a thread, oldest first.',
      input: { id: text('From gmail_list_threads, e.g. 18c2f0a9b1d4e5f6') },
      output: FullThread,
      give: (thread) => ({
        ...thread,
        messages: [get(thread, 'messages[]') ?? []].flat().map((item) => opened(item as Json)),
      }),
    }),
    list_labels: read('GET /labels', {
      says: 'List the labels of the mailbox; other tools require their identifiers.',
      at: 'labels',
      list: Label,
      paging: false,
      scopes: [scope('labels')],
    }),
    create_label: write('POST /labels', {
      says: 'Create a label.',
      input: {
        name: text('e.g. Clients/Acme'),
        labelListVisibility: choice(['labelShow', 'labelShowIfUnread', 'labelHide']).default('labelShow'),
        messageListVisibility: choice(['show', 'hide']).default('show'),
      },
      output: Label,
      scopes: [scope('labels')],
    }),
    modify_labels: write('POST /messages/{id}/modify', {
      says: 'Add labels to a message or remove them: removing UNREAD marks it as read, removing INBOX archives it.',
      input: { id, addLabelIds: labels, removeLabelIds: labels },
      send: ({ id, ...lists }) => ({ id, ...changed(lists) }),
      output: Sent,
    }),
    trash_message: destroy('POST /messages/{id}/trash', {
      says: 'Move a message to the trash. Gmail deletes it permanently after 30 days.',
      input: { id },
      output: Sent,
      scopes: [scope('modify')],
    }),
    untrash_message: write('POST /messages/{id}/untrash', {
      says: 'Restore a message from the trash.',
      input: { id },
      output: Sent,
    }),
    create_draft: write.steps({
      says: 'Create a draft in plain text, with attachments of at most 25 MB. Nothing is sent.',
      input: { ...mail, attachments },
      output: Draft,
      *run({ attachments: files, ...input }) {
        return ((yield* deliver('draft', composed(input), { files })) ?? {}) as Json
      },
    }),
    list_drafts: read('GET /drafts', {
      says: 'List drafts with recipient, subject, date and first words.',
      at: 'drafts',
      each: eachMessage('message.id'),
      list: DraftSummary,
      give: summary,
    }),
  },
})
