import { expect, test } from 'vitest'
import { lineFormat } from './log-format.ts'
import { createLogs } from './log.ts'

test('a line has its own facts and none of the lines before it', () => {
  const { log, tail } = createLogs('info')
  log.info({ organization_id: 'org_of_another', traces: ['x'] }, 'first')
  log.info({ code: 'own' }, 'second')
  const [, second = ''] = tail.recent()
  expect(JSON.parse(second)).toEqual({
    level: 'info',
    message: 'second',
    code: 'own',
    timestamp: expect.any(String) as string,
  })
})

test('in the format sagemcp each line is JSON with timestamp, level, message, tenant_slug, connector_id, request_id and duration_ms', () => {
  const call = { organization: 'acme', connection: 'github', request_id: 'r-1', duration_ms: 12.5, outcome: 'ok' }
  const line = { level: 'info', message: 'call', timestamp: '2026-01-01T00:00:00.000Z', ...call }
  const written = lineFormat('sagemcp')(`${JSON.stringify(line)}\n`)
  expect(written.endsWith('}\n')).toBe(true)
  expect(JSON.parse(written)).toEqual({ ...line, tenant_slug: 'acme', connector_id: 'github' })
  const other = { level: 'warn', message: 'the database cannot be used', timestamp: '2026-01-01T00:00:00.000Z' }
  const none = { tenant_slug: null, connector_id: null, request_id: null, duration_ms: null }
  expect(JSON.parse(lineFormat('sagemcp')(`${JSON.stringify(other)}\n`))).toEqual({ ...other, ...none })
  expect(lineFormat('toolway')('{}\n')).toBe('{}\n')
})
