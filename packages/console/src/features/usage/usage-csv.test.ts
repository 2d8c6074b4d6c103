import { expect, test } from 'vitest'
import { usageCsv } from './usage-csv.ts'

test('a line for each step and row, what is missing, and no name is a formula', () => {
  const counts = { calls: 3, failed: 1, refused: 0 }
  const csv = usageCsv({
    ...{ from: '2026-11-20T10:00:00.000Z', to: '2026-11-20T11:00:00.000Z', step: 'hour', uncounted: 250_000 },
    total: { ...counts, median_ms: 1, p95_ms: 2 },
    steps: [{ at: '2026-11-20T10:00:00.000Z', ...counts, median_ms: 1.5, p95_ms: null }],
    connections: [{ name: 'web', ...counts }],
    tools: [{ connection: 'web', name: '=cmd()', ...counts, p95_ms: 2.5, steps: [3] }],
    callers: [{ id: 'key_1', name: null, ...counts }],
    clients: [{ name: 'cursor 1.0', ...counts }],
    reasons: [{ code: 'tool.unknown', calls: 1 }],
  })
  expect(csv.split('\r\n')).toEqual([
    'kind,name,connection,at,calls,failed,refused,median_ms,p95_ms',
    'step,,,2026-11-20T10:00:00.000Z,3,1,0,1.5,',
    'connection,web,,,3,1,0,,',
    "tool,'=cmd(),web,,3,1,0,,2.5",
    'caller,key_1,,,3,1,0,,',
    'client,cursor 1.0,,,3,1,0,,',
    'reason,tool.unknown,,,1,,,,',
    'uncounted,,,,250000,,,,',
    '',
  ])
})
