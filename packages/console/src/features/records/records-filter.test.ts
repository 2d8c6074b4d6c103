import { expect, test } from 'vitest'
import { readState } from '../../data/url-state.ts'
import { isNarrowed, isOver, queryOf, RecordsState, spanOf } from './records-filter.ts'

const NOW = Date.parse('2026-11-22T10:20:30.000Z')
const stateOf = (search: Record<string, string>) => readState(RecordsState, search)

test('the last day is looked at when nothing is said, to the minute', () => {
  expect(spanOf(stateOf({}), NOW)).toEqual({ start: '2026-11-21T10:20:00.000Z', end: undefined })
  expect(spanOf(stateOf({ range: 'all' }), NOW)).toEqual({ start: undefined, end: undefined })
  expect(spanOf(stateOf({ range: 'gone' }), NOW).start).toBe('2026-11-21T10:20:00.000Z')
})

test('a list that stands still ends there, or where its range ends if that is before', () => {
  const until = '2026-11-22T10:00:00.000Z'
  expect(queryOf(stateOf({ until }), NOW)).toMatchObject({ end: until, offset: 0, limit: 50 })
  const custom = { range: 'custom', from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z', until }
  expect(queryOf(stateOf(custom), NOW)).toMatchObject({
    start: '2026-11-20T00:00:00.000Z',
    end: '2026-11-21T00:00:00.000Z',
  })
})

test('what the address says of records goes along, and what does not fit is as if it were absent', () => {
  const state = stateOf({ tool: 'web__read', actor_id: 'usr_1', outcome: 'gone', correlation_id: 'c-1', offset: '50' })
  expect(queryOf(state, NOW)).toMatchObject({ tool: 'web__read', actor_id: 'usr_1', correlation_id: 'c-1', offset: 50 })
  expect(queryOf(state, NOW).outcome).toBeUndefined()
  expect([isNarrowed(state), isNarrowed(stateOf({ range: 'week' }))]).toEqual([true, false])
})

test('a span is over when it ended before now', () => {
  const isOverNow = (search: Record<string, string>) => isOver(stateOf(search), NOW)
  expect(isOverNow({ range: 'yesterday' })).toBe(true)
  expect(isOverNow({ range: 'custom', from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' })).toBe(true)
  expect(isOverNow({ range: 'custom', from: '2020-01-01T00:00:00Z' })).toBe(false)
  expect(isOverNow({ range: 'day' })).toBe(false)
})

test('yesterday is the day before by the calendar of the browser, from midnight to midnight', () => {
  const { start, end } = spanOf(stateOf({ range: 'yesterday' }), NOW)
  const [from, to] = [new Date(start ?? ''), new Date(end ?? '')]
  for (const moment of [from, to]) expect([moment.getHours(), moment.getMinutes()]).toEqual([0, 0])
  expect(to.getTime()).toBeLessThanOrEqual(NOW)
  expect(NOW - to.getTime()).toBeLessThan(25 * 3_600_000)
  expect(to.getTime() - from.getTime()).toBeGreaterThanOrEqual(23 * 3_600_000)
})
