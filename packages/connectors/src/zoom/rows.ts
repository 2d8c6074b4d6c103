/** The cases of Zoom: input, then the requests that it makes. */
import type { VendorRows } from '../kit/rows.ts'

export const rows: VendorRows = {
  described: ['zoom.json'],
  // The types of the SDK lack it; the reference page has it for all lists.
  queries: ['next_page_token'],
  failures: [
    { status: 401, body: { code: 124, message: 'Invalid access token.' }, word: 'NEEDS_AUTH' },
    {
      status: 400,
      body: { code: 4711, message: 'Invalid access token, does not contain scopes:[meeting:read:meeting].' },
      word: 'PERMISSION_DENIED',
    },
    { status: 404, body: { code: 3001, message: 'Meeting does not exist: 123.' }, word: 'NOT_FOUND' },
    {
      status: 429,
      headers: { 'retry-after': 'Mon, 23 Nov 2026 12:01:00 GMT' },
      body: { code: 429, message: 'You have reached the maximum daily rate limit' },
      word: 'RATE_LIMITED',
      retryAfter: 60,
    },
  ],
  tools: {
    list_meetings: [
      [{}, 'GET /users/me/meetings?type=upcoming&page_size=30'],
      [{ type: 'live', page_size: 5 }, 'GET /users/me/meetings?type=live&page_size=5'],
    ],
    get_meeting: [[{ meeting_id: '1' }, 'GET /meetings/1']],
    create_meeting: [
      [{ topic: 't' }, ['POST /users/me/meetings', { topic: 't', type: 2, duration: 60, timezone: 'UTC' }]],
      [
        {
          topic: 't',
          type: 8,
          start_time: '2026-12-01T09:00:00Z',
          duration: 30,
          timezone: 'Europe/Berlin',
          agenda: 'a',
        },
        [
          'POST /users/me/meetings',
          {
            topic: 't',
            type: 8,
            start_time: '2026-12-01T09:00:00Z',
            duration: 30,
            timezone: 'Europe/Berlin',
            agenda: 'a',
          },
        ],
      ],
    ],
    update_meeting: [
      [{ meeting_id: '1', topic: 't' }, ['PATCH /meetings/1', { topic: 't' }]],
      [
        { meeting_id: '1', topic: 't', start_time: '2026-12-01T09:00:00Z', duration: 30, agenda: 'a' },
        ['PATCH /meetings/1', { topic: 't', start_time: '2026-12-01T09:00:00Z', duration: 30, agenda: 'a' }],
      ],
    ],
    delete_meeting: [[{ meeting_id: '1' }, 'DELETE /meetings/1']],
    get_user: [
      [{}, 'GET /users/me'],
      [{ user_id: 'ada@example.com' }, 'GET /users/ada%40example.com'],
    ],
    list_recordings: [
      [{}, 'GET /users/me/recordings?page_size=30'],
      [
        { from_date: '2026-11-01', to_date: '2026-11-30', page_size: 5 },
        'GET /users/me/recordings?from=2026-11-01&to=2026-11-30&page_size=5',
      ],
    ],
    get_meeting_recordings: [
      [{ meeting_id: '1' }, 'GET /meetings/1/recordings'],
      [{ meeting_id: '/aj8==' }, 'GET /meetings/%2Faj8%3D%3D/recordings'],
    ],
    list_webinars: [
      [{}, 'GET /users/me/webinars?page_size=30'],
      [{ page_size: 5 }, 'GET /users/me/webinars?page_size=5'],
    ],
    get_webinar: [[{ webinar_id: '1' }, 'GET /webinars/1']],
    list_meeting_participants: [
      [{ meeting_id: '1' }, 'GET /past_meetings/1/participants?page_size=30'],
      [{ meeting_id: '/aj8==', page_size: 5 }, 'GET /past_meetings/%2Faj8%3D%3D/participants?page_size=5'],
    ],
    get_meeting_invitation: [[{ meeting_id: '1' }, 'GET /meetings/1/invitation']],
  },
}
