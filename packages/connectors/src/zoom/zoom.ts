/** Zoom: meetings, recordings, webinars and participants of the connected user. API v2 with granular scopes. */
import { z } from 'zod'
import {
  byCode,
  changed,
  choice,
  get,
  many,
  maybe,
  num,
  prose,
  rest,
  shape,
  str,
  text,
  token,
  vendor,
} from '../kit/index.ts'

const { read, write, destroy } = rest({
  base: 'https://api.zoom.us/v2',
  paging: token('next_page_token', 'next_page_token', { name: 'page_size', default: 30, max: 300 }),
  failures: [
    byCode(
      'code',
      ({ status, body }) =>
        status >= 400 &&
        status !== 429 &&
        typeof get(body, 'code') === 'number' &&
        CODES.has(Number(get(body, 'code'))),
      {
        NEEDS_AUTH: ['124'],
        PERMISSION_DENIED: ['200', '4711', '1010'],
        NOT_FOUND: ['1001', '3001', '3301', '3161'],
      },
    ),
  ],
})
/** 124 is an invalid or expired token, 4711 a token without the scope; the others are things that are not there. */
const CODES = new Set([124, 200, 4711, 1010, 1001, 3001, 3301, 3161])

const meeting = { meeting_id: text('Number of the meeting, e.g. 85746065432') }
/** An identifier of one past meeting that holds a slash is encoded twice. */
const past = (id: string) => (id.includes('/') ? encodeURIComponent(id) : id)
const byPast = ({ meeting_id, ...others }: { meeting_id: string }) => ({ ...others, meeting_id: past(meeting_id) })

const Meeting = shape({
  id: str(),
  topic: str(),
  type: num(),
  start_time: str(),
  duration: num(),
  timezone: str(),
  agenda: prose('agenda', 300),
  join_url: str(),
})
const FullMeeting = shape({ ...Meeting.fields, host: str('host_email'), created_at: str() })
const Created = shape({ ...FullMeeting.fields })
const User = shape({
  id: str(),
  name: str('display_name'),
  email: str(),
  role: str('role_name'),
  type: num(),
  timezone: str(),
  department: str('dept'),
  status: str(),
})
const File = shape({
  id: str(),
  type: str('recording_type'),
  extension: str('file_extension'),
  size: num('file_size'),
  start: str('recording_start'),
  play_url: str(),
  download_url: str(),
})
const Recording = shape({
  uuid: str(),
  id: str(),
  topic: str(),
  start_time: str(),
  duration: num(),
  files: num('recording_count'),
  size: num('total_size'),
})
const FullRecording = shape({ ...Recording.fields, recordings: many(File, 'recording_files') })
const Webinar = shape({ id: str(), topic: str(), start_time: str(), duration: num(), timezone: str(), join_url: str() })
const FullWebinar = shape({ ...Webinar.fields, agenda: prose('agenda', 2_000), host: str('host_email') })
const Participant = shape({
  id: str(),
  name: str(),
  email: str('user_email'),
  join_time: str(),
  leave_time: str(),
  duration: num(),
})
const Invitation = shape({ invitation: prose('invitation', 5_000) })

const minutes = z.int().min(1).max(1440)

export const zoom = vendor({
  id: 'zoom',
  auth: { provider: 'zoom' },
  scopes: {},
  whoami: 'get_user',
  quota: { left: 'x-ratelimit-remaining', resets: 'retry-after', unit: 'from-now' },
  resources: {
    'zoom://meeting/{meeting_id}': 'get_meeting',
  },
  tools: {
    list_meetings: read('GET /users/me/meetings', {
      says: 'List the connected user’s meetings: scheduled, live or upcoming.',
      input: { type: choice(['scheduled', 'live', 'upcoming']).default('upcoming') },
      at: 'meetings',
      list: Meeting,
      scopes: ['meeting:read:list_meetings'],
    }),
    get_meeting: read('GET /meetings/{meeting_id}', {
      says: 'Get the topic, time and link of a meeting.',
      input: meeting,
      output: FullMeeting,
      scopes: ['meeting:read:meeting'],
    }),
    create_meeting: write('POST /users/me/meetings', {
      says: 'Schedule a meeting. Types: 1 instant, 2 scheduled, 3 recurring without a time, 8 recurring. At most 100 a day.',
      input: {
        topic: text('e.g. Weekly review'),
        type: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(8)]).default(2),
        start_time: maybe('e.g. 2026-12-01T09:00:00Z'),
        duration: minutes.default(60).describe('Minutes'),
        timezone: z.string().default('UTC').describe('e.g. Europe/Berlin'),
        agenda: maybe('Description'),
      },
      output: Created,
      scopes: ['meeting:write:meeting'],
    }),
    update_meeting: write('PATCH /meetings/{meeting_id}', {
      says: 'Change the topic, time, length or agenda of a meeting.',
      input: {
        ...meeting,
        topic: maybe('New topic'),
        start_time: maybe('e.g. 2026-12-01T09:00:00Z'),
        duration: minutes.optional().describe('Minutes'),
        agenda: maybe('Description'),
      },
      send: ({ meeting_id, ...members }) => ({ meeting_id, ...changed(members) }),
      scopes: ['meeting:update:meeting'],
    }),
    delete_meeting: destroy('DELETE /meetings/{meeting_id}', {
      says: 'Cancel a meeting.',
      input: meeting,
      scopes: ['meeting:delete:meeting'],
    }),
    get_user: read('GET /users/{user_id}', {
      says: 'Get a user of the account, by default the connected one.',
      input: { user_id: z.string().default('me').describe('Identifier or email address') },
      output: User,
      scopes: ['user:read:user'],
    }),
    list_recordings: read('GET /users/me/recordings', {
      says: 'List the connected user’s cloud recordings in a range of at most one month.',
      input: { from_date: maybe('e.g. 2026-11-01'), to_date: maybe('e.g. 2026-11-30') },
      send: ({ from_date, to_date }) => ({ from: from_date, to: to_date }),
      at: 'meetings',
      list: Recording,
      scopes: ['cloud_recording:read:list_user_recordings'],
    }),
    get_meeting_recordings: read('GET /meetings/{meeting_id}/recordings', {
      says: 'Get the recording files of one meeting.',
      input: { meeting_id: text('Number or UUID of the meeting, e.g. 4444AAAiAAAAAiAiAiiAii==') },
      send: byPast,
      output: FullRecording,
      scopes: ['cloud_recording:read:list_recording_files'],
    }),
    list_webinars: read('GET /users/me/webinars', {
      says: 'List the webinars of the connected user.',
      at: 'webinars',
      list: Webinar,
      scopes: ['webinar:read:list_webinars'],
    }),
    get_webinar: read('GET /webinars/{webinar_id}', {
      says: 'Get the topic, time and agenda of a webinar.',
      input: { webinar_id: text('e.g. 95204914252') },
      output: FullWebinar,
      scopes: ['webinar:read:webinar'],
    }),
    list_meeting_participants: read('GET /past_meetings/{meeting_id}/participants', {
      says: 'List the participants of a past meeting.',
      input: { meeting_id: text('Number or UUID of the meeting, e.g. 4444AAAiAAAAAiAiAiiAii==') },
      send: byPast,
      at: 'participants',
      list: Participant,
      scopes: ['meeting:read:list_past_participants'],
    }),
    get_meeting_invitation: read('GET /meetings/{meeting_id}/invitation', {
      says: 'Get the text of the invitation to a meeting.',
      input: meeting,
      output: Invitation,
      scopes: ['meeting:read:invitation'],
    }),
  },
})
