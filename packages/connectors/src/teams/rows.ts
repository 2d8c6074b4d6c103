/** The cases of Microsoft Teams: input, then the requests that it makes. */
import { lineOf, type VendorRows } from '../kit/rows.ts'

const team = { team_id: 't' }
const channel = { ...team, channel_id: 'c' }
const message = { ...channel, message_id: 'm' }
const html = { body: { contentType: 'html', content: 'Hi' } }
const plain = { body: { contentType: 'text', content: 'Hi' } }
const search = (from: number, size: number) => ({
  requests: [{ entityTypes: ['chatMessage'], query: { queryString: 'x' }, from, size }],
})

const posted = {
  id: '1',
  attachments: [
    { contentType: 'reference', name: 'a.docx', contentUrl: 'https://acme.sharepoint.com/a.docx' },
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: JSON.stringify({ type: 'AdaptiveCard', body: [{ type: 'TextBlock', text: 'Build failed' }] }),
    },
  ],
}

export const rows: VendorRows = {
  described: ['microsoft-graph.json'],
  failures: [
    {
      status: 429,
      headers: { 'retry-after': '3' },
      body: { error: { code: 'TooManyRequests', message: 'Too many' } },
      word: 'RATE_LIMITED',
      retryAfter: 3,
    },
    {
      status: 403,
      body: {
        error: { code: 'Forbidden', message: 'Missing scope permissions on the request. API requires one of ...' },
      },
      word: 'PERMISSION_DENIED',
    },
    { status: 404, body: { error: { code: 'NotFound', message: 'No team found with Group Id t' } }, word: 'NOT_FOUND' },
  ],
  answers: {
    list_channel_messages: [[{ value: [posted] }]],
    list_chat_messages: [[{ value: [posted] }]],
    get_channel_message: [[posted]],
    list_chats: [[{ value: [{ id: 'c', members: [{ displayName: 'Ada' }] }] }]],
    search_messages: [
      [
        {
          value: [
            {
              hitsContainers: [
                {
                  hits: [
                    {
                      hitId: 'h',
                      summary: 'x',
                      resource: {
                        from: { emailAddress: { name: 'Ada' } },
                        createdDateTime: '2026-11-01T00:00:00Z',
                        chatId: 'c',
                        channelIdentity: { channelId: 'd', teamId: 't' },
                        webLink: 'https://teams.microsoft.com/l/message/c/1',
                      },
                    },
                  ],
                  moreResultsAvailable: false,
                },
              ],
            },
          ],
        },
      ],
    ],
    list_team_members: [[{ value: [{ id: 'i', displayName: 'Ada', roles: ['owner'], userId: 'u', email: 'a@b.c' }] }]],
    list_channel_members: [
      [{ value: [{ id: 'i', displayName: 'Ada', roles: ['owner'], userId: 'u', email: 'a@b.c' }] }],
    ],
  },
  tools: {
    list_teams: [
      [{}, 'GET /me/joinedTeams'],
      [{ select: 'displayName, visibility' }, 'GET /me/joinedTeams'],
    ],
    get_team: [[team, 'GET /teams/t']],
    list_channels: [
      [team, 'GET /teams/t/channels'],
      [
        { ...team, filter: "membershipType eq 'private'" },
        lineOf('GET /teams/t/channels', { $filter: "membershipType eq 'private'" }),
      ],
    ],
    get_channel: [[channel, 'GET /teams/t/channels/c']],
    list_channel_messages: [
      [channel, lineOf('GET /teams/t/channels/c/messages', { $top: '25' })],
      [{ ...channel, top: 50 }, lineOf('GET /teams/t/channels/c/messages', { $top: '50' })],
    ],
    get_channel_message: [[message, 'GET /teams/t/channels/c/messages/m']],
    send_channel_message: [
      [{ ...channel, content: 'Hi' }, ['POST /teams/t/channels/c/messages', html]],
      [{ ...channel, content: 'Hi', content_type: 'text' }, ['POST /teams/t/channels/c/messages', plain]],
    ],
    reply_to_message: [
      [{ ...message, content: 'Hi' }, ['POST /teams/t/channels/c/messages/m/replies', html]],
      [{ ...message, content: 'Hi', content_type: 'text' }, ['POST /teams/t/channels/c/messages/m/replies', plain]],
    ],
    list_chats: [
      [{}, lineOf('GET /me/chats', { $expand: 'members', $top: '25' })],
      [
        { filter: 'topic ne null', top: 5 },
        lineOf('GET /me/chats', { $filter: 'topic ne null', $expand: 'members', $top: '5' }),
      ],
    ],
    list_chat_messages: [
      [{ chat_id: 'c' }, lineOf('GET /chats/c/messages', { $top: '25' })],
      [{ chat_id: 'c', top: 5 }, lineOf('GET /chats/c/messages', { $top: '5' })],
    ],
    send_chat_message: [
      [{ chat_id: 'c', content: 'Hi' }, ['POST /chats/c/messages', html]],
      [{ chat_id: 'c', content: 'Hi', content_type: 'text' }, ['POST /chats/c/messages', plain]],
    ],
    list_team_members: [[team, 'GET /teams/t/members']],
    search_messages: [
      [{ query: 'x' }, ['POST /search/query', search(0, 25)]],
      [{ query: 'x', top: 5 }, ['POST /search/query', search(0, 5)]],
    ],
    get_user_by_email: [
      [
        { email: "o'hara@b.c" },
        lineOf('GET /users', {
          $filter: "mail eq 'o''hara@b.c' or userPrincipalName eq 'o''hara@b.c'",
          $select: 'id,displayName,mail,userPrincipalName,jobTitle,department',
          $top: '1',
        }),
      ],
    ],
    list_channel_members: [[channel, 'GET /teams/t/channels/c/members']],
  },
}
