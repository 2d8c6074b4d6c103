/** Microsoft Teams: teams, channels, chats and their messages. Microsoft Graph, version 1.0. */
import {
  choice,
  get,
  isJson,
  many,
  maybe,
  odata,
  offset,
  prose,
  refusal,
  rest,
  shape,
  str,
  strs,
  text,
  vendor,
  type Json,
} from '../kit/index.ts'
import { graphFacts, picked, plainBody, plainOf, quoted } from '../microsoft/graph.ts'

const size = { name: 'top', as: '$top', default: 25, max: 50 }
const { read, destroy } = rest({ ...graphFacts, paging: odata(size) })
/** Lists that take no size. */
const whole = odata()

const team = { team_id: text('From teams_list_teams, e.g. 02bd9fd6-8f93-4758-87c3-1fb73740a315') }
const channel = { ...team, channel_id: text('From teams_list_channels, e.g. 19:4a95f7d8@thread.tacv2') }
const message = { ...channel, message_id: text('From teams_list_channel_messages, e.g. 1616990032035') }
const chat = { chat_id: text('From teams_list_chats, e.g. 19:2da4c29f@thread.v2') }
const content = { content: text('The message'), content_type: choice(['text', 'html']).default('html') }
type Content = { content: string; content_type: string }
const bodyOf = ({ content: written, content_type }: Content) => ({ contentType: content_type, content: written })

const Team = shape({
  id: str(),
  name: str('displayName'),
  description: prose('description', 300),
  visibility: str(),
  url: str('webUrl'),
})
const Channel = shape({
  id: str(),
  name: str('displayName'),
  description: prose('description', 300),
  membership: str('membershipType'),
  email: str(),
  created: str('createdDateTime'),
  url: str('webUrl'),
})
const LISTED = {
  id: str(),
  from: str('from.user.displayName'),
  app: str('from.application.displayName'),
  created: str('createdDateTime'),
  subject: str(),
  importance: str(),
  reply_to: str('replyToId'),
}
/** A file lies in SharePoint or OneDrive at its address; a card of an app has its words instead. */
const Attached = shape({ name: str(), type: str('contentType'), url: str('contentUrl'), text: prose('text', 1_000) })
const ATTACHMENTS = many(Attached, 'attachments', 10)
const Item = shape({ ...LISTED, text: prose('body.content', 300), attachments: ATTACHMENTS })
const Message = shape({
  ...LISTED,
  edited: str('lastEditedDateTime'),
  text: prose('body.content', 20_000),
  attachments: ATTACHMENTS,
  reactions: strs('reactions[].reactionType'),
  url: str('webUrl'),
})
/** The texts of a card (adaptive cards, and the older ones of connectors), in the order in which they stand. */
const SAYS = new Set(['text', 'title', 'subtitle', 'summary', 'activityTitle', 'activitySubtitle', 'value', 'name'])
function textsOf(card: unknown, depth = 0): readonly string[] {
  if (depth > 12) return []
  if (Array.isArray(card)) return card.flatMap((each) => textsOf(each, depth + 1))
  if (!isJson(card)) return []
  return Object.entries(card).flatMap(([name, value]) =>
    typeof value === 'string' ? (SAYS.has(name) && value.trim() !== '' ? [value] : []) : textsOf(value, depth + 1),
  )
}

function attachmentOf(attachment: Json): Json {
  const { content, contentType } = attachment
  if (typeof content !== 'string' || !/\bcard\b/.test(String(contentType))) return attachment
  try {
    return { ...attachment, text: plainOf(textsOf(JSON.parse(content)).join('\n')) }
  } catch {
    return { ...attachment, text: plainOf(content) }
  }
}

const messageOf = (message: Json): Json => {
  const attachments = message['attachments']
  return {
    ...plainBody(message),
    attachments: Array.isArray(attachments) ? attachments.filter(isJson).map(attachmentOf) : undefined,
  }
}

const Sent = shape({ id: str(), created: str('createdDateTime'), url: str('webUrl') })
const Chat = shape({
  id: str(),
  topic: str(),
  type: str('chatType'),
  created: str('createdDateTime'),
  updated: str('lastUpdatedDateTime'),
  members: strs(),
  url: str('webUrl'),
})
const Member = shape({ id: str(), name: str('displayName'), roles: strs(), user_id: str('userId'), email: str() })
const Hit = shape({
  id: str(),
  summary: prose('summary', 300),
  from: str('resource.from.emailAddress.name'),
  created: str('resource.createdDateTime'),
  chat_id: str('resource.chatId'),
  team_id: str('resource.channelIdentity.teamId'),
  channel_id: str('resource.channelIdentity.channelId'),
  url: str('resource.webLink'),
})
const User = shape({
  id: str(),
  name: str('displayName'),
  email: str('mail'),
  login: str('userPrincipalName'),
  job_title: str('jobTitle'),
  department: str(),
})

/** Messages of the system, such as "Ada joined", say nothing that somebody wrote. */
const written = ({ messageType }: Json) => messageType !== 'systemEventMessage' && messageType !== 'unknownFutureValue'

const containers = (body: unknown) => [get(body, 'value[].hitsContainers')].flat(2).filter(isJson)
/** The values stand within the one request of the body. */
const hits = offset('value[].hitsContainers[].hits', 'from', { name: 'top', as: 'size', default: 25, max: 50 })

/** Members of a chat that are named. */
const MOST_MEMBERS = 10
const CHATS = ['Chat.Read']
const SEND = ['ChannelMessage.Send']

export const teams = vendor({
  id: 'teams',
  auth: { provider: 'teams' },
  scopes: { read: ['Team.ReadBasic.All'], write: SEND, destructive: SEND },
  whoami: 'list_teams',
  resources: {
    'teams://team/{team_id}': 'get_team',
  },
  tools: {
    list_teams: read('GET /me/joinedTeams', {
      says: 'List the teams that the connected person is a member of.',
      input: { select: maybe('Properties to return, e.g. displayName') },
      send: () => ({}),
      paging: whole,
      at: 'value',
      list: Team,
      give: (item, { select }) => picked(item, select),
    }),
    get_team: read('GET /teams/{team_id}', {
      says: 'Get the name, description and visibility of a team.',
      input: team,
      output: Team,
    }),
    list_channels: read('GET /teams/{team_id}/channels', {
      says: 'List the channels in a team.',
      input: { ...team, filter: maybe("e.g. membershipType eq 'private'") },
      send: ({ team_id, filter }) => ({ team_id, $filter: filter }),
      paging: whole,
      at: 'value',
      list: Channel,
      scopes: ['Channel.ReadBasic.All'],
    }),
    get_channel: read('GET /teams/{team_id}/channels/{channel_id}', {
      says: 'Get the name, description and address of a channel.',
      input: channel,
      output: Channel,
      scopes: ['Channel.ReadBasic.All'],
    }),
    list_channel_messages: read('GET /teams/{team_id}/channels/{channel_id}/messages', {
      says: 'List the messages in a channel without replies, newest first. Requires administrator consent.',
      input: channel,
      at: 'value',
      list: Item,
      keep: written,
      give: messageOf,
      scopes: ['ChannelMessage.Read.All'],
    }),
    get_channel_message: read('GET /teams/{team_id}/channels/{channel_id}/messages/{message_id}', {
      says: 'Read one message in a channel.',
      input: message,
      output: Message,
      give: messageOf,
      scopes: ['ChannelMessage.Read.All'],
    }),
    send_channel_message: destroy('POST /teams/{team_id}/channels/{channel_id}/messages', {
      says: 'Post a message in a channel.',
      input: { ...channel, ...content },
      send: ({ team_id, channel_id, ...written }) => ({ team_id, channel_id, body: bodyOf(written) }),
      output: Sent,
    }),
    reply_to_message: destroy('POST /teams/{team_id}/channels/{channel_id}/messages/{message_id}/replies', {
      says: 'Reply to a message in a channel.',
      input: { ...message, ...content },
      send: ({ team_id, channel_id, message_id, ...written }) => ({
        team_id,
        channel_id,
        message_id,
        body: bodyOf(written),
      }),
      output: Sent,
    }),
    list_chats: read('GET /me/chats', {
      says: 'List the chats of the connected person with their topics and members.',
      input: { filter: maybe("e.g. chatType eq 'oneOnOne'") },
      // A chat of two people has no topic: its members tell which one it is.
      send: ({ filter }) => ({ $filter: filter, $expand: 'members' }),
      at: 'value',
      list: Chat,
      give: (chat) => ({ ...chat, members: [get(chat, 'members[].displayName') ?? []].flat().slice(0, MOST_MEMBERS) }),
      scopes: ['Chat.ReadBasic'],
    }),
    list_chat_messages: read('GET /chats/{chat_id}/messages', {
      says: 'List the messages in a chat, newest first.',
      input: chat,
      at: 'value',
      list: Item,
      keep: written,
      give: messageOf,
      scopes: CHATS,
    }),
    send_chat_message: destroy('POST /chats/{chat_id}/messages', {
      says: 'Post a message in a chat.',
      input: { ...chat, ...content },
      send: ({ chat_id, ...written }) => ({ chat_id, body: bodyOf(written) }),
      output: Sent,
      scopes: ['ChatMessage.Send'],
    }),
    list_team_members: read('GET /teams/{team_id}/members', {
      says: 'List the members of a team with their roles.',
      input: team,
      paging: whole,
      at: 'value',
      list: Member,
      scopes: ['TeamMember.Read.All'],
    }),
    search_messages: read('POST /search/query', {
      says: 'Search messages in chats and channels by words.',
      input: { query: text('e.g. budget from:ada') },
      wrap: ({ query, from = 0, size: count }) => ({
        requests: [{ entityTypes: ['chatMessage'], query: { queryString: query }, from, size: count }],
      }),
      paging: hits,
      items: (body) => containers(body).flatMap(({ hits: found }) => [found].flat()),
      list: Hit,
      give: (hit) => ({ ...hit, id: get(hit, 'resource.id') ?? hit['hitId'] }),
      scopes: [...CHATS, 'ChannelMessage.Read.All'],
    }),
    get_user_by_email: read('GET /users', {
      says: 'Find a person in the directory by email address or sign-in name.',
      input: { email: text('e.g. ada@example.com') },
      send: ({ email }) => ({
        $filter: `mail eq ${quoted(email)} or userPrincipalName eq ${quoted(email)}`,
        $select: 'id,displayName,mail,userPrincipalName,jobTitle,department',
        $top: 1,
      }),
      output: User,
      give(body, { email }) {
        const found = get(body, 'value')
        if (Array.isArray(found) && found.length === 0)
          throw refusal('NOT_FOUND', `Nobody in the directory has the address ${email}.`)
        return Array.isArray(found) && isJson(found[0]) ? found[0] : {}
      },
      scopes: ['User.ReadBasic.All'],
    }),
    list_channel_members: read('GET /teams/{team_id}/channels/{channel_id}/members', {
      says: 'List the members of a channel with their roles.',
      input: channel,
      paging: whole,
      at: 'value',
      list: Member,
      scopes: ['ChannelMember.Read.All'],
    }),
  },
})
