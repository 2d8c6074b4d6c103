/** The cases of Discord: input, then the requests that it makes. */
import type { VendorRows } from '../kit/rows.ts'

const guild = { guild_id: '1' }
const channel = { channel_id: '2' }
const message = { ...channel, message_id: '3' }
const quiet = { allowed_mentions: { parse: [] } }

export const rows: VendorRows = {
  described: ['discord.json'],
  failures: [
    { status: 401, body: { message: '401: Unauthorized', code: 0 }, word: 'NEEDS_AUTH' },
    { status: 403, body: { message: 'Missing Permissions', code: 50013 }, word: 'PERMISSION_DENIED' },
    { status: 404, body: { message: 'Unknown Channel', code: 10003 }, word: 'NOT_FOUND' },
    {
      status: 429,
      body: { message: 'You are being rate limited.', retry_after: 2.5, global: false },
      word: 'RATE_LIMITED',
      retryAfter: 3,
    },
  ],
  tools: {
    list_guilds: [
      [{}, 'GET /users/@me/guilds?with_counts=true&limit=200'],
      [{ limit: 5 }, 'GET /users/@me/guilds?with_counts=true&limit=5'],
    ],
    get_guild: [[guild, 'GET /guilds/1']],
    list_channels: [[guild, 'GET /guilds/1/channels']],
    get_channel: [[channel, 'GET /channels/2']],
    list_messages: [
      [channel, 'GET /channels/2/messages?limit=50'],
      [{ ...channel, limit: 5, cursor: '9' }, 'GET /channels/2/messages?limit=5&before=9'],
    ],
    send_message: [[{ ...channel, content: 'c' }, ['POST /channels/2/messages', { content: 'c', ...quiet }]]],
    edit_message: [[{ ...message, content: 'c' }, ['PATCH /channels/2/messages/3', { content: 'c', ...quiet }]]],
    delete_message: [[message, 'DELETE /channels/2/messages/3']],
    list_guild_members: [
      [guild, 'GET /guilds/1/members?limit=100'],
      [{ ...guild, limit: 1000 }, 'GET /guilds/1/members?limit=1000'],
    ],
    search_messages: [
      [{ ...guild, query: 'a b' }, 'GET /guilds/1/messages/search?content=a b&limit=25'],
      [{ ...guild, query: 'a', limit: 5 }, 'GET /guilds/1/messages/search?content=a&limit=5'],
    ],
    list_threads: [[guild, 'GET /guilds/1/threads/active']],
    create_thread: [
      [{ ...message, name: 'n' }, ['POST /channels/2/messages/3/threads', { name: 'n', auto_archive_duration: 1440 }]],
      [
        { ...message, name: 'n', auto_archive_duration: 60 },
        ['POST /channels/2/messages/3/threads', { name: 'n', auto_archive_duration: 60 }],
      ],
    ],
    add_reaction: [[{ ...message, emoji: '👍' }, 'PUT /channels/2/messages/3/reactions/👍/@me']],
    list_roles: [[guild, 'GET /guilds/1/roles']],
    get_user: [[{}, 'GET /users/@me']],
  },
}
