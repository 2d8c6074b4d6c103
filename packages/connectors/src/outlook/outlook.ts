/** Outlook: messages, folders and attachments of the connected mailbox. Microsoft Graph, version 1.0. */
import { z } from 'zod'
import {
  bool,
  choice,
  file,
  FILE_CONTENT,
  flag,
  givenFiles,
  maybe,
  num,
  odata,
  prose,
  readable,
  rest,
  shape,
  str,
  strs,
  text,
  texts,
  vendor,
  type FileInput,
  type Json,
  type Run,
} from '../kit/index.ts'
import { graphFacts } from '../microsoft/graph.ts'
import { attach, isSmall, MOST_ATTACHED, withFiles } from './attach.ts'

const size = { name: 'top', as: '$top', default: 25, max: 100 }
const { read, write, destroy, ask } = rest({
  ...graphFacts,
  // Identifiers stay when a message moves, and bodies come as text.
  headers: { prefer: 'IdType="ImmutableId", outlook.body-content-type="text"' },
  paging: odata(size),
})

const message = { message_id: text('From outlook_list_messages, e.g. AAkALgAAAAAAHYQDEapm') }
const attachment = { ...message, attachment_id: text('From outlook_list_attachments, e.g. AAkALgBB') }
const addresses = (says: string) => z.array(z.string()).min(1).describe(says)
const to_recipients = addresses('e.g. ["ada@example.com"]')
const content_type = choice(['HTML', 'Text']).default('HTML')
const select = maybe('Properties to return, e.g. subject,from')
const filter = maybe("OData filter, e.g. isRead eq false and importance eq 'high'")

const Item = shape({
  id: str(),
  subject: str(),
  from: str('from.emailAddress.address'),
  to: strs('toRecipients[].emailAddress.address'),
  received: str('receivedDateTime'),
  preview: prose('bodyPreview', 200),
  is_read: bool('isRead'),
  has_attachments: bool('hasAttachments'),
  flag: str('flag.flagStatus'),
})
const LISTED = 'id,subject,from,toRecipients,receivedDateTime,bodyPreview,isRead,hasAttachments,flag'
const Message = shape({
  ...Item.fields,
  cc: strs('ccRecipients[].emailAddress.address'),
  conversation: str('conversationId'),
  url: str('webLink'),
  text: prose('body.content', 20_000),
})
const Folder = shape({
  id: str(),
  name: str('displayName'),
  parent: str('parentFolderId'),
  folders: num('childFolderCount'),
  messages: num('totalItemCount'),
  unread: num('unreadItemCount'),
})
const Attachment = shape({ id: str(), name: str(), type: str('contentType'), size: num(), is_inline: bool('isInline') })
const Content = shape({ ...Attachment.fields, ...FILE_CONTENT, note: str() })
const Done = shape({ done: bool() })
const Draft = shape({ id: str(), subject: str(), url: str('webLink') })
const Flagged = shape({ id: str(), flag: str('flag.flagStatus') })
const Moved = shape({ id: str(), folder: str('parentFolderId') })

const recipients = (input: readonly string[] | undefined) => input?.map((address) => ({ emailAddress: { address } }))

const mail = {
  subject: text('Subject in one line'),
  body: text('The message, in the format given by content_type'),
  to_recipients,
  cc_recipients: texts('e.g. ["bob@example.com"]'),
  content_type,
}
const attachments = z.array(file('A file to attach')).min(1).max(20).optional()
type Mail = {
  subject: string
  body: string
  to_recipients: readonly string[]
  cc_recipients?: readonly string[] | undefined
  bcc_recipients?: readonly string[] | undefined
  content_type: string
}
const composed = (input: Mail): Json => ({
  subject: input.subject,
  body: { contentType: input.content_type.toLowerCase(), content: input.body },
  toRecipients: recipients(input.to_recipients),
  ...(input.cc_recipients === undefined ? {} : { ccRecipients: recipients(input.cc_recipients) }),
  ...(input.bcc_recipients === undefined ? {} : { bccRecipients: recipients(input.bcc_recipients) }),
})

const SENDING = ['{"Message":', ',"SaveToSentItems":true}'] as const

/** Sends a mail at once where its files are small, else as a draft that the files are added to. */
function* send(mail: Json, inputs: readonly FileInput[]): Run<void> {
  const files = yield* givenFiles(inputs, MOST_ATTACHED)
  if (isSmall(files)) yield* ask('POST /me/sendMail', {}, { content: withFiles(mail, files, SENDING) })
  else yield* complete((yield* ask('POST /me/messages', mail)).body, files)
}

function* complete(draft: unknown, files: Parameters<typeof attach>[1]): Run<void> {
  yield* ask('POST /me/messages/{message_id}/send', { message_id: yield* attach(draft, files) })
}

/** Attachments that are no files have no content. */
const NOTES: Readonly<Record<string, string>> = {
  '#microsoft.graph.itemAttachment': 'It is a message, an event or a contact, not a file; open the message in Outlook.',
  '#microsoft.graph.referenceAttachment': 'It is a link to a file in the cloud; open the message in Outlook.',
}

/** Where messages are sorted by the time, a filter has to name it first. */
const FOCUSED = "receivedDateTime ge 1900-01-01T00:00:00Z and inferenceClassification eq 'focused'"
const NEWEST = 'receivedDateTime desc'

export const outlook = vendor({
  id: 'outlook',
  auth: { provider: 'outlook' },
  scopes: { read: ['Mail.Read'], write: ['Mail.ReadWrite'], destructive: ['Mail.Send'] },
  whoami: 'list_folders',
  resources: {
    'outlook://message/{message_id}': 'get_message',
  },
  tools: {
    list_messages: read('GET /me/mailFolders/{folder_id}/messages', {
      says: 'List the messages in a folder, newest first, with a preview. Read a message with outlook_get_message.',
      input: {
        folder_id: text('From outlook_list_folders, or inbox, drafts, sentitems').default('inbox'),
        filter,
        select,
        order_by: text('e.g. receivedDateTime asc').default(NEWEST),
      },
      send: ({ folder_id, filter: requested, select: members = LISTED, order_by }) => ({
        folder_id,
        $filter: requested,
        $select: members,
        $orderby: order_by,
      }),
      at: 'value',
      list: Item,
    }),
    get_message: read('GET /me/messages/{message_id}', {
      says: 'Read one message: sender, recipients, subject and text.',
      input: { ...message, select },
      send: ({ message_id, select: members }) => ({ message_id, $select: members }),
      output: Message,
    }),
    send_message: destroy.steps({
      says: 'Send a message, with attachments of at most 35 MB. A copy is kept in Sent Items.',
      input: { ...mail, bcc_recipients: texts('e.g. ["eve@example.com"]'), attachments },
      output: Done,
      *run({ attachments: files, ...mail }) {
        if (files === undefined) yield* ask('POST /me/sendMail', { Message: composed(mail), SaveToSentItems: true })
        else yield* send(composed(mail), files)
        return { done: true }
      },
    }),
    reply_to_message: destroy.steps({
      says: 'Reply to the sender or to all, with attachments of at most 35 MB.',
      input: {
        ...message,
        comment: text('The reply'),
        reply_all: flag('To all recipients').default(false),
        attachments,
      },
      output: Done,
      *run({ message_id, comment, reply_all, attachments: inputs }) {
        const reply = { message_id, Comment: comment }
        const all = reply_all
        if (inputs === undefined) {
          yield* ask(`POST /me/messages/{message_id}/${all ? 'replyAll' : 'reply'}`, reply)
          return { done: true }
        }
        const files = yield* givenFiles(inputs, MOST_ATTACHED)
        const draft = yield* ask(`POST /me/messages/{message_id}/${all ? 'createReplyAll' : 'createReply'}`, reply)
        yield* complete(draft.body, files)
        return { done: true }
      },
    }),
    forward_message: destroy('POST /me/messages/{message_id}/forward', {
      says: 'Forward a message with its attachments.',
      input: { ...message, to_recipients, comment: maybe('Text above the message') },
      send: ({ message_id, to_recipients: to, comment }) => ({
        message_id,
        ToRecipients: recipients(to),
        Comment: comment,
      }),
    }),
    delete_message: destroy('DELETE /me/messages/{message_id}', {
      says: 'Delete a message: it is moved to Deleted Items.',
      input: message,
      scopes: ['Mail.ReadWrite'],
    }),
    move_message: write('POST /me/messages/{message_id}/move', {
      says: 'Move a message to another folder.',
      input: { ...message, destination_folder_id: text('From outlook_list_folders, or archive, deleteditems') },
      send: ({ message_id, destination_folder_id }) => ({ message_id, DestinationId: destination_folder_id }),
      output: Moved,
    }),
    list_folders: read('GET /me/mailFolders', {
      says: 'List the mail folders with their message counts.',
      paging: odata({ name: 'top', as: '$top', default: 100, max: 100 }),
      at: 'value',
      list: Folder,
    }),
    create_folder: write('POST /me/mailFolders', {
      says: 'Create a mail folder, inside another folder if parent_folder_id is given.',
      input: { display_name: text('e.g. Invoices'), parent_folder_id: maybe('From outlook_list_folders') },
      route: ({ parent_folder_id }) =>
        parent_folder_id === undefined ? undefined : 'POST /me/mailFolders/{parent_folder_id}/childFolders',
      send: ({ display_name, parent_folder_id }) => ({ displayName: display_name, parent_folder_id }),
      output: Folder,
    }),
    list_attachments: read('GET /me/messages/{message_id}/attachments', {
      says: 'List the attachments of a message with their types and sizes.',
      input: message,
      paging: odata(),
      send: ({ message_id }) => ({ message_id, $select: 'id,name,contentType,size,isInline' }),
      at: 'value',
      list: Attachment,
    }),
    get_attachment: read('GET /me/messages/{message_id}/attachments/{attachment_id}', {
      says: 'Read one attachment: a text as it is, other files as base64 or as a stored file, at most 10 MB.',
      input: attachment,
      output: Content,
      give: (found) => ({
        ...found,
        ...readable(found['contentBytes'], found['contentType']),
        note: NOTES[String(found['@odata.type'])],
      }),
    }),
    create_draft: write.steps({
      says: 'Create a draft that a person can review and send, with attachments of at most 35 MB.',
      input: { ...mail, attachments },
      output: Draft,
      *run({ attachments: inputs, ...mail }) {
        const draft = composed(mail)
        if (inputs === undefined) return ((yield* ask('POST /me/messages', draft)).body ?? {}) as Json
        const files = yield* givenFiles(inputs, MOST_ATTACHED)
        const small = isSmall(files)
        const { body } = small
          ? yield* ask('POST /me/messages', {}, { content: withFiles(draft, files, ['', '']) })
          : yield* ask('POST /me/messages', draft)
        if (!small) yield* attach(body, files)
        return (body ?? {}) as Json
      },
    }),
    search_messages: read('GET /me/messages', {
      says: 'Search messages in all folders by words or KQL, best matches first.',
      input: { query: text('e.g. from:ada invoice') },
      send: ({ query }) => ({ $search: `"${query.replaceAll(/["\\]/g, String.raw`\$&`)}"`, $select: LISTED }),
      at: 'value',
      list: Item,
    }),
    flag_message: write('PATCH /me/messages/{message_id}', {
      says: 'Flag a message, mark its flag as complete, or remove the flag.',
      input: { ...message, flag_status: choice(['flagged', 'complete', 'notFlagged']) },
      send: ({ message_id, flag_status }) => ({ message_id, flag: { flagStatus: flag_status } }),
      output: Flagged,
    }),
    list_focused_inbox: read('GET /me/mailFolders/{folder_id}/messages', {
      says: 'List the messages in the focused inbox, newest first.',
      input: { filter },
      send: ({ filter: requested }) => ({
        folder_id: 'inbox',
        $filter: requested === undefined ? FOCUSED : `${FOCUSED} and (${requested})`,
        $orderby: NEWEST,
        $select: LISTED,
      }),
      at: 'value',
      list: Item,
    }),
  },
})
