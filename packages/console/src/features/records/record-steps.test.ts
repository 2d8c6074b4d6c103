import { FAULTS } from '@toolway/contract'
import type { AuditEvent } from '@toolway/contract/admin'
import { expect, test } from 'vitest'
import { mendsLoaded } from '../../ui/mend.ts'
import { argumentsOf, callAt, errorOf, isCall, stepsOf, timingsOf } from './record-steps.ts'

const event = (more: Partial<AuditEvent> = {}): AuditEvent => ({
  ...{
    id: 'rec_1',
    timestamp: '2026-11-22T10:00:01.500Z',
    actor_id: 'usr_1',
    actor_type: 'user',
    action: 'tools/call',
  },
  ...{ resource_type: 'tool', resource_id: 'web__read', tenant_id: 'org_1', ip_address: '127.0.0.1', user_agent: null },
  details: {
    duration_ms: 1500,
    connection: 'web',
    decision: 'allow',
    bytes_in: 3,
    bytes_out: 9,
    era_client: '2026-07-28',
  },
  ...{ outcome: 'ok', code: null, correlation_id: 'c-1', seq: 7, hash: 'ab', ...more },
})

test('a call goes from receipt to answer, and begins as long before its end as it took', () => {
  const steps = stepsOf(event())
  expect(steps.map(({ name }) => name)).toEqual(['received', 'identified', 'found', 'decided', 'opened', 'answered'])
  expect(steps[0]).toMatchObject({ at: new Date('2026-11-22T10:00:00.000Z'), facts: { from: '127.0.0.1', bytes: 3 } })
  expect(steps.at(-1)).toMatchObject({ after: 1500, facts: { outcome: 'ok', bytes: 9 } })
})

test('one that a rule blocked came to the rules and no further', () => {
  const steps = stepsOf(
    event({ outcome: 'refused', code: 'policy.blocked', details: { duration_ms: 1, rule: 'rul_1' } }),
  )
  expect(steps.at(-1)).toMatchObject({
    name: 'decided',
    state: 'ended',
    facts: { rule: 'rul_1', code: 'policy.blocked' },
  })
})

test('of the arguments those are told that rules looked at', () => {
  const policy = { values: { amount: 3 }, absent: ['note'], changed: ['/amount'] }
  expect(argumentsOf(event({ details: { policy } }))).toEqual(policy)
  expect(argumentsOf(event())).toEqual({ values: {}, absent: [], changed: [] })
})

test('a change is no call', () => {
  expect(isCall(event())).toBe(true)
  expect(isCall(event({ action: 'key.add', resource_type: 'key', details: { name: 'laptop' } }))).toBe(false)
})

test('what helps has no blank that nobody filled in, and no command', async () => {
  await mendsLoaded
  const details = { connection: 'crm', duration_ms: 1 }
  const codes = Object.keys(FAULTS).filter((code) => !code.startsWith('bridge.'))
  const mends = codes.map((code) => errorOf({ code, details }).mend).filter((mend) => mend !== undefined)
  expect(mends.filter((mend) => /[{}`]/.test(mend))).toEqual([])
  const error = { by: 'gateway', says: 'It is away.', mend: 'Send the request again in 4 s.' }
  expect(errorOf({ code: 'limit.rule', details: { ...details, error } })).toEqual(error)
})

test('times of steps stand in their order, each from where the one before ended', () => {
  const details = { timings: { upstream: 80.5, identify: 0.5, policy: 1 } }
  expect(timingsOf(event({ details }))).toEqual([
    { step: 'identify', from: 0, took: 0.5 },
    { step: 'policy', from: 0.5, took: 1 },
    { step: 'upstream', from: 1.5, took: 80.5 },
  ])
  expect(timingsOf(event())).toEqual([])
})

test('a call is retried at the endpoint that it was made at', () => {
  const at = (toolset: string | undefined) => callAt(event({ details: { connection: 'web', toolset } }))
  expect(at(undefined)).toEqual({ tool: 'web__read' })
  expect(at('default')).toEqual({ tool: 'web__read' })
  expect(at('support')).toEqual({ tool: 'web__read', toolset: 'support' })
  expect(at('web')).toEqual({ tool: 'web__read', connection: 'web' })
  expect(callAt(event({ action: 'connection.change' }))).toBeUndefined()
})
