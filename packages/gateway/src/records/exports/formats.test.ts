import { expect, test } from 'vitest'
import type { ProvenRecord } from '../chain/record-hash.ts'
import { CSV_HEAD, toCsv } from './csv.ts'
import { toOcsf } from './ocsf.ts'

const record = (more: Partial<ProvenRecord> = {}): ProvenRecord => ({
  seq: 7,
  id: 'rec_7',
  organization_id: 'org_1',
  at: '2026-11-20T10:00:00.123456Z',
  kind: 'change',
  key_id: null,
  toolset: null,
  connection: null,
  method: 'key.add',
  era_client: null,
  era_upstream: null,
  bytes_in: 0,
  bytes_out: 0,
  duration_us: 0,
  outcome: 'ok',
  code: null,
  decision: 'allow',
  correlation_id: 'c-1',
  actor_type: 'user',
  resource_type: 'key',
  principal: 'usr_1',
  client: null,
  target: null,
  resource_id: 'key_9',
  ip_address: '192.0.2.1',
  user_agent: null,
  detail: null,
  hash: 'ab',
  salts: {},
  hashes: {},
  ...more,
})

test('CSV has a head, a line each, quotes where they are needed, and nothing that a spreadsheet would compute', () => {
  const text = CSV_HEAD + toCsv(record({ target: '=cmd|"x"!A1', detail: '{"a": "b,c"}', user_agent: 'a\r\nb' }))
  const [head, ...rest] = text.split('\r\n')
  expect(head?.split(',').slice(0, 4)).toEqual(['seq', 'id', 'organization_id', 'at'])
  expect(rest.join('\r\n')).toContain(`"'=cmd|""x""!A1"`)
  expect(rest.join('\r\n')).toContain('"{""a"": ""b,c""}"')
  expect(rest.join('\r\n')).toContain('"a\r\nb"')
})

test('an event of OCSF is of the class that fits, and its type says class and activity', () => {
  expect(toOcsf(record())).toMatchObject({ class_uid: 6003, activity_id: 1, type_uid: 600_301, category_uid: 6 })
  expect(toOcsf(record({ method: 'member.remove', resource_type: 'member', resource_id: 'usr_2' }))).toMatchObject({
    class_uid: 3001,
    activity_id: 6,
    type_uid: 300_106,
    user: { uid: 'usr_2' },
  })
  expect(toOcsf(record({ kind: 'sign_in', method: 'sign_in', outcome: 'refused', code: 'key.unknown' }))).toMatchObject(
    {
      class_uid: 3002,
      activity_id: 1,
      type_uid: 300_201,
      status_id: 2,
      status_code: 'key.unknown',
      user: { uid: 'usr_1' },
      time: Date.parse('2026-11-20T10:00:00.123Z'),
    },
  )
})
