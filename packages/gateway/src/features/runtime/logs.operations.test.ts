/** The stream of the log, asked of the operation itself: what a reader that is slow, leaves, or is to leave does to it. */
import { expect, test } from 'vitest'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import { createLogTail } from '../../telemetry/log-tail.ts'
import { logOperations } from './logs.operations.ts'
import type { RuntimeParts } from './serve.operations.ts'
import type { OperationCall } from '../../operations/serve.ts'

const lineOf = (message: string) => JSON.stringify({ level: 'info', message, timestamp: 't' })

async function follow(query: object = {}) {
  const logs = createLogTail()
  const leaving = new AbortController()
  const parts = { snapshots: { find: () => undefined, all: (): Snapshot[] => [] }, runtime: { logs } }
  const asking = { principal: {}, query, signal: leaving.signal, params: {} }
  const operation = logOperations.find((one) => one.operation.id === 'followLogs')
  const place = { organization: undefined, role: 'platform_admin' as const }
  const given = operation?.run(parts as unknown as RuntimeParts, asking as unknown as OperationCall, place)
  return { logs, leaving, response: (await given) as Response }
}

test('a reader that does not read is told that it missed lines, and ended; nothing more is kept for it', async () => {
  const { logs, response } = await follow()
  for (let n = 0; n < 3_000; n++) logs.push(lineOf(`line ${n}`))
  const text = await response.text()
  expect(text).toContain('"message":"line 0"')
  expect(text.match(/event: log/g)).toHaveLength(999)
  expect(text.trimEnd().split('\n\n').at(-1)).toMatch(/^event: dropped\n/)
})

test('the stream ends when its reader is to leave, and only what was asked for is on it', async () => {
  const { logs, leaving, response } = await follow({ level: 'info', tenant_slug: 'acme' })
  logs.push(JSON.stringify({ level: 'info', message: 'own', timestamp: 't', organization: 'acme' }))
  logs.push(JSON.stringify({ level: 'debug', message: 'quiet', timestamp: 't', organization: 'acme' }))
  logs.push(JSON.stringify({ level: 'info', message: 'other', timestamp: 't', organization: 'other' }))
  logs.push(lineOf('of nobody'))
  leaving.abort()
  logs.push(JSON.stringify({ level: 'info', message: 'late', timestamp: 't', organization: 'acme' }))
  const text = await response.text()
  expect(text.match(/"message":"[^"]*"/g)).toEqual(['"message":"own"'])
})

test('one that leaves is followed no more', async () => {
  const { logs, response } = await follow()
  await response.body?.cancel()
  expect(() => logs.push(lineOf('after'))).not.toThrow()
})
