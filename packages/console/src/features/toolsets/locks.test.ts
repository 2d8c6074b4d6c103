import { RuleWords, type ToolsetSettings } from '@toolway/contract'
import { expect, test } from 'vitest'
import { countLocks, lockOf, readValue, withLock } from './locks.ts'

const settings: ToolsetSettings = { include: ['*'], exclude: [] }
const about = { tool: 'a__read', argument: 'file.name', reason: 'The toolset fixes file.name.' }

test('an argument is fixed by a rule of the toolset, changed in place and freed again', () => {
  const fixed = withLock(settings, about, { as: 'fixed', value: 7 })
  expect(lockOf(fixed, 'a__read', 'file.name')).toMatchObject({ as: 'fixed', value: 7 })
  expect(fixed.rules?.map((rule) => RuleWords.parse(rule).name)).toEqual(['fix-a__read-file.name'])
  expect(fixed.rules?.[0]?.parameters).toMatchObject({ parameter: String.raw`file\.name` })
  expect(countLocks(fixed, 'a__read')).toBe(1)
  expect(lockOf(fixed, 'a__read', 'file')).toBeUndefined()
  const changed = withLock(fixed, about, { as: 'default', value: 8 })
  expect(changed.rules).toHaveLength(1)
  expect(withLock(changed, about, undefined)).toEqual(settings)
})

test('rules that say more stay as they are, and no name is given twice', () => {
  const base = {
    name: 'fix-a__read-file.name',
    action: 'lock',
    reason: 'Because.',
    parameters: { parameter: 'x', value: 1 },
  }
  const other = RuleWords.parse({ ...base, match: { tools: ['a__read'], when: 'true' } })
  const next = withLock({ ...settings, rules: [other] }, about, { as: 'fixed', value: 'v' })
  expect(next.rules?.map(({ name }) => name)).toEqual(['fix-a__read-file.name', 'fix-a__read-file.name-2'])
  expect(countLocks({ ...settings, rules: [other] }, 'a__read')).toBe(0)
})

test.each([
  ['12', 'string', '12'],
  ['12', 'integer', 12],
  ['1.5', 'integer', undefined],
  ['true', 'boolean', true],
  ['x', 'boolean', undefined],
  ['["a"]', 'array of string', ['a']],
  ['"a"', 'array of string', undefined],
  ['word', 'string or null', 'word'],
  ['null', 'string or null', null],
])('%s as %s is %j', (text, type, value) => {
  expect(readValue(text, type)).toEqual(value)
})
