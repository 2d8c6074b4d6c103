import { RuleWords, type Rule, type RuleScope } from '@toolway/contract'
import { expect, test } from 'vitest'
import { createPolicy } from './compile.ts'

const rule = (name: string, words: object, scope: RuleScope = 'organization', of?: string): Rule => {
  const read = RuleWords.parse({ name, reason: 'Because.', ...words })
  return { ...read, id: `${scope}:${name}`, scope, of }
}
const tool = (name: string, connection = 'erp') => ({
  ...{ name, joined: `${connection}__${name}`, connection, connector: 'mcp.http' },
  ...{ effect: 'read', effectFrom: 'default', category: '' },
})
const ENDPOINT = { organization: 'acme', toolset: 'default' }
const warn = (match: object = {}) => ({ action: 'warn', parameters: {}, match })

test('a thousand tools under three hundred rules share the lists of their rules', () => {
  const policy = createPolicy(Array.from({ length: 300 }, (_, at) => rule(`rule-${at}`, warn())))
  const placed = Array.from({ length: 1000 }, (_, at) => policy.of(tool(`tool_${at}`), ENDPOINT, {}))
  expect(placed[0]?.placed).toHaveLength(300)
  expect(new Set(placed.map((own) => own?.placed)).size).toBe(1)
  expect(new Set(placed.map((own) => own?.rules)).size).toBe(1)
})

test('only a rule whose value stands in the arguments is made for each tool, with the bounds of its schema', () => {
  const clamp = { action: 'clamp', parameters: { parameter: 'limit', max: 50 } }
  const policy = createPolicy([rule('warn', warn()), rule('clamp', clamp)])
  const schemaOf = (maximum: number) => ({ properties: { limit: { type: 'integer', maximum } } })
  const [first, second] = [10, 20].map((most) => policy.of(tool(`most_${most}`), ENDPOINT, schemaOf(most)))
  expect(first?.placed[0]).toBe(second?.placed[0])
  expect([first?.placed[1]?.bounds.max, second?.placed[1]?.bounds.max]).toEqual([10, 20])
})

test('connections, toolsets and organizations keep their own rules, in whatever order they are asked for', () => {
  const policy = createPolicy([
    rule('of-erp', warn(), 'connection', 'erp'),
    rule('of-work', warn(), 'toolset', 'work'),
    rule('of-beta', warn({ organizations: ['beta'] }), 'platform'),
    rule('of-processes', warn({ connectors: ['mcp.process'] })),
    rule('of-exports', warn({ tools: ['*export*'] })),
  ])
  const namesOf = (name: string, connection: string, endpoint: typeof ENDPOINT) =>
    policy.of(tool(name, connection), endpoint)?.rules.map((own) => own.name) ?? []
  for (let times = 0; times < 2; times++) {
    expect(namesOf('export_all', 'erp', ENDPOINT)).toEqual(['of-exports', 'of-erp'])
    expect(namesOf('list', 'erp', ENDPOINT)).toEqual(['of-erp'])
    expect(namesOf('list', 'crm', ENDPOINT)).toEqual([])
    expect(namesOf('list', 'crm', { ...ENDPOINT, toolset: 'work' })).toEqual(['of-work'])
    expect(namesOf('list', 'crm', { ...ENDPOINT, organization: 'beta' })).toEqual(['of-beta'])
  }
  expect(policy.concerns({ connection: 'erp', connector: 'mcp.http' }, ENDPOINT)).toBe(true)
  expect(policy.concerns({ connection: 'crm', connector: 'mcp.process' }, ENDPOINT)).toBe(true)
})

test('a tool is looked at once for all endpoints, and anew when something that rules ask of it has changed', () => {
  const policy = createPolicy([
    rule('reads', warn({ effects: ['read'] })),
    rule('renamed', warn({ tools: ['reports'] })),
    rule('of-work', warn({ effects: ['write'] }), 'toolset', 'work'),
  ])
  const schema = { type: 'object' }
  const read = tool('list')
  const first = policy.of(read, ENDPOINT, schema)
  expect(first?.rules.map(({ name }) => name)).toEqual(['reads'])
  expect(policy.of({ ...read }, { ...ENDPOINT, toolset: 'other' }, schema)).toBe(first)
  expect(policy.of(read, ENDPOINT, { ...schema })).not.toBe(first)
  const write = { ...read, effect: 'write' }
  expect(policy.of(write, ENDPOINT, schema)).toBeUndefined()
  expect(policy.of(write, { ...ENDPOINT, toolset: 'work' }, schema)?.rules.map(({ name }) => name)).toEqual(['of-work'])
  expect(policy.of(write, ENDPOINT, schema)).toBeUndefined()
  const others = { derived: [], earlier: [], chosen: ['reports'] }
  expect(policy.of({ ...write, others }, ENDPOINT, schema)?.rules.map(({ name }) => name)).toEqual(['renamed'])
  expect(policy.of(read, ENDPOINT, schema)?.rules.map(({ name }) => name)).toEqual(['reads'])
})
