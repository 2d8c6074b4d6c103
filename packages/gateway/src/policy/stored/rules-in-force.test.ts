import { ANYBODY, newId, type ToolFacts } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { createPolicy } from '../compile.ts'
import type { Kept } from './read-rule.ts'
import { createPlatformRules, inForce, storedOfToolsets } from './rules-in-force.ts'

const tool = (name: string, more: Partial<ToolFacts> = {}): ToolFacts => ({
  ...{ name, joined: `git__${name}`, connection: 'git', connector: 'mcp.http', effect: 'read' },
  ...{ effectFrom: 'server', category: '' },
  ...more,
})
const kept = (more: Partial<Kept>): Kept => ({
  ...{ id: 'rul_1', scope: 'organization', of: undefined, name: 'a', match: {}, action: 'block' },
  ...{ parameters: {}, reason: 'Because.', state: 'on' },
  ...more,
})
const said = (rules: readonly Kept[], of: ToolFacts, toolset = '') =>
  createPolicy(inForce(rules).rules).of(of, { organization: 'acme', toolset })?.decide(ANYBODY).action

describe('a rule that cannot be read', () => {
  test('blocks what it speaks of, as far as that can be told', () => {
    const broken = { action: 'enchant' }
    expect(said([kept(broken)], tool('x'))).toBe('block')
    expect(said([kept({ ...broken, match: { tools: ['x'] } })], tool('y'))).toBeUndefined()
    expect(said([kept({ ...broken, scope: 'toolset', of: 'work' })], tool('x'))).toBeUndefined()
    expect(said([kept({ ...broken, scope: 'toolset', of: 'work' })], tool('x'), 'work')).toBe('block')
    expect(said([kept({ ...broken, scope: 'connection', of: 'git' })], tool('x'))).toBe('block')
    expect(said([kept({ ...broken, scope: 'connection', of: 'hub' })], tool('x'))).toBeUndefined()
    // Its match cannot be known, so it matches everything.
    expect(said([kept({ match: { mystery: 1 } })], tool('x'))).toBe('block')
    expect(said([kept({ match: null, name: 7, reason: 9 })], tool('x'))).toBe('block')
    // Its condition does not narrow it any more.
    expect(said([kept({ ...broken, match: { when: 'false' } })], tool('x'))).toBe('block')
  })

  test('with a condition or a pattern that cannot be read blocks, and is told of', () => {
    const rules = [kept({ match: { when: 'no such(' } })]
    expect(said(rules, tool('x'))).toBe('block')
    expect(inForce(rules).troubles).toEqual([
      {
        id: 'rul_1',
        name: 'a',
        scope: 'organization',
        of: undefined,
        problem: expect.stringMatching(/^\/match\/when /),
      },
    ])
    const pattern = [kept({ action: 'reject', parameters: { parameter: 'x', pattern: '(' } })]
    expect(said(pattern, tool('x'))).toBe('block')
  })

  test('lifts nothing where it is an exception, and does nothing where it is off or only watches, and is told of all the same', () => {
    const lifts = { action: 'allow', parameters: { lift: ['b'] } }
    for (const quiet of [lifts, { action: 'x', state: 'off' as const }, { action: 'x', state: 'shadow' as const }]) {
      const { rules, troubles } = inForce([kept(quiet)])
      expect([rules, troubles.length]).toEqual([[], 1])
    }
    expect(said([kept({ name: 'b' }), kept(lifts)], tool('x'))).toBe('block')
  })
})

test('rules of a toolset are known by their place, and what is no rule there blocks it', () => {
  const rules = [{ name: 'a', action: 'warn', reason: 'x' }, 'nonsense'] as never
  const held = storedOfToolsets([
    { slug: 'work', settings: { rules } },
    { slug: 'odd', settings: { rules: 'none' as never } },
    { slug: 'plain', settings: {} },
  ])
  expect(held.map(({ id, of }) => [id, of])).toEqual([
    ['toolsets.work.rules.a', 'work'],
    ['toolsets.work.rules.1', 'work'],
    ['toolsets.odd.rules.0', 'odd'],
  ])
  for (const toolset of ['work', 'odd']) expect(said(held, tool('x'), toolset)).toBe('block')
  expect(said(held, tool('x'), 'plain')).toBeUndefined()
})

test('S3-POLY-02: rules of the platform are asked for when they are loaded, and never for a call', async () => {
  let queries = 0
  const at = new Date(0)
  const row = {
    ...{ id: newId('rul'), name: 'a', match: { tools: ['x*'] }, action: 'block', parameters: {}, reason: 'No.' },
    ...{ state: 'on' as const, origin: 'administration', created_by: 'usr_1', created_at: at, updated_at: at },
  }
  const platform = createPlatformRules({
    list: () => {
      queries++
      return Promise.resolve([row])
    },
  })
  expect(platform.inForce.rules).toEqual([])
  await platform.load()
  const policy = createPolicy(platform.inForce.rules)
  for (let times = 0; times < 100; times++)
    expect(policy.of(tool('x1'), { organization: 'acme', toolset: '' })?.decide(ANYBODY).rule?.id).toBe(row.id)
  expect(queries).toBe(1)
})
