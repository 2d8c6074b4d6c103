import type { ConnectionId } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { ANYWHERE, createTaskLedger } from './task-ledger.ts'

const place = { alias: 'a', connectionId: 'con_a' as ConnectionId }
const other = { alias: 'b', connectionId: 'con_b' as ConnectionId }
const idsOf = (ledger: ReturnType<typeof createTaskLedger>, principal: string, holder = 's1') =>
  ledger.list(principal, holder).map(({ taskId }) => taskId)

describe('the tasks that were handed out', () => {
  test('are listed to their principal, oldest first, once each, and to nobody else', () => {
    const ledger = createTaskLedger()
    for (const id of ['t1', 't2', 't1']) ledger.hand('ada', place, id, ANYWHERE)
    ledger.hand('bob', place, 't3', ANYWHERE)
    expect(idsOf(ledger, 'ada')).toEqual(['t1', 't2'])
    expect(idsOf(ledger, 'bob')).toEqual(['t3'])
    expect(idsOf(ledger, 'eve')).toEqual([])
    expect(ledger.knows('ada', place, 't1')).toBe(true)
    expect(ledger.knows('ada', other, 't1')).toBe(false)
    expect(ledger.knows('bob', place, 't1')).toBe(false)
  })

  test('of a session are listed in that session', () => {
    const ledger = createTaskLedger()
    ledger.hand('ada', place, 't1', 's1')
    ledger.hand('ada', place, 't2', 's2')
    ledger.hand('ada', place, 't3', ANYWHERE)
    expect(idsOf(ledger, 'ada', 's1')).toEqual(['t1', 't3'])
    expect(idsOf(ledger, 'ada', 's2')).toEqual(['t2', 't3'])
  })

  test('are bounded for each principal: the oldest of its own go', () => {
    const ledger = createTaskLedger({ ofOne: 2, all: 100 })
    ledger.hand('bob', place, 'b1', ANYWHERE)
    for (const id of ['t1', 't2', 't3']) ledger.hand('ada', place, id, ANYWHERE)
    expect(idsOf(ledger, 'ada')).toEqual(['t2', 't3'])
    expect(idsOf(ledger, 'bob')).toEqual(['b1'])
  })

  test('are bounded in all: whoever was given one longest ago loses its oldest', () => {
    const ledger = createTaskLedger({ ofOne: 100, all: 3 })
    ledger.hand('ada', place, 'a1', ANYWHERE)
    ledger.hand('bob', place, 'b1', ANYWHERE)
    ledger.hand('ada', place, 'a2', ANYWHERE)
    ledger.hand('cid', place, 'c1', ANYWHERE)
    expect(ledger.size).toBe(3)
    expect(idsOf(ledger, 'bob')).toEqual([])
    expect(idsOf(ledger, 'ada')).toEqual(['a1', 'a2'])
  })

  test('leave nothing behind when they are forgotten', () => {
    const ledger = createTaskLedger()
    ledger.hand('ada', place, 't1', ANYWHERE)
    ledger.forget('ada', place, 't1')
    ledger.forget('ada', place, 't1')
    expect(ledger.size).toBe(0)
    expect(idsOf(ledger, 'ada')).toEqual([])
  })
})
