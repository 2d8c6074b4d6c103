import { expect, test } from 'vitest'
import { nearest, nearestNames } from './nearest-names.ts'
import { within } from '../../../../test/setup/form.ts'

const NAMES = ['git__create_issue', 'git__close_issue', 'git__list_issues', 'mail__send_message', 'x']

test.each([
  ['git__craete_issue', ['git__create_issue']],
  ['GIT-CREATE-ISSUE', ['git__create_issue', 'git__close_issue']],
  ['send_message', ['mail__send_message']],
  ['mail__send_mesage', ['mail__send_message']],
  ['zebra', []],
  ['', ['x']],
])('the nearest to %j', (written, near) => {
  expect(nearestNames(written, NAMES).slice(0, near.length || 1)).toEqual(near)
})

test('are three at most, and asked for in no time whatever is written', () => {
  const names = Array.from({ length: 10_000 }, (_, at) => `alias__tool_${at}`)
  const begun = performance.now()
  expect(nearestNames('alias__tool_', names)).toHaveLength(3)
  expect(nearestNames('y'.repeat(1_000_000), names)).toEqual([])
  expect(performance.now() - begun).toBeLessThan(within(5_000))
})

test('the nearest of several words is the one with the fewest changes, if they are few', () => {
  expect(nearest('conection', ['connection', 'collection'])).toBe('connection')
  expect(nearest('CALL', ['tools', 'call'])).toBe('call')
  expect(nearest('x', ['connection'])).toBeUndefined()
  expect(nearest('anything', [])).toBeUndefined()
})
