/** A recorded call is evaluated as it would be now, and reported as undecidable wherever that cannot be known. */
import type { Rule } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { ENDPOINT, testFacts, testRule, TOOL } from '../testing/rules.ts'
import { createPolicy } from './compile.ts'
import { withDraft, type Draft } from './draft.ts'
import { evaluateAgain } from './replay.ts'
import { createTally } from './replay-tally.ts'
import type { NamedValues } from './named-values.ts'

const placed = (rules: readonly Rule[]) => createPolicy(rules).of(TOOL, ENDPOINT)?.placed ?? []
const evaluate = (now: readonly Rule[], draft: readonly Rule[], kept: NamedValues = {}, caller: object | null = {}) => {
  const { arguments: _, ...facts } = testFacts({}, caller ?? {})
  return evaluateAgain(placed(now), placed(draft), { tool: TOOL, facts: caller === null ? undefined : facts, kept })
}
const block = (words: object = {}) => testRule({ name: 'block', action: 'block', ...words })
const clamp = (max: number) => testRule({ name: 'clamp', action: 'clamp', parameters: { parameter: 'limit', max } })

describe('a call on record', () => {
  test('that a draft blocks differs, by which rule it says', () => {
    expect(evaluate([], [block()])).toMatchObject({
      now: { outcome: 'allow', rule: undefined },
      draft: { outcome: 'block', rule: 'block' },
    })
  })

  test('is judged with the values that were kept', () => {
    const kept = { values: { limit: 500 } }
    expect(evaluate([clamp(50)], [clamp(10)], kept)).toMatchObject({
      now: { outcome: 'allow, /limit = 50' },
      draft: { outcome: 'allow, /limit = 10' },
    })
    const when = block({ match: { when: 'args.limit > 100' } })
    expect(evaluate([], [when], kept)).toMatchObject({ draft: { outcome: 'block' } })
    expect(evaluate([], [when], { values: { limit: 5 } })).toMatchObject({ draft: { outcome: 'allow' } })
    const reject = testRule({ action: 'reject', parameters: { parameter: 'limit', max: 9 } })
    expect(evaluate([], [reject], { absent: ['limit'] })).toMatchObject({ draft: { outcome: 'allow' } })
  })

  test.each([
    ['a condition', block({ match: { when: 'args.limit > 100' } })],
    ['a presence', block({ match: { parameter: 'limit' } })],
    ['a bound', testRule({ name: 'block', action: 'reject', parameters: { parameter: 'limit', max: 9 } })],
    ['all of the arguments', block({ match: { when: 'size(args) > 3' } })],
    ['a clamp', testRule({ name: 'block', action: 'clamp', parameters: { parameter: 'limit', max: 9 } })],
  ])('without the arguments that %s asks for is not guessed', (_, rule) => {
    expect(evaluate([], [rule], { values: { other: 1 } })).toEqual({
      unjudged: 'the arguments that "block" needs are not in the audit log',
    })
  })

  test('is judged where what is not known could change nothing', () => {
    const unknown = block({ match: { when: 'args.limit > 100' } })
    const hide = testRule({ action: 'hide' })
    expect(evaluate([hide], [hide, unknown])).toMatchObject({ now: { outcome: 'hide' }, draft: { outcome: 'hide' } })
    // Alike on both sides it is silent on both.
    expect(
      evaluate([unknown], [block({ match: { when: 'args.limit > 100' } }), testRule({ action: 'warn' })]),
    ).toMatchObject({
      now: { outcome: 'allow' },
      draft: { outcome: 'warn' },
    })
    const other = testRule({ action: 'block', match: { parameter: 'limit' } }, { scope: 'member', of: 'eve@acme.test' })
    expect(evaluate([], [other])).toMatchObject({ draft: { outcome: 'allow' } })
    // In the shadow it does nothing either way.
    expect(evaluate([], [{ ...unknown, state: 'shadow' }])).toMatchObject({ draft: { outcome: 'allow' } })
  })

  test('of a caller who is gone is judged by rules that ask nothing of the caller', () => {
    expect(evaluate([], [block()], {}, null)).toMatchObject({ draft: { outcome: 'block' } })
    const asks = block({ match: { when: `principal.role == 'tenant_admin'` } })
    expect(evaluate([], [asks], {}, null)).toEqual({ unjudged: 'the caller no longer exists' })
  })

  test('under an exception that cannot be judged is not guessed', () => {
    const exception = testRule({
      ...{ name: 'ex', action: 'allow', parameters: { lifts: ['block'] } },
      match: { when: 'args.limit < 5' },
    })
    expect(evaluate([block()], [block(), exception])).toHaveProperty('unjudged')
    expect(evaluate([block()], [block(), exception], { values: { limit: 1 } })).toMatchObject({
      draft: { outcome: 'allow' },
    })
  })
})

describe('a draft', () => {
  const words = (words: object) => {
    const { id: _, ...rest } = testRule(words)
    return rest as Draft['rules'][number]
  }
  const platform = testRule({ name: 'all', action: 'warn' }, { scope: 'platform' })
  const own = testRule({ name: 'own', action: 'block' })

  test('changes the rule of its name and scope, adds others, and removes what it names', () => {
    const rules = withDraft([platform, own], {
      rules: [words({ name: 'own', action: 'warn' }), words({ name: 'all', action: 'hide' })],
      remove: [],
      as: 'change',
    })
    expect(rules.map(({ id, name, scope, action }) => [id, name, scope, action])).toEqual([
      [platform.id, 'all', 'platform', 'warn'],
      [own.id, 'own', 'organization', 'warn'],
      ['draft/all', 'all', 'organization', 'hide'],
    ])
    expect(withDraft([platform, own], { rules: [], remove: ['own'], as: 'change' })).toEqual([platform])
  })

  test('that is the whole leaves the platform’s', () => {
    expect(withDraft([platform, own], { rules: [], remove: [], as: 'whole' })).toEqual([platform])
  })
})

test('differences are counted by tool and caller, and what is counted adds up', () => {
  const tally = createTally()
  const different = evaluate([], [block()])
  const same = evaluate([], [])
  const unjudged = evaluate([], [block({ match: { parameter: 'limit' } })])
  for (let call = 0; call < 5000; call++)
    tally.add([different, same, unjudged][call % 3] ?? same, { id: `rec_${call}`, tool: `t${call}`, caller: 'maria' })
  const { read, same: alike, different: differ, differences, unjudged: rest, truncated } = tally.done()
  expect([read, alike + differ + rest.reduce((sum, { calls }) => sum + calls, 0)]).toEqual([5000, 5000])
  expect([differ, differences.length, truncated]).toEqual([1667, 1667, false])
  for (let call = 0; call < 5000; call++) tally.add(different, { id: 'rec', tool: `u${call}`, caller: 'maria' })
  expect(tally.done()).toMatchObject({ different: 6667, truncated: true })
  expect(tally.done().differences).toHaveLength(2000)
})
