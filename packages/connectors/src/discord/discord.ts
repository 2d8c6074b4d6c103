/** Discord: servers, channels, messages, threads and members. API v10 with the token of a bot, which nearly all of it needs. */
import {
  bool,
  get,
  lastItem,
  many,
  num,
  offset,
  prose,
  rest,
  shape,
  str,
  strs,
  text,
  vendor,
  type Json,
} from '../kit/index.ts'
import { z } from 'zod'

const { read, write, destroy } = rest({
  base: 'https://discord.com/api/v10',
  headers: { 'user-agent': 'DiscordBot (https://github.com/toolway/toolway, 1)' },
})

const guild = { guild_id: text('From discord_list_guilds, e.g. 197038439483310086') }
const channel = { channel_id: text('From discord_list_channels, e.g. 155101607195836416') }
const message = { ...channel, message_id: text('From discord_list_messages, e.g. 162701077035089920') }
const content = text('Markdown, at most 2,000 characters')
/** Nobody is notified by a text that a model wrote. */
const quiet = { allowed_mentions: { parse: [] as string[] } }

const Guild = shape({ id: str(), name: str(), owner: bool(), members: num('approximate_member_count') })
const FullGuild = shape({
  id: str(),
  name: str(),
  description: prose('description', 300),
  owner_id: str(),
  locale: str('preferred_locale'),
  roles: strs('roles[].name'),
})
const Channel = shape({
  id: str(),
  name: str(),
  type: num(),
  topic: prose('topic', 300),
  parent_id: str(),
  position: num(),
})
const File = shape({ id: str(), name: str('filename'), type: str('content_type'), size: num(), url: str() })
const Message = shape({
  id: str(),
  channel_id: str(),
  author: str('author.username'),
  bot: bool('author.bot'),
  content: prose('content', 2_000),
  embeds: strs(),
  timestamp: str(),
  edited: str('edited_timestamp'),
  reply_to: str('message_reference.message_id'),
  attachments: many(File, 'attachments', 10),
})

/** Bots say most of what they say in embeds. */
const messageOf = (message: Json): Json => ({
  ...message,
  embeds: [get(message, 'embeds[]') ?? []].flat().slice(0, MOST_EMBEDS).map(embedOf),
})
const MOST_EMBEDS = 10
const MOST_EMBED = 1_000

function embedOf(embed: unknown): string {
  const fields = [get(embed, 'fields[]') ?? []].flat()
  const parts = [
    ...['provider.name', 'author.name', 'title', 'url', 'description'].map((path) => get(embed, path)),
    ...fields.map((field) => `${String(get(field, 'name') ?? '')}: ${String(get(field, 'value') ?? '')}`),
    get(embed, 'footer.text'),
  ]
  const text = parts.filter((part) => typeof part === 'string' && part !== '').join('\n')
  return text.length > MOST_EMBED ? `${text.slice(0, MOST_EMBED).toWellFormed()}…` : text
}
const Member = shape({
  id: str('user.id'),
  username: str('user.username'),
  name: str('user.global_name'),
  nick: str(),
  roles: strs(),
  joined_at: str(),
  bot: bool('user.bot'),
})
const Thread = shape({
  id: str(),
  name: str(),
  parent_id: str(),
  owner_id: str(),
  messages: num('message_count'),
  archived: bool('thread_metadata.archived'),
})
const Role = shape({ id: str(), name: str(), position: num(), managed: bool(), mentionable: bool() })
const User = shape({ id: str(), username: str(), name: str('global_name'), bot: bool(), email: str(), locale: str() })

export const discord = vendor({
  id: 'discord',
  auth: { key: { in: 'header', name: 'authorization', prefix: 'Bot ' } },
  scopes: {},
  whoami: 'get_user',
  quota: { left: 'x-ratelimit-remaining', resets: 'x-ratelimit-reset-after', unit: 'from-now' },
  resources: {
    'discord://guild/{guild_id}': 'get_guild',
  },
  tools: {
    list_guilds: read('GET /users/@me/guilds', {
      says: 'List the servers that the bot is in.',
      send: () => ({ with_counts: true }),
      paging: lastItem('', 'after', { name: 'limit', default: 200, max: 200 }),
      list: Guild,
    }),
    get_guild: read('GET /guilds/{guild_id}', {
      says: 'Get the name, description, owner and roles of a server.',
      input: guild,
      output: FullGuild,
    }),
    list_channels: read('GET /guilds/{guild_id}/channels', {
      says: 'List the channels in a server. Types: 0 text, 2 voice, 4 category, 5 announcement, 15 forum.',
      input: guild,
      list: Channel,
    }),
    get_channel: read('GET /channels/{channel_id}', {
      says: 'Get the name and topic of a channel.',
      input: channel,
      output: Channel,
    }),
    list_messages: read('GET /channels/{channel_id}/messages', {
      says: 'List the messages in a channel, newest first. Message text is empty unless the bot has the message content intent.',
      input: channel,
      paging: lastItem('', 'before', { name: 'limit', default: 50, max: 100 }),
      list: Message,
      give: messageOf,
    }),
    send_message: destroy('POST /channels/{channel_id}/messages', {
      says: 'Post a message in a channel as the bot. Mentions in the text do not notify anyone.',
      input: { ...channel, content },
      send: (input) => ({ ...input, ...quiet }),
      output: Message,
      give: messageOf,
    }),
    edit_message: write('PATCH /channels/{channel_id}/messages/{message_id}', {
      says: 'Edit one of the bot’s messages.',
      input: { ...message, content },
      send: (input) => ({ ...input, ...quiet }),
      output: Message,
      give: messageOf,
    }),
    delete_message: destroy('DELETE /channels/{channel_id}/messages/{message_id}', {
      says: 'Delete a message.',
      input: message,
    }),
    list_guild_members: read('GET /guilds/{guild_id}/members', {
      says: 'List the members of a server. The bot needs the server members intent.',
      input: guild,
      paging: lastItem('', 'after', { name: 'limit', default: 100, max: 1_000 }, 'user.id'),
      list: Member,
    }),
    search_messages: read('GET /guilds/{guild_id}/messages/search', {
      says: 'Search the messages in a server. While Discord builds its index, the result is empty: try again later.',
      input: { ...guild, query: text('Words, e.g. release notes') },
      send: ({ query, ...others }) => ({ ...others, content: query }),
      // Each match is a list of its own.
      items: (body) => [get(body, 'messages[]')].flat(2),
      paging: offset('messages', 'offset', { name: 'limit', default: 25, max: 25 }, { total: 'total_results' }),
      list: Message,
      give: messageOf,
    }),
    list_threads: read('GET /guilds/{guild_id}/threads/active', {
      says: 'List the active threads in a server.',
      input: guild,
      at: 'threads',
      list: Thread,
    }),
    create_thread: write('POST /channels/{channel_id}/messages/{message_id}/threads', {
      says: 'Start a thread from a message.',
      input: {
        ...message,
        name: text('e.g. Release 2.1'),
        auto_archive_duration: z
          .union([z.literal(60), z.literal(1440), z.literal(4320), z.literal(10080)])
          .default(1440)
          .describe('Minutes without a message'),
      },
      output: Thread,
    }),
    add_reaction: write('PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji}/@me', {
      says: 'React to a message with an emoji.',
      input: { ...message, emoji: text('The emoji itself, or name:id of a custom one, e.g. 👍') },
    }),
    list_roles: read('GET /guilds/{guild_id}/roles', {
      says: 'List the roles of a server.',
      input: guild,
      list: Role,
    }),
    get_user: read('GET /users/@me', {
      says: 'Get the connected bot.',
      output: User,
    }),
  },
})
