import { describe, expect, test } from 'vitest'
import { checkCondition, createCondition, type ConditionFacts } from './condition.ts'
import { within } from '../../../../test/setup/form.ts'

const facts = (args: object = {}): ConditionFacts => ({
  principal: {
    kind: 'user',
    ...{ id: 'usr_1', role: 'tenant_member', email: 'maria@acme.test', groups: ['finance'] },
    ...{ key: '', keyId: '', client: 'cursor', clientRegistered: true },
  },
  tool: {
    ...{ name: 'pay', joined: 'bank__pay', connection: 'bank', connector: 'mcp.http', effect: 'write' },
    ...{ effectFrom: 'server', category: '' },
  },
  args: args as never,
  context: { organization: 'acme', toolset: 'default', time: '2026-11-22T10:00:00.000Z', address: '' },
})
const holds = (text: string, args: object = {}) => createCondition(text).holds(facts(args))

describe('a condition', () => {
  test.each<[string, object, boolean]>([
    ['args.amount > 100', { amount: 150 }, true],
    ['args.amount > 100', { amount: 99.5 }, false],
    ['args.amount * 2 > 299', { amount: 150 }, true],
    ['2 * args.amount - 1 == 299', { amount: 150 }, true],
    ['args.n + 1 == 3', { n: 2 }, true],
    ['"finance" in principal.groups && tool.effect == "write"', {}, true],
    ['args.to.all(to, to.endsWith("@acme.test"))', { to: ['a@acme.test', 'b@evil.test'] }, false],
    ['args.to.exists(to, to.matches("@evil\\\\."))', { to: ['a@acme.test', 'b@evil.test'] }, true],
    ['has(args.limit)', {}, false],
    ['args.?limit.orValue(5) == 5', {}, true],
    ['timestamp(context.time).getHours() == 10', {}, true],
    ['args.o["a.b"] == null', { o: { 'a.b': null } }, true],
  ])('%s of %j is %s', (text, args, expected) => {
    expect(holds(text, args)).toBe(expected)
  })

  test.each([
    'args.missing > 1',
    'args.name > 1',
    'args.__proto__ == null',
    'args.constructor == null',
    'args.toString == 1',
  ])('%s has no answer where nothing of that kind stands there', (text) => {
    expect(() => holds(text, { name: 'x' })).toThrow(/No such key|no such overload/)
  })

  test.each([
    ['nobody == 1', 'Unknown variable'],
    ['args.a +', 'Unexpected'],
    ['principal.role.size()', 'returns'],
    ['"a".matches("(")', 'parsing'],
    ['"a".matches("(?=b)")', 'parsing'],
    ['matches("a", "b")', 'text.matches'],
    ['1 + 1', 'returns int'],
    ['context.time.getHours() < 5 && tool.effect == "write"', 'timestamp(context.time)'],
    [Array.from({ length: 3000 }, () => 'true').join(' && '), 'Exceeded'],
  ])('%s is refused when it is written', (text, problem) => {
    expect(checkCondition(text)).toContain(problem)
  })

  test('says what it reads', () => {
    const read = (text: string) => {
      const { readsArguments, readsCaller } = createCondition(text)
      return [readsArguments, readsCaller]
    }
    expect(read('args.x == 1')).toEqual([true, false])
    expect(read('principal.role == "tenant_admin"')).toEqual([false, true])
    expect(read('tool.effect == "read"')).toEqual([false, false])
    expect(read('args.a.exists(p, p == principal.email)')).toEqual([true, true])
  })

  test.each<[string, object]>([
    ['args.a.all(x, args.a.all(y, args.a.all(z, x + y + z >= 0)))', { a: Array.from({ length: 2000 }, (_, at) => at) }],
    // Forty times twice as long.
    [`[args.a]${'.map(a, a + a)'.repeat(40)}.size() > 0`, { a: [1, 2, 3] }],
    [`[args.a]${'.map(a, a + a)'.repeat(40)}.exists(a, a.matches("b"))`, { a: 'aaa' }],
    ['args.a.exists(x, args.text.matches("^(a+)+$"))', { a: Array(1000).fill(0), text: `${'a'.repeat(30_000)}b` }],
    // An error in a list is made up for by another element of it.
    ['args.a.exists(x, x == 1 || args.a.all(y, args.a.all(z, true)))', { a: [...Array<number>(1000).fill(0), 1] }],
  ])('%s has no answer after so many steps', (text, args) => {
    const begun = performance.now()
    expect(() => holds(text, args)).toThrow(/100000 steps/)
    expect(performance.now() - begun).toBeLessThan(within(10_000))
    // The next one begins anew.
    expect(holds('args.a.exists(x, x == 2)', { a: [1, 2] })).toBe(true)
  })

  test('no text makes a pattern slow: the steps grow as the text does', () => {
    const condition = createCondition('args.text.matches("^(a+)+$")')
    // A backtracking engine needs 2^30000 steps for this one.
    expect(condition.holds(facts({ text: `${'a'.repeat(30_000)}b` }))).toBe(false)
  })
})
