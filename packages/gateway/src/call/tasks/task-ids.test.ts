import type { ConnectionId } from '@toolway/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createVault } from '../../vault/vault.ts'
import { bindTaskId, releaseTaskId } from './task-ids.ts'

const signer = createVault(Buffer.alloc(32, 1))
const place = (alias: string, id = `con_${alias}`) => ({ alias, connectionId: id as ConnectionId })
const one = place('one')
const bound = bindTaskId(signer, 'ada', one, 'task-1')

describe('the name of a task', () => {
  test('leads its principal to the server’s own task, whatever that is called', () => {
    fc.assert(
      fc.property(fc.string(), (id) => {
        const name = bindTaskId(signer, 'ada', one, id)
        expect(name).toMatch(/^[\w.-]+$/)
        const wellFormed = Buffer.from(id).toString()
        expect(releaseTaskId(signer, 'ada', [place('two'), one], name)).toEqual({ place: one, taskId: wellFormed })
      }),
    )
  })

  test('is the same each time, and in every process', () => {
    expect(bindTaskId(createVault(Buffer.alloc(32, 1)), 'ada', one, 'task-1')).toBe(bound)
  })

  test.each([
    ['another principal', 'bob', [one]],
    ['an endpoint without its connection', 'ada', [place('two')]],
    ['another connection that took its alias', 'ada', [place('one', 'con_other')]],
  ])('means nothing to %s', (_, principal, places) => {
    expect(releaseTaskId(signer, principal, places, bound)).toBeUndefined()
  })

  test('means nothing when it was made up, changed, or made by another gateway', () => {
    const made = bindTaskId(createVault(Buffer.alloc(32, 2)), 'ada', one, 'task-1')
    const changed = Array.from(
      bound,
      (character, at) => bound.slice(0, at) + (character === 'A' ? 'B' : 'A') + bound.slice(at + 1),
    )
    const doubled = [`${bound}.`, `${bound}.x`, ` ${bound}`, bound.repeat(2), bound.slice(0, -1)]
    for (const other of ['', '.', '..', 'task-1', 'one.task-1.', made, 'x'.repeat(5_000), ...changed, ...doubled])
      expect(releaseTaskId(signer, 'ada', [one], other)).toBeUndefined()
  })
})
