/** An explanation names the rule, the fact, and a change that would let the call pass, and all of it is true. */
import type { Facts, Rule } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { ENDPOINT, testFacts, testRule, TOOL } from '../testing/rules.ts'
import { createPolicy } from './compile.ts'
import { explain } from './explain.ts'

const explained = (rules: readonly Rule[], facts: Facts, groups: readonly string[] = []) =>
  explain({ policy: createPolicy(rules), tool: TOOL, endpoint: ENDPOINT, schema: undefined, facts, groups })
const first = (rules: readonly Rule[], facts: Facts, groups?: readonly string[]) => {
  const [one] = explained(rules, facts, groups).rules
  if (one === undefined) throw new Error('no rule was explained')
  return one
}

describe('a rule that does not speak', () => {
  test.each([
    [
      'toolset',
      testRule({ action: 'block' }, { scope: 'toolset', of: 'other' }),
      'It applies in the toolset other; this is default.',
    ],
    [
      'connection',
      testRule({ action: 'block' }, { scope: 'connection', of: 'x' }),
      'to the connection x; this tool belongs to git',
    ],
    [
      'connector',
      testRule({ action: 'block', match: { connectors: ['openapi'] } }),
      'matches openapi; the connection is mcp.http',
    ],
    ['effect', testRule({ action: 'block', match: { effects: ['read'] } }), 'effect read; this tool is destructive'],
    ['category', testRule({ action: 'block', match: { categories: ['x*'] } }), 'categories x*; this tool has none'],
    [
      'tool',
      testRule({ action: 'block', match: { tools: ['a*', 'b*'] } }),
      'a*, b* match neither delete_branch nor git__delete_branch',
    ],
    [
      'organization',
      testRule({ action: 'block', match: { organizations: ['beta'] } }, { scope: 'platform' }),
      'matches beta; this is acme',
    ],
    [
      'member',
      testRule({ action: 'block' }, { scope: 'member', of: 'eve@acme.test' }),
      'the caller is maria@acme.test',
    ],
    ['key', testRule({ action: 'block' }, { scope: 'key', of: 'ci' }), 'to the key ci; the caller has none'],
    ['parameter', testRule({ action: 'block', match: { parameter: 'force' } }), 'There is no argument force.'],
    [
      'when',
      testRule({ action: 'block', match: { when: 'args.limit > 100' } }),
      'Its condition is false: args.limit > 100',
    ],
  ])('says which part says no: %s', (because, rule, why) => {
    expect(first([rule], testFacts({ limit: 5 }))).toMatchObject({
      speaks: 'no',
      because,
      why: expect.stringContaining(why),
    })
  })

  test('without arguments says that it depends on them', () => {
    const rule = testRule({ action: 'block', match: { when: 'args.limit > 100' } })
    expect(first([rule], testFacts())).toMatchObject({ speaks: 'unknown', because: 'arguments' })
  })
})

describe('a rule that speaks', () => {
  test('shows the values that its condition read, and what alone would make it pass', () => {
    const rule = testRule({
      name: 'no-mass',
      action: 'block',
      match: { when: `args.limit > 100 && principal.role != 'tenant_admin' && !('finance' in principal.groups)` },
    })
    const { rules, passes, verdict } = explained([rule], testFacts({ limit: 500 }))
    expect(rules[0]).toMatchObject({ speaks: 'yes', follows: 'the call is refused.' })
    expect(rules[0]?.reads).toEqual([
      { what: 'args.limit', value: 500 },
      { what: 'principal.role', value: 'tenant_member' },
      { what: 'principal.groups', value: ['sales'] },
    ])
    expect(verdict).toMatchObject({ action: 'block', rule: { name: 'no-mass' } })
    expect(passes).toEqual(
      expect.arrayContaining([
        'limit = 100',
        'the role tenant_admin',
        'membership of the group finance',
        'an exception of the organization (action allow, lifts: [no-mass])',
      ]),
    )
    expect(passes.join()).not.toContain('limit = 101')
  })

  test('of values says where, why and which would do', () => {
    const rule = testRule({ action: 'reject', parameters: { parameter: 'limit', max: 50 } })
    expect(first([rule], testFacts({ limit: 500 }))).toMatchObject({
      follows: 'the call is refused: /limit 500 exceeds the allowed maximum of 50.',
      passes: expect.arrayContaining(['limit = 50', 'no limit']),
    })
    const clamp = testRule({ action: 'clamp', parameters: { parameter: 'limit', max: 50 } })
    expect(first([clamp], testFacts({ limit: 500 }))).toMatchObject({ follows: '/limit 500 becomes 50.', passes: [] })
    expect(first([clamp], testFacts({ limit: 5 }))).toMatchObject({ follows: 'the arguments are not changed.' })
  })

  test('and asks for an approval names everybody who may give it', () => {
    const by = { groups: ['ops'], webhooks: ['whk_1'], self: true }
    const rule = testRule({ action: 'approve', parameters: { by } })
    expect(first([rule], testFacts({})).follows).toBe(
      'the call waits for the group ops, the webhook whk_1, the caller.',
    )
  })

  test('and is lifted names the exception', () => {
    const block = testRule({ name: 'no-deletes', action: 'block' })
    const exception = testRule({
      name: 'ops',
      action: 'allow',
      reason: 'On call',
      parameters: { lifts: ['no-deletes'] },
    })
    const { rules, verdict } = explained([block, exception], testFacts({}))
    expect(rules).toMatchObject([
      { speaks: 'lifted', because: 'ops', why: expect.stringContaining('On call') },
      { speaks: 'yes', follows: 'it lifts no-deletes.' },
    ])
    expect(verdict.action).toBe('allow')
  })

  test('in the shadow says what it would do, and that it does nothing', () => {
    const rule = testRule({ action: 'block', state: 'shadow' })
    const { rules, verdict, passes } = explained([rule], testFacts({}))
    expect(rules[0]?.follows).toBe('Nothing, because the rule is in shadow mode. Turned on: the call is refused.')
    expect([verdict.action, passes]).toEqual(['allow', []])
  })

  test('because its condition has no answer says so', () => {
    const rule = testRule({ action: 'block', match: { when: 'args.limit > 100' } })
    expect(first([rule], testFacts({}))).toMatchObject({
      speaks: 'yes',
      why: expect.stringContaining('Its condition could not be evaluated'),
      reads: [{ what: 'args.limit', value: undefined }],
    })
  })

  test('beside another that refuses too passes alone, and the whole call does not', () => {
    const rules = [testRule({ name: 'one', action: 'block' }), testRule({ name: 'two', action: 'block' })]
    const { rules: told, passes } = explained(rules, testFacts({}))
    expect(told.map((one) => one.passes)).toEqual([
      ['an exception of the organization (action allow, lifts: [one])'],
      ['an exception of the organization (action allow, lifts: [two])'],
    ])
    expect(passes).toEqual([])
  })
})
