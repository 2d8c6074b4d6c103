/** The log of one connection: its own lines and its program's words, and nothing that is of others or of the machine. */
import { expect, test } from 'vitest'
import { createLogTail } from '../../telemetry/log-tail.ts'
import { createChildWords } from '../../upstreams/children/child-words.ts'
import type { OperationCall } from '../../operations/serve.ts'
import { connectionLogOperations, type ConnectionLogParts } from './log.operations.ts'

const own = { id: 'con_1', alias: 'notes' }
const snapshot = { organization: { id: 'org_1', slug: 'acme' }, connections: [own, { id: 'con_2', alias: 'mail' }] }
const other = { organization: { id: 'org_2', slug: 'other' }, connections: [{ id: 'con_3', alias: 'notes' }] }
const at = '2026-11-22T10:00:00.000Z'

function open(id: string, query: object = {}) {
  const logs = createLogTail()
  const words = createChildWords(() => new Date('2026-11-22T10:00:01.000Z'))
  const leaving = new AbortController()
  const all = [snapshot, other]
  const snapshots = {
    all: () => all,
    find: (name: { id?: string }) => all.find((one) => one.organization.id === name.id),
  }
  const parts = { snapshots, runtime: { logs, words } } as unknown as ConnectionLogParts
  const asking = {
    principal: {},
    query,
    signal: leaving.signal,
    params: { connection: 'notes' },
  } as unknown as OperationCall
  const { organization } = snapshot
  const place = { organization, role: 'tenant_admin' } as never
  const ask = () => connectionLogOperations.find(({ operation }) => operation.id === id)?.run(parts, asking, place)
  const say = (facts: object, message = 'call') =>
    logs.push(JSON.stringify({ level: 'info', message, timestamp: at, ...facts }))
  return { ask, say, words, leaving }
}

test('has what the gateway says of it and its program says, and no line of another connection or organization', () => {
  const { ask, say, words } = open('listConnectionLog', { count: 200 })
  say({ org_id: 'org_1', organization: 'acme', connection: 'notes', tool_name: 'read', outcome: 'ok', duration_ms: 4 })
  say({ org_id: 'org_1', organization: 'acme', connection: 'mail' })
  say({ org_id: 'org_2', organization: 'other', connection: 'notes' })
  say({ connection: 'notes' }, 'it does not say whose')
  say({ child: 'notes.con_1', code: 3, err: { stack: 'at /srv/secret/place' } }, 'a stdio server ended')
  words.hear('notes.con_1', ['up'])
  words.hear('notes.con_3', ['of the other'])
  const { items } = ask() as { items: object[] }
  expect(items).toMatchObject([
    { source: 'gateway', message: 'call', tool: 'read', outcome: 'ok', duration_ms: 4 },
    { source: 'gateway', message: 'a stdio server ended', code: 'exit 3' },
    { source: 'process', message: 'up' },
  ])
  expect(JSON.stringify(items)).not.toMatch(/of the other|secret|whose/)
})

test('goes on as lines come, until its reader leaves', async () => {
  const { ask, say, words, leaving } = open('followConnectionLog')
  const response = ask() as Response
  say({ org_id: 'org_1', organization: 'acme', connection: 'con_1' }, 'one')
  say({ org_id: 'org_2', organization: 'other', connection: 'notes' }, 'of the other')
  words.hear('notes.con_1.usr_1', ['two'])
  leaving.abort()
  words.hear('notes.con_1', ['late'])
  const text = await response.text()
  expect(text.match(/"message":"[^"]*"/g)).toEqual(['"message":"one"', '"message":"two"'])
})

test('keeps the last words of a program, and no more than it may', () => {
  const words = createChildWords()
  words.hear(
    'notes.con_1',
    Array.from({ length: 500 }, (_, at) => `line ${at}`),
  )
  words.hear('notes.con_1', ['x'.repeat(5_000)])
  const lines = words.recent('con_1')
  expect([lines.length, lines[0]?.text, lines.at(-1)?.text.length]).toEqual([200, 'line 301', 1_000])
  expect(words.recent('con_2')).toEqual([])
})
