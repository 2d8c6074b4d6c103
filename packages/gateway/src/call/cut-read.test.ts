/** The sentences about a request that was cut off. */
import { Fault } from '@toolway/contract'
import { expect, test } from 'vitest'
import { onlyReads, withoutDoubt } from './cut-read.ts'

test.each([
  new Fault('upstream.lost', { connection: 'notes' }, { cause: 'x' }),
  new Fault('upstream.ended', { connection: 'notes', problem: 'it used too much memory' }),
  new Fault('session.ended'),
  new Fault('gateway.draining-cut'),
])('a read that was cut off does not say that it may have taken effect: $code', (fault) => {
  expect(fault.message).toContain('may have taken effect')
  const said = withoutDoubt(fault) as Fault
  expect([said.code, said.facts, said.cause]).toEqual([fault.code, fault.facts, fault.cause])
  expect(`${said.message} ${said.mend}`).not.toMatch(/effect/)
  expect(said.mend).toMatch(/You can make the call again: it only reads\.$/)
  expect(said).toBeInstanceOf(Fault)
})

test('other failures stay as they are', () => {
  const timeout = new Fault('upstream.timeout', { connection: 'notes', seconds: 3 })
  expect(withoutDoubt(timeout)).toBe(timeout)
  const error = new Error('The call may have taken effect.')
  expect(withoutDoubt(error)).toBe(error)
})

test.each([
  ['tools/call', 'read', true],
  ['tools/call', 'write', false],
  ['tools/call', undefined, false],
  ['resources/read', undefined, true],
])('%s of a tool whose effect is %s: only reads is %s', (method, effect, reads) => {
  expect(onlyReads({ target: { effect } } as never, { method })).toBe(reads)
})
