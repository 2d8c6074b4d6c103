import { Fault } from '@toolway/contract'
import { expect, test } from 'vitest'
import { outcomeOfFault } from './fault-outcome.ts'

const connection = 'crm'
const resting = {
  connection,
  problem: 'nothing is listening there',
  failures: 5,
  seconds: 9,
  until: '2026-11-22T10:00:00Z',
}

test('an outage of a server or of the database is a failure, not a refusal', () => {
  const outages = [
    new Fault('upstream.resting', resting),
    new Fault('upstream.unreachable', { connection, problem: 'nothing is listening there' }),
    new Fault('upstream.given-up', { connection, failures: 4, problem: 'it exits' }),
    new Fault('upstream.needs-auth', { connection, problem: 'HTTP 401' }),
    new Fault('authority.unreachable', { connection, problem: 'nothing is listening there' }),
    new Fault('upstream.timeout', { connection, seconds: 60 }),
    new Fault('database.unavailable', { problem: 'nothing is listening there' }),
  ]
  expect(outages.map(outcomeOfFault)).toEqual(outages.map(() => 'failed'))
})

test('what the gateway decides is a refusal', () => {
  const refusals = [
    new Fault('policy.blocked', { tool: 'drop', reason: 'never' }),
    new Fault('upstream.disabled', { connection }),
    new Fault('egress.refused', { connection }),
    new Fault('limit.connection', { connection, limit: 60, seconds: 2 }),
    new Fault('credential.needed', { connection, problem: 'none yet', link: 'http://x', minutes: 10 }),
  ]
  expect(refusals.map(outcomeOfFault)).toEqual(refusals.map(() => 'refused'))
})

test('a call that its client gave up is cancelled', () => {
  expect(outcomeOfFault(new Fault('call.cancelled', {}))).toBe('cancelled')
})
