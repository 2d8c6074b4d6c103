import { RuleWords, type Facts, type Rule, type RuleScope } from '@toolway/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPolicy } from './compile.ts'

const TOOL = {
  ...{ name: 'search_assets', joined: 'cwr__search_assets', connection: 'cwr', connector: 'contract' },
  ...{ effect: 'read', effectFrom: 'connector', category: 'search' },
}
const ENDPOINT = { organization: 'acme', toolset: 'default' }
const PRINCIPAL: Facts['principal'] = {
  kind: 'user',
  ...{ id: 'usr_1', role: 'tenant_member', email: 'maria@acme.test', groups: ['finance'] },
  ...{ key: 'report', keyId: 'key_1', client: 'cursor', clientRegistered: true },
}
const facts = (args?: object): Facts => ({
  principal: PRINCIPAL,
  context: { organization: 'acme', toolset: 'default', time: '2026-11-22T10:00:00.000Z', address: '' },
  arguments: args as Facts['arguments'],
})

const rule = (words: object, scope: RuleScope = 'organization', of?: string): Rule => {
  const read = RuleWords.parse({ name: 'r', reason: 'Because.', ...words })
  return { ...read, id: `${scope}:${read.name}`, scope, of }
}
const evaluate = (rules: Rule[], args?: object, schema?: object) =>
  createPolicy(rules).of(TOOL, ENDPOINT, schema)?.decide(facts(args))

describe('a decision', () => {
  const clamp = (more: object = {}, name = 'c') =>
    rule({ name, action: 'clamp', parameters: { parameter: 'limit', max: 50, ...more } })

  test('S1-POL-02, S1-TST-05: what is too much is lowered, and what was changed is told', () => {
    expect(evaluate([clamp()], { limit: 500, q: 'x' })).toMatchObject({
      action: 'allow',
      arguments: { limit: 50, q: 'x' },
      changes: [{ place: '/limit', how: 'clamped', from: 500, to: 50 }],
    })
    const given = { limit: 3 }
    expect(evaluate([clamp()], given)?.arguments).toBe(given)
  })

  test.each<[string, object, object, object, unknown]>([
    ['the policy is stricter', { max: 50 }, { maximum: 1000 }, { limit: 500 }, 50],
    ['the contract is stricter', { max: 5000 }, { maximum: 1000 }, { limit: 4000 }, 1000],
    ['neither is reached', { max: 50 }, { maximum: 1000 }, { limit: 7 }, 7],
    ['a default is bounded too', { max: 50, default: 80 }, {}, {}, 50],
    ['a default is not needed', { max: 50, default: 20 }, {}, { limit: 10 }, 10],
    ['a lower bound', { min: 5 }, { minimum: 2 }, { limit: 1 }, 5],
    ['the contract has the higher lower bound', { min: 5 }, { minimum: 8 }, { limit: 1 }, 8],
    ['whole numbers stay whole', { max: 9.5 }, { type: 'integer' }, { limit: 20 }, 9],
    ['a text is left for the schema', { max: 50 }, { maximum: 1000 }, { limit: '500' }, '500'],
    ['null is left for the schema', { max: 50 }, {}, { limit: null }, null],
  ])(
    'S1-POL-01, S1-POL-07, U-06: the effective limit is the stricter of both: %s',
    (_, parameters, own, args, sent) => {
      const schema = { type: 'object', properties: { limit: { type: 'number', ...own } } }
      expect(evaluate([clamp({ max: undefined, ...parameters })], args, schema)?.arguments?.['limit']).toEqual(sent)
    },
  )

  test('several clamps are all kept; the upper bound holds where they contradict one another', () => {
    expect(evaluate([clamp({ max: 50 }, 'a'), clamp({ max: 20 }, 'b')], { limit: 99 })?.arguments).toEqual({
      limit: 20,
    })
    expect(evaluate([clamp({ max: 20 }, 'a'), clamp({ max: 50 }, 'b')], { limit: 99 })?.arguments).toEqual({
      limit: 20,
    })
  })

  test('a lock sends what it says, whatever is said, and nothing is added to the prototype of anything', () => {
    const lock = (parameter: string, value: unknown, as = 'fixed') =>
      rule({ name: 'l', action: 'lock', parameters: { parameter, value, as } })
    expect(evaluate([lock('org_id', 'acme')], { org_id: 'evil' })?.arguments).toEqual({ org_id: 'acme' })
    expect(evaluate([lock('filter.team', 'a')], {})?.arguments).toEqual({ filter: { team: 'a' } })
    expect(evaluate([lock('org_id', 'acme', 'default')], { org_id: 'x' })?.arguments).toEqual({ org_id: 'x' })
    expect(evaluate([lock('org_id', 'acme', 'default')], {})?.arguments).toEqual({ org_id: 'acme' })
    const sent = evaluate([lock('__proto__.polluted', true)], {})?.arguments
    expect(JSON.stringify(sent)).toBe('{"__proto__":{"polluted":true}}')
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('U-06: the strictest action holds, and of several the outermost is named', () => {
    const named = (action: string, scope: RuleScope, name = action) => rule({ name, action }, scope, of(scope))
    const all = [named('warn', 'platform'), named('approve', 'organization'), named('block', 'toolset', 'inner')]
    expect(evaluate(all, {})?.rule?.name).toBe('inner')
    expect(evaluate([...all, named('block', 'organization', 'outer')], {})?.rule?.name).toBe('outer')
    expect(evaluate([...all, named('hide', 'connection')], {})?.action).toBe('hide')
    expect(evaluate(all.slice(0, 2), {})?.action).toBe('approve')
    expect(evaluate(all.slice(0, 1), {})).toMatchObject({ action: 'warn', warnings: [{ name: 'warn' }] })
  })

  const of = (scope: RuleScope) =>
    ({ toolset: 'default', connection: 'cwr', member: 'maria@acme.test', key: 'key_1' })[scope as 'toolset']

  test.each<RuleScope>(['platform', 'organization', 'toolset', 'connection', 'member', 'key'])(
    'U-06: a rule of scope %s speaks of its own and of nobody else',
    (scope) => {
      expect(evaluate([rule({ action: 'block' }, scope, of(scope))], {})?.action).toBe('block')
      if (of(scope) !== undefined)
        expect(evaluate([rule({ action: 'block' }, scope, 'other')], {})?.action ?? 'allow').toBe('allow')
    },
  )

  test('an exception lifts what it names, as far as its writer may', () => {
    const block = (scope: RuleScope) => rule({ name: 'no', action: 'block' }, scope, of(scope))
    const except = (scope: RuleScope, more: object = {}) =>
      rule({ name: 'but', action: 'allow', parameters: { lifts: ['no'] }, ...more }, scope, of(scope))
    expect(evaluate([block('organization'), except('toolset')], {})?.action).toBe('allow')
    expect(evaluate([block('platform'), except('organization')], {})?.action).toBe('block')
    expect(evaluate([block('platform'), except('platform')], {})?.action).toBe('allow')
    expect(evaluate([block('organization'), except('platform')], {})?.action).toBe('allow')
    expect(evaluate([block('organization'), except('toolset', { state: 'shadow' })], {})).toMatchObject({
      action: 'block',
      shadows: [{ would: 'allow' }],
    })
    expect(
      evaluate([block('organization'), except('toolset', { match: { when: 'args.q == "ok"' } })], { q: 'no' })?.action,
    ).toBe('block')
  })

  test('a condition without an answer restricts, and lifts nothing', () => {
    const when = { match: { when: 'args.amount > 100' } }
    expect(evaluate([rule({ action: 'block', ...when })], {})?.action).toBe('block')
    expect(evaluate([rule({ action: 'block', ...when })], { amount: 5 })?.action).toBe('allow')
    const unreadable = { ...rule({ action: 'block' }), match: { tools: ['*'], when: 'args.amount >' } } as Rule
    expect(evaluate([unreadable], { amount: 5 })?.action).toBe('block')
    expect(createPolicy([unreadable]).problems).toHaveLength(1)
    const allow = rule({ name: 'a', action: 'allow', parameters: { lifts: ['r'] }, ...when })
    expect(evaluate([rule({ action: 'block' }), allow], {})?.action).toBe('block')
  })

  test.each<[object, object, string | undefined]>([
    [{ parameter: 'limit', max: 50 }, { limit: 51 }, '51 exceeds the allowed maximum of 50'],
    [{ parameter: 'limit', max: 50 }, { limit: 50 }, undefined],
    [{ parameter: 'limit', max: 50 }, {}, undefined],
    [{ parameter: 'limit', max: 50 }, { limit: '7' }, 'it must be a number of at most 50'],
    [
      { parameter: 'to.*', pattern: '[^@]+@acme\\.test' },
      { to: ['a@acme.test', 'b@evil.test'] },
      'does not have an allowed format',
    ],
    [{ parameter: 'to.*', pattern: '[^@]+@acme\\.test' }, { to: ['a@acme.test'] }, undefined],
    [{ parameter: 'channel', in: ['#a', '#b'] }, { channel: '#c' }, 'must be one of "#a", "#b"'],
    [{ parameter: 'secret' }, { secret: 1 }, 'it must not be set'],
  ])('U-06: a rejection %j of %j', (parameters, args, problem) => {
    const verdict = evaluate([rule({ action: 'reject', parameters })], args)
    expect(verdict?.action).toBe(problem === undefined ? 'allow' : 'reject')
    expect(verdict?.rejected?.problem ?? '').toContain(problem ?? '')
  })

  test('a text where a bounded number is meant is refused where nobody checks it before it leaves', () => {
    const schema = { type: 'object', properties: { limit: { type: 'integer' }, code: { type: 'string' } } }
    const judged = (connector: string, parameter: string, value: unknown) =>
      createPolicy([rule({ action: 'clamp', parameters: { parameter, max: 50 } })])
        .of({ ...TOOL, connector }, ENDPOINT, schema)
        ?.decide(facts({ [parameter]: value }))
    expect(judged('mcp.http', 'limit', '100000')).toMatchObject({ action: 'reject', rejected: { place: '/limit' } })
    expect(judged('mcp.http', 'limit', null)?.action).toBe('allow')
    expect(judged('mcp.http', 'code', '100000')?.action).toBe('allow')
    expect(judged('contract', 'limit', '100000')?.action).toBe('allow')
  })

  test.each([
    [{ parameter: 'to.*', in: ['a'] }, { to: 'b' }],
    [{ parameter: 'to.*', in: ['a'] }, { to: { name: 'b' } }],
    [{ parameter: 'filters.owner', in: ['a'] }, { filters: [{ owner: 'a' }, { owner: 'b' }] }],
  ])('no other shape is a way around a rejection: %j of %j', (parameters, args) => {
    expect(evaluate([rule({ action: 'reject', parameters })], args)?.action).toBe('reject')
  })

  test('before there are arguments, what could be allowed is shown', () => {
    expect(evaluate([rule({ action: 'hide' })])?.action).toBe('hide')
    expect(evaluate([rule({ action: 'block', match: { when: 'args.x == 1' } })])?.action).toBe('allow')
    expect(evaluate([rule({ action: 'block', match: { parameter: 'force' } })])?.action).toBe('allow')
    expect(evaluate([rule({ action: 'block', match: { when: 'principal.role == "tenant_member"' } })])?.action).toBe(
      'block',
    )
    const lifting = rule({ name: 'a', action: 'allow', parameters: { lifts: ['r'] }, match: { when: 'args.x == 1' } })
    expect(evaluate([rule({ action: 'block' }), lifting])?.action).toBe('allow')
  })

  const scopes = fc.constantFrom<RuleScope>('platform', 'organization', 'toolset', 'connection', 'member', 'key')
  const anyRule = fc
    .record({
      scope: scopes,
      name: fc.constantFrom('a', 'b', 'c'),
      state: fc.constantFrom('on', 'shadow', 'off'),
      match: fc.constantFrom(
        {},
        { when: 'args.x > 1' },
        { parameter: 'x' },
        { effects: ['write'] },
        { tools: ['*search*'] },
      ),
      words: fc.constantFrom<object>(
        { action: 'block' },
        { action: 'hide' },
        { action: 'warn' },
        { action: 'approve' },
        { action: 'allow', parameters: { lifts: ['a', 'b'] } },
        { action: 'clamp', parameters: { parameter: 'x', max: 2, default: 1 } },
        { action: 'lock', parameters: { parameter: 'y', value: 1 } },
        { action: 'reject', parameters: { parameter: 'x', max: 3 } },
      ),
    })
    .map(({ scope, words, ...rest }) => rule({ ...rest, ...words }, scope, of(scope)))
  const anyArguments = fc.constantFrom({}, { x: 1 }, { x: 5 }, { x: 'a' }, { x: null, y: 3 })

  test('rules that only watch decide nothing, and turn no refusal into an allowance', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 8 }), anyArguments, (rules, args) => {
        const { shadows: _, ...watched } = evaluate(rules, args) ?? { shadows: [], action: 'allow' }
        const { shadows, ...alone } = evaluate(
          rules.filter(({ state }) => state !== 'shadow'),
          args,
        ) ?? { shadows: [], action: 'allow' }
        expect(shadows).toEqual([])
        if ('arguments' in watched && 'arguments' in alone) expect(watched).toEqual(alone)
        else expect(watched.action).toBe(alone.action)
      }),
      { numRuns: 3000 },
    )
  })

  const STRICTNESS = ['allow', 'warn', 'approve', 'reject', 'block', 'hide']
  test('one rule more, if it is no exception, never makes a decision milder', () => {
    const restricting = anyRule.filter(({ action }) => action !== 'allow' && action !== 'lock')
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 6 }), restricting, anyArguments, (rules, more, args) => {
        const strict = (all: Rule[]) => STRICTNESS.indexOf(evaluate(all, args)?.action ?? 'allow')
        expect(strict([...rules, more])).toBeGreaterThanOrEqual(strict(rules))
      }),
      { numRuns: 3000 },
    )
  })
})

test.each(['principal.client == "house-agent"', 'principal.client != "other"', '"client" in principal'])(
  'no exception rests on the name that a client gives itself: %s',
  (when) => {
    const rules = [
      rule({ name: 'b', action: 'block' }),
      rule({ name: 'a', action: 'allow', parameters: { lifts: ['b'] }, match: { when } }),
    ]
    const decided = (clientRegistered: boolean) =>
      createPolicy(rules)
        .of(TOOL, ENDPOINT)
        ?.decide({ ...facts({}), principal: { ...PRINCIPAL, client: 'house-agent', clientRegistered } })?.action
    expect([decided(false), decided(true)]).toEqual(['block', 'allow'])
  },
)
