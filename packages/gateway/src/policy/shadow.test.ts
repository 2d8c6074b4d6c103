/** A shadow rule never changes the outcome. Tried with random rules, callers and arguments. */
import type { Rule } from '@toolway/contract'
import { expect, test } from 'vitest'
import { ENDPOINT, testFacts, testRule, TOOL } from '../testing/rules.ts'
import { createPolicy } from './compile.ts'

/** Mulberry32: the same walk for the same seed. */
function createDice(seed: number) {
  let state = seed
  return (sides: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }
}
type Dice = ReturnType<typeof createDice>
const pick = <T>(dice: Dice, all: readonly T[]): T => all[dice(all.length)] as T

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const CONDITIONS = [
  `principal.role == 'tenant_admin'`,
  `'finance' in principal.groups`,
  'args.limit > 50',
  'has(args.limit) && args.limit > 50',
  'args.missing == 1',
]
const ACTIONS = (dice: Dice) => [
  { action: 'allow', parameters: { lifts: NAMES.filter(() => dice(2) === 0).concat('a') } },
  { action: 'block' },
  { action: 'hide' },
  { action: 'warn' },
  { action: 'approve' },
  { action: 'reject', parameters: { parameter: 'limit', max: dice(100) } },
  { action: 'clamp', parameters: { parameter: 'limit', max: dice(100), default: 7 } },
  {
    action: 'lock',
    parameters: { parameter: pick(dice, ['limit', 'mode']), value: 3, as: pick(dice, ['fixed', 'default']) },
  },
  { action: 'rate', parameters: { calls: 5 } },
  { action: 'size', parameters: { arguments: 100 } },
]

function randomRules(dice: Dice): Rule[] {
  return NAMES.slice(0, 1 + dice(NAMES.length)).map((name) => {
    const match = {
      tools: [pick(dice, ['*', 'git__*', 'other*'])],
      ...(dice(2) === 0 ? { when: pick(dice, CONDITIONS) } : {}),
      ...(dice(4) === 0 ? { parameter: 'limit' } : {}),
    }
    const state = pick(dice, ['on', 'shadow', 'shadow', 'off'])
    const scope = pick(dice, ['platform', 'organization', 'toolset', 'connection', 'member'] as const)
    const of = {
      toolset: 'default',
      connection: 'git',
      member: 'maria@acme.test',
      platform: undefined,
      organization: undefined,
    }[scope]
    return testRule({ name, state, match, ...pick(dice, ACTIONS(dice)) }, { id: name, scope, of })
  })
}

test('a shadow rule changes nothing of the verdict, and an exception in the shadow lifts nothing', () => {
  let shadows = 0
  const strict = new Set<string>()
  for (let seed = 1; seed <= 5000; seed++) {
    const dice = createDice(seed)
    const rules = randomRules(dice)
    const args = pick(dice, [undefined, {}, { limit: 10 }, { limit: 90 }, { limit: 'x', mode: 1 }])
    const role = pick(dice, ['tenant_admin', 'tenant_member'])
    const facts = testFacts(args, { role, groups: pick(dice, [[], ['finance']]) })
    const evaluate = (all: readonly Rule[]) => createPolicy(all).of(TOOL, ENDPOINT)?.decide(facts)
    const whole = evaluate(rules)
    const bare = evaluate(rules.filter(({ state }) => state === 'on'))
    shadows += whole?.shadows.length ?? 0
    const { shadows: _, ...said } = whole ?? { shadows: [] }
    const { shadows: none = [], ...without } = bare ?? {}
    expect(none).toEqual([])
    // No rule at all says what no rule that speaks says.
    if (bare === undefined) expect([undefined, 'allow'], `seed ${seed}`).toContain(whole?.action)
    else expect(said, `seed ${seed}`).toEqual(without)
    if (whole !== undefined) strict.add(whole.action)
  }
  expect(shadows).toBeGreaterThan(1000)
  expect([...strict].sort()).toEqual(['allow', 'approve', 'block', 'hide', 'reject', 'warn'])
})
