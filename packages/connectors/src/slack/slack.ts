/** Slack: messages, channels, people and reactions. Web API; the token is that of a person. */
import { z } from 'zod'
import {
  bool,
  byCode,
  bytesOf,
  choice,
  file,
  FILE_CONTENT,
  flag,
  get,
  givenFiles,
  has,
  isJson,
  maybe,
  num,
  page,
  readable,
  refusal,
  rest,
  shape,
  signed,
  str,
  strs,
  text,
  token,
  vendor,
  type FileInput,
  type Json,
  type Run,
} from '../kit/index.ts'
import { MESSAGE, messageOf } from './message.ts'

const failures = [
  // Slack answers HTTP 200 and `ok: false`. A reaction that is there, or gone, already is what was asked for.
  byCode(
    'error',
    ({ body }) => get(body, 'ok') === false && !['already_reacted', 'no_reaction'].includes(String(get(body, 'error'))),
    {
      NEEDS_AUTH: ['not_authed', 'invalid_auth', 'account_inactive', 'token_revoked', 'token_expired'],
      PERMISSION_DENIED: [
        'missing_scope',
        'no_permission',
        'access_denied',
        'ekm_access_denied',
        'restricted_action',
        'is_archived',
        'not_in_channel',
        'not_allowed_token_type',
      ],
      NOT_FOUND: [
        'channel_not_found',
        'user_not_found',
        'users_not_found',
        'message_not_found',
        'thread_not_found',
        'file_not_found',
        'file_deleted',
      ],
      RATE_LIMITED: ['ratelimited', 'rate_limited'],
      INVALID_ARGUMENT: [
        'invalid_arguments',
        'invalid_cursor',
        'invalid_limit',
        'no_text',
        'msg_too_long',
        'invalid_blocks',
        'invalid_name',
        'too_many_attachments',
        'bad_timestamp',
      ],
      UNAVAILABLE: ['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout'],
    },
  ),
]
const base = 'https://slack.com/api'
const { read, write, destroy, ask } = rest({
  base,
  paging: token('response_metadata.next_cursor', 'cursor', { name: 'limit', default: 20, max: 1_000 }),
  failures,
})
const { ask: form } = rest({ base, body: 'form', failures })
/** The host of the content of files, for which the account is sent as well. */
const FILES = 'https://files.slack.com'
const { ask: ofFiles } = rest({ base: FILES, failures })

const channel_id = text('Identifier of the channel, e.g. C024BE91L')
const limits = {
  oldest: maybe('Only messages after this time, e.g. 1512085950.000216'),
  latest: maybe('Only messages before this time'),
}
const blocks = z.array(z.record(z.string(), z.unknown())).optional()
const at = {
  channel_id,
  timestamp: text('ts of the message, e.g. 1512085950.000216'),
  name: text('Name of the emoji, e.g. thumbsup'),
}
const HISTORY = ['channels:history', 'groups:history', 'im:history', 'mpim:history']
const CHANNELS = ['channels:read', 'groups:read', 'im:read', 'mpim:read']

const Message = shape({
  ...MESSAGE,
  thread_ts: str(),
  reply_count: num(),
  reactions: strs('reactions[].name'),
})
const Found = shape({
  ...MESSAGE,
  channel: str('channel.id'),
  channel_name: str('channel.name'),
  url: str('permalink'),
})
const File = shape({
  ...{ id: str(), name: str(), title: str(), type: str('mimetype'), size: num(), url: str('permalink') },
  ...FILE_CONTENT,
  note: str(),
})
const Posted = shape({ channel: str(), ts: str(), files: strs() })
const Channel = shape({
  id: str(),
  name: str(),
  /** The other person of a direct message, which has no name. */
  user: str(),
  is_private: bool(),
  is_archived: bool(),
  is_member: bool(),
  topic: str('topic.value'),
  purpose: str('purpose.value'),
  members: num('num_members'),
})
const Member = shape({
  id: str(),
  name: str(),
  real_name: str(),
  display_name: str('profile.display_name'),
  title: str('profile.title'),
  email: str('profile.email'),
  time_zone: str('tz'),
  is_bot: bool(),
  is_admin: bool(),
  deleted: bool(),
})
const Self = shape({ user: str(), user_id: str(), team: str(), team_id: str(), url: str(), scopes: strs() })
const Reacted = shape({ done: bool(), already: has('error') })

/** Bytes of a file (Slack, file size limit). */
const MOST_FILES = 1_000_000_000

interface Posting {
  readonly channel_id: string
  readonly text: string
  readonly thread_ts?: string | undefined
}

/** Sends each file to an address that Slack gives for it, and posts them with one message (files.completeUploadExternal). */
function* postFiles({ channel_id: channel, text: initial_comment, thread_ts }: Posting, inputs: readonly FileInput[]) {
  const refuse = (problem: string) => refusal('EXECUTION_ERROR', `The file was not sent: ${problem}.`)
  const files: Json[] = []
  for (const item of yield* givenFiles(inputs, MOST_FILES)) {
    const answer = yield* form('POST /files.getUploadURLExternal', { filename: item.name, length: item.size })
    const [address, id] = [get(answer.body, 'upload_url'), get(answer.body, 'file_id')]
    if (typeof address !== 'string' || typeof id !== 'string') throw refuse('Slack returned no URL for it')
    const content = { type: 'application/octet-stream', pieces: [bytesOf(item)] }
    yield* signed({ address, of: answer, method: 'POST', content }, refuse)
    files.push({ id, title: item.name })
  }
  yield* ask('POST /files.completeUploadExternal', { files, channel_id: channel, initial_comment, thread_ts })
  return { channel, files: files.map(({ id }) => id) }
}

/**
 * The content of a file from Slack's host for files, and from no other: files of Google Drive and the like lie elsewhere, where the
 * account has no business.
 */
function* contentOf(file: Json): Run<Json> {
  const url = URL.parse(String(file['url_private_download'] ?? file['url_private'] ?? ''))
  if (url?.origin !== FILES) return { note: 'The file is not stored at Slack; open its url.' }
  const path = url.pathname
    .split('/')
    .map((part) => decodeURIComponent(part))
    .join('/')
  const { bytes, headers } = yield* ofFiles('GET /{+path}', { path }, { raw: true })
  const [type, answered] = [String(file['mimetype']), headers['content-type'] ?? '']
  // A token that may not read it is shown the page to sign in.
  if (/^text\/html\b/.test(answered) && type !== 'text/html')
    throw refusal('PERMISSION_DENIED', 'Slack returned a web page in place of the file.')
  return readable(bytes, type)
}

export const slack = vendor({
  id: 'slack',
  auth: { provider: 'slack' },
  scopes: { read: CHANNELS, write: ['reactions:write'], destructive: ['chat:write'] },
  whoami: 'auth_test',
  resources: {
    'slack://workspace/channel/{channel_id}': 'conversations_info',
  },
  tools: {
    conversations_history: read('GET /conversations.history', {
      says: 'Read the messages in a channel, newest first. Slack allows some apps to read only 15 messages per minute.',
      input: { channel_id, ...limits, include_all_metadata: flag('Include app metadata') },
      send: ({ channel_id: channel, ...rest }) => ({ channel, ...rest }),
      at: 'messages',
      list: Message,
      give: messageOf,
      scopes: HISTORY,
    }),
    conversations_replies: read('GET /conversations.replies', {
      says: 'Read the messages in a thread, oldest first.',
      input: { channel_id, thread_ts: text('ts of the first message of the thread'), ...limits },
      send: ({ channel_id: channel, thread_ts: ts, ...rest }) => ({ channel, ts, ...rest }),
      at: 'messages',
      list: Message,
      give: messageOf,
      scopes: HISTORY,
    }),
    get_file: read.steps({
      says: 'Read a file of a message: a text as it is, other files as base64 or as a stored file, at most 16 MB.',
      input: { file_id: text('id of the file in a message, e.g. F0RDC39U1') },
      output: File,
      scopes: ['files:read'],
      *run({ file_id: id }) {
        const { body } = yield* ask('GET /files.info', { file: id })
        const file = get(body, 'file')
        return isJson(file) ? { ...file, ...(yield* contentOf(file)) } : {}
      },
    }),
    conversations_add_message: destroy.steps({
      says: 'Post a message to a channel as the connected person, optionally with files, and in a thread if thread_ts is given.',
      input: {
        channel_id,
        text: text('Slack mrkdwn, e.g. *done*'),
        thread_ts: maybe('ts of the message to reply to'),
        blocks,
        attachments: blocks,
        files: z.array(file('A file to post, without blocks')).min(1).max(10).optional(),
      },
      output: Posted,
      scopes: ['chat:write', 'files:write'],
      *run({ files, ...message }) {
        const { channel_id: channel, ...rest } = message
        if (files === undefined)
          return ((yield* ask('POST /chat.postMessage', { channel, ...rest })).body ?? {}) as Json
        if (rest.blocks !== undefined || rest.attachments !== undefined)
          throw refusal('INVALID_ARGUMENT', 'Slack accepts files with a text, but not with blocks or attachments.')
        return yield* postFiles(message, files)
      },
    }),
    conversations_search_messages: read('GET /search.messages', {
      says: 'Search messages that the connected person can see. Uses a legacy Slack method, which requires a user token.',
      input: {
        query: text('e.g. from:@ada in:#general login'),
        page: z.int().min(1).optional(),
        sort: choice(['score', 'timestamp']).default('score'),
        sort_dir: choice(['asc', 'desc']).default('desc'),
      },
      paging: page('messages.paging.pages', 'page', { name: 'count', default: 20, max: 100 }),
      at: 'messages.matches',
      list: Found,
      give: messageOf,
      scopes: ['search:read'],
    }),
    conversations_list: read('GET /conversations.list', {
      says: 'List channels; other tools require their identifiers.',
      input: {
        types: text('public_channel, private_channel, mpim, im, separated by commas').default('public_channel'),
        exclude_archived: z.boolean().default(false),
      },
      at: 'channels',
      list: Channel,
    }),
    conversations_info: read('GET /conversations.info', {
      says: 'Get the topic, purpose and state of a channel.',
      input: {
        channel_id,
        include_locale: flag('Include its language'),
        include_num_members: flag('Include the number of members'),
      },
      send: ({ channel_id: channel, ...rest }) => ({ channel, ...rest }),
      at: 'channel',
      output: Channel,
    }),
    users_list: read('GET /users.list', {
      says: 'List the members of the workspace.',
      input: { include_locale: flag('Include their languages') },
      at: 'members',
      list: Member,
      scopes: ['users:read'],
    }),
    users_info: read('GET /users.info', {
      says: 'Get one member of the workspace.',
      input: {
        user_id: text('Identifier of the member, e.g. U023BECGF'),
        include_locale: flag('Include the language'),
      },
      send: ({ user_id: user, ...rest }) => ({ user, ...rest }),
      at: 'user',
      output: Member,
      scopes: ['users:read'],
    }),
    users_lookup_by_email: read('GET /users.lookupByEmail', {
      says: 'Find a member by email address.',
      input: { email: text('e.g. ada@example.com') },
      at: 'user',
      output: Member,
      scopes: ['users:read.email'],
    }),
    reactions_add: write('POST /reactions.add', {
      says: 'Add an emoji reaction to a message.',
      input: at,
      send: ({ channel_id: channel, ...rest }) => ({ channel, ...rest }),
      output: Reacted,
      give: (answer) => ({ ...answer, done: true }),
    }),
    reactions_remove: write('POST /reactions.remove', {
      says: 'Remove the connected person’s emoji reaction from a message.',
      input: at,
      send: ({ channel_id: channel, ...rest }) => ({ channel, ...rest }),
      output: Reacted,
      give: (answer) => ({ ...answer, done: true }),
    }),
    auth_test: read('POST /auth.test', {
      says: 'Get the connected account, its workspace and its scopes.',
      output: Self,
      give: (self, _, { headers }) => ({ ...self, scopes: headers['x-oauth-scopes']?.split(',') }),
      scopes: [],
    }),
  },
})
