import type { OrganizationTool } from '@toolway/contract/admin'
import { expect, test } from 'vitest'
import { shownTools, tokensOf } from './tool-filter.ts'

const tool = (name: string, more: Partial<OrganizationTool> = {}): OrganizationTool => ({
  ...{ name, joined_name: `a__${name}`, rule_name: `a__${name}`, title: null, description: null, effect: 'read' },
  ...{ effect_from: 'server', stated_effect: 'read' },
  ...{ approval: 'none', enabled: true, hidden_by: null, rule: null, connection: 'con_a', alias: 'a' },
  ...{ connector: 'mcp.http', tokens: 10, marks: [] },
  ...more,
})
const tools = [
  tool('one', { tokens: 5, description: 'Finds a Whale.' }),
  tool('two', { effect: 'write', hidden_by: 'switch', marks: ['name'] }),
  tool('three', { alias: 'b', hidden_by: 'rule' }),
  tool('four', { alias: 'c', effect: 'write', effect_from: 'unknown', tokens: 1 }),
]
const names = (wanted: Partial<Parameters<typeof shownTools>[1]>) =>
  shownTools(tools, { q: '', sort: 'name', ...wanted } as never).map(({ name }) => name)

test('tools are found by what they are called and say, and by what they are', () => {
  expect(names({})).toEqual(['one', 'two', 'three', 'four'])
  expect(names({ q: ' whale ' })).toEqual(['one'])
  expect(names({ effect: 'write' })).toEqual(['two'])
  expect(names({ effect: 'unknown' })).toEqual(['four'])
  expect(names({ connection: 'b' })).toEqual(['three'])
  expect(names({ state: 'on' })).toEqual(['one', 'four'])
  expect(names({ state: 'hidden' })).toEqual(['three'])
  expect(names({ sort: 'tokens' })).toEqual(['two', 'three', 'one', 'four'])
  expect(names({ sort: 'marks' })[0]).toBe('two')
  expect(tokensOf(tools)).toBe(26)
})
