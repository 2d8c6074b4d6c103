import { describe, expect, test } from 'vitest'
import { createRuleBook } from './rule-book.ts'

const rule = (id: string, tool_name_pattern: string, more: object = {}) => ({
  ...{ id, tool_name_pattern, action: 'block' as const, reason: id, connector_type: null, active: true },
  ...more,
})

describe('a book of rules', () => {
  const judge = (rules: Parameters<typeof createRuleBook>[0], name: string, connector = 'mcp.http') =>
    createRuleBook(rules).judge(connector, name, `git__${name}`)?.id

  test('finds the rule by the own name or by the joined one, in any case', () => {
    expect(judge([rule('a', '*_delete_*')], 'repo_delete_x')).toBe('a')
    // The joined name has the `_` in front that the own one lacks.
    expect(judge([rule('a', '*_delete_*')], 'delete_x')).toBe('a')
    expect(judge([rule('a', '*_delete_*')], 'REPO_DELETE_X')).toBe('a')
    expect(judge([rule('a', 'GIT__Read')], 'read')).toBe('a')
    expect(judge([rule('a', 'read')], 'read')).toBe('a')
    expect(judge([rule('a', 'read')], 'reader')).toBeUndefined()
    expect(judge([], 'read')).toBeUndefined()
  })

  test('takes the strictest, and of several the oldest', () => {
    const warn = rule('w', '*', { action: 'warn' })
    expect(judge([warn, rule('b', 'read'), rule('c', 'r*')], 'read')).toBe('b')
    expect(judge([warn, rule('b', 'read', { active: false })], 'read')).toBe('w')
  })

  test('keeps to the connector that a rule names', () => {
    const rules = [rule('p', '*', { connector_type: 'mcp.process' })]
    expect(judge(rules, 'read')).toBeUndefined()
    expect(judge(rules, 'read', 'mcp.process')).toBe('p')
    const { concerns } = createRuleBook(rules)
    expect([concerns('mcp.http'), concerns('mcp.process')]).toEqual([false, true])
  })
})
