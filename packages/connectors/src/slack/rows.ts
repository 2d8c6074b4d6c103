/** The cases of Slack: input, then the requests that it makes. */
import type { VendorRows } from '../kit/rows.ts'

const small = { name: 'a.txt', media_type: 'text/plain', data: 'SGVsbG8=' }

const file = {
  ...{ id: 'F1', name: 'a b.png', title: 'A', mimetype: 'image/png', size: 3 },
  permalink: 'https://acme.slack.com/files/U1/F1/a_b.png',
  url_private_download: 'https://files.slack.com/files-pri/T1-F1/download/a%20b.png',
}
const message = {
  ...{ type: 'message', ts: '1.1', user: 'U1', bot_id: 'B1', subtype: 'bot_message', username: 'PagerDuty', text: '' },
  ...{ thread_ts: '1.1', reply_count: 2, reactions: [{ name: 'eyes', count: 1 }] },
  blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'Disk full' } }],
  attachments: [{ title: 'db-1', title_link: 'https://a.example/1', fallback: 'x' }],
  files: [file],
  ...{ channel: { id: 'C1', name: 'ops' }, permalink: 'https://acme.slack.com/archives/C1/p11' },
}

export const rows: VendorRows = {
  described: ['slack.json'],
  failures: [
    { status: 200, body: { ok: false, error: 'token_expired' }, word: 'NEEDS_AUTH' },
    {
      status: 200,
      body: { ok: false, error: 'missing_scope', needed: 'search:read', provided: 'chat:write' },
      word: 'PERMISSION_DENIED',
    },
    { status: 200, body: { ok: false, error: 'channel_not_found' }, word: 'NOT_FOUND' },
    {
      status: 200,
      headers: { 'retry-after': '9' },
      body: { ok: false, error: 'ratelimited' },
      word: 'RATE_LIMITED',
      retryAfter: 9,
    },
    { status: 200, body: { ok: false, error: 'something_new' }, word: 'EXECUTION_ERROR' },
  ],
  undescribed: {
    'get_file.': 'the description leaves out the methods for files',
    'conversations_add_message.': 'the description leaves out the methods for files',
  },
  replies: {
    'POST /files.getUploadURLExternal': { ok: true, upload_url: 'https://files.slack.com/upload/v1/a', file_id: 'F1' },
  },
  picks: ['get_file'],
  answers: {
    conversations_history: [[{ ok: true, messages: [message] }]],
    conversations_replies: [[{ ok: true, messages: [message] }]],
    conversations_search_messages: [[{ ok: true, messages: { matches: [message] } }]],
    get_file: [
      [{ ok: true, file }, { whole: { status: 200, headers: { 'content-type': 'image/png' }, bytes: 'AAEC' } }],
      [
        { ok: true, file: { ...file, mimetype: 'text/csv' } },
        { whole: { status: 200, headers: { 'content-type': 'text/csv' }, bytes: 'YSxi' } },
      ],
      [{ ok: true, file: { ...file, url_private: 'https://docs.example/1', url_private_download: null } }],
    ],
  },
  tools: {
    get_file: [[{ file_id: 'F1' }, 'GET /files.info?file=F1']],
    conversations_history: [
      [{ channel_id: 'C1' }, 'GET /conversations.history?channel=C1&limit=20'],
      [
        { channel_id: 'C1', limit: 15, oldest: '1.1', latest: '2.2', include_all_metadata: true, cursor: 'c=' },
        'GET /conversations.history?channel=C1&oldest=1.1&latest=2.2&include_all_metadata=true&limit=15&cursor=c%3D',
      ],
    ],
    conversations_replies: [
      [{ channel_id: 'C1', thread_ts: '1.1' }, 'GET /conversations.replies?channel=C1&ts=1.1&limit=20'],
      [
        { channel_id: 'C1', thread_ts: '1.1', limit: 15, oldest: '1.1', latest: '2.2' },
        'GET /conversations.replies?channel=C1&ts=1.1&oldest=1.1&latest=2.2&limit=15',
      ],
    ],
    conversations_add_message: [
      [{ channel_id: 'C1', text: 't' }, ['POST /chat.postMessage', { channel: 'C1', text: 't' }]],
      [
        { channel_id: 'C1', text: 't', thread_ts: '1.1', blocks: [{ type: 'divider' }], attachments: [{ text: 'a' }] },
        [
          'POST /chat.postMessage',
          { channel: 'C1', text: 't', thread_ts: '1.1', blocks: [{ type: 'divider' }], attachments: [{ text: 'a' }] },
        ],
      ],
      [
        { channel_id: 'C1', text: 't', files: [small] },
        ['POST /files.getUploadURLExternal', { filename: 'a.txt', length: '5' }],
        [
          'POST /files.completeUploadExternal',
          { files: [{ id: 'F1', title: 'a.txt' }], channel_id: 'C1', initial_comment: 't' },
        ],
      ],
    ],
    conversations_search_messages: [
      [{ query: 'a b' }, 'GET /search.messages?query=a b&sort=score&sort_dir=desc&count=20'],
      [
        { query: 'a', page: 2, sort: 'timestamp', sort_dir: 'asc', count: 5 },
        'GET /search.messages?query=a&page=2&sort=timestamp&sort_dir=asc&count=5',
      ],
    ],
    conversations_list: [
      [{}, 'GET /conversations.list?types=public_channel&exclude_archived=false&limit=20'],
      [
        { types: 'im,mpim', exclude_archived: true, limit: 5 },
        'GET /conversations.list?types=im%2Cmpim&exclude_archived=true&limit=5',
      ],
    ],
    conversations_info: [
      [{ channel_id: 'C1' }, 'GET /conversations.info?channel=C1'],
      [
        { channel_id: 'C1', include_locale: true, include_num_members: true },
        'GET /conversations.info?channel=C1&include_locale=true&include_num_members=true',
      ],
    ],
    users_list: [
      [{}, 'GET /users.list?limit=20'],
      [{ include_locale: true, limit: 5 }, 'GET /users.list?include_locale=true&limit=5'],
    ],
    users_info: [
      [{ user_id: 'U1' }, 'GET /users.info?user=U1'],
      [{ user_id: 'U1', include_locale: true }, 'GET /users.info?user=U1&include_locale=true'],
    ],
    users_lookup_by_email: [
      [{ email: 'a@b.c' }, 'GET /users.lookupByEmail?email=a%40b.c'],
      [{ email: 'a+b@b.c' }, 'GET /users.lookupByEmail?email=a%2Bb%40b.c'],
    ],
    reactions_add: [
      [
        { channel_id: 'C1', timestamp: '1.1', name: 'x' },
        ['POST /reactions.add', { channel: 'C1', timestamp: '1.1', name: 'x' }],
      ],
    ],
    reactions_remove: [
      [
        { channel_id: 'C1', timestamp: '1.1', name: 'x' },
        ['POST /reactions.remove', { channel: 'C1', timestamp: '1.1', name: 'x' }],
      ],
    ],
    auth_test: [[{}, 'POST /auth.test']],
  },
}
