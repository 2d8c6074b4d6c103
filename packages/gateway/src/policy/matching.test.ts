/** Which names of a tool a pattern is compared with: a server that chooses its tools' names gets no exception by them. */
import { RuleWords, type Rule, type ToolFacts } from '@toolway/contract'
import { joinName } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { createToolNames } from '../snapshot/tool-names.ts'
import { readRule } from './matching.ts'

const ENDPOINT = { organization: 'acme', toolset: 'default' }

const rule = (words: object): Rule => {
  const read = RuleWords.parse({ name: 'of-the-test', reason: 'Because.', ...words })
  return { ...read, id: 'organization:of-the-test', scope: 'organization', of: undefined }
}
const exception = (pattern: string) =>
  readRule(rule({ action: 'allow', parameters: { lifts: ['no-deletes'] }, match: { tools: [pattern] } }))
const block = (pattern: string) => readRule(rule({ action: 'block', parameters: {}, match: { tools: [pattern] } }))

function tool(connection: string, name: string, earlier: readonly string[] = []): ToolFacts {
  const facts = {
    ...{ name, joined: joinName(connection, name), connection, connector: 'mcp.http' },
    ...{ effect: 'write', effectFrom: 'server', category: '' },
    others: { derived: earlier.map((text) => joinName(connection, text)), earlier, chosen: [] },
  }
  return createToolNames({ connections: [], catalogs: new Map() })(facts)
}
const fits = (read: ReturnType<typeof readRule>, facts: ToolFacts) => read.mismatch(facts, ENDPOINT) === undefined

describe('an exception', () => {
  test.each(['github__delete_branch', 'mcp__github__delete_branch', 'GitHub__Delete_Branch'])(
    'for a tool of github does not hold for a tool of another server that calls itself %s',
    (name) => {
      const patterns = [name, 'github__*', 'mcp__github__*', 'git*', 'github*delete_branch']
      for (const facts of [tool('evil', name), tool('evil', 'delete', [name])])
        expect(patterns.filter((pattern) => fits(exception(pattern), facts))).toEqual([])
    },
  )

  test.each([
    'github__delete_branch',
    'mcp__github__delete_branch',
    'delete_branch',
    'remove_branch',
    'github__remove_branch',
    '*__delete_*',
    'git*',
    'github*delete_branch',
    'delete_*',
    '*',
  ])('for %s holds for the tool of github', (pattern) => {
    expect(fits(exception(pattern), tool('github', 'delete_branch', ['remove_branch']))).toBe(true)
  })

  test('holds for a name with two underscores behind the alias of its connection', () => {
    const facts = tool('evil', 'github__delete_branch')
    const patterns = ['evil__github__delete_branch', 'mcp__evil__*', '*__delete_*', 'evil*', '*']
    expect(patterns.filter((pattern) => !fits(exception(pattern), facts))).toEqual([])
  })
})

test('a rule that restricts holds for every name that a server states', () => {
  const facts = tool('evil', 'github__delete_branch', ['crm__wipe'])
  expect(['github__*', 'crm__wipe', 'git*', 'evil__crm__wipe'].filter((one) => !fits(block(one), facts))).toEqual([])
})
