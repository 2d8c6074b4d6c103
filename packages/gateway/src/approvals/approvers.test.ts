import { Approvers, type Rule } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { fits, goodFor, isSatisfied, tallyOf, waitOf, wordsOf, type Approver } from './approvers.ts'

const ruleOf = (by: object, more: Partial<Rule<'approve'>['parameters']> = {}) => ({
  name: 'r',
  parameters: { by: Approvers.parse(by), quorum: 1, wait: 3600, repeat: 0, always: false, ...more },
})
const person = (id: string, more: Partial<Approver> = {}): Approver => ({
  ...{ id, role: 'tenant_member', email: `${id}@example.com`, groups: [] },
  ...more,
})
const CALLER = { principal: 'usr_ada', userId: 'usr_ada' }

describe('whose answer counts', () => {
  test.each([
    ['a role', { roles: ['tenant_member'] }, person('usr_b'), true],
    ['a role that may more', { roles: ['tenant_member'] }, person('usr_b', { role: 'tenant_admin' }), true],
    ['a role that may less', { roles: ['tenant_admin'] }, person('usr_b'), false],
    ['an address in any case', { members: ['Usr_B@example.com'] }, person('usr_b'), true],
    [
      'an address of who has no role any more',
      { members: ['usr_b@example.com'] },
      person('usr_b', { role: undefined }),
      false,
    ],
    ['a group', { groups: ['on-call'] }, person('usr_b', { groups: ['on-call'] }), true],
    ['another group', { groups: ['on-call'] }, person('usr_b', { groups: ['others'] }), false],
    ['a webhook', { webhooks: ['whk_1'] }, person('whk_1', { role: undefined, email: undefined }), true],
    ['another webhook', { webhooks: ['whk_1'] }, person('whk_2', { role: undefined, email: undefined }), false],
    ['the caller, of the role that is asked', { roles: ['tenant_member'] }, person('usr_ada'), false],
    ['the caller, where it may', { self: true }, person('usr_ada'), true],
    ['somebody else where only the caller may', { self: true }, person('usr_b'), false],
  ] as const)('%s', (_, by, approver, counts) => expect(fits(ruleOf(by), CALLER, approver)).toBe(counts))

  test('the person behind a key is the caller, too', () => {
    const behind = { principal: 'key_1', userId: 'usr_ada' }
    expect(fits(ruleOf({ roles: ['tenant_member'] }), behind, person('usr_ada'))).toBe(false)
    expect(
      fits(ruleOf({ roles: ['tenant_member'] }), { principal: 'key_1', userId: undefined }, person('usr_ada')),
    ).toBe(true)
  })
})

describe('enough answers', () => {
  const known = new Map([person('usr_b'), person('usr_c', { role: 'tenant_admin' })].map((one) => [one.id, one]))
  const said = (...ids: string[]) => ids.map((id) => ({ answered_by: id, verdict: 'grant' as const }))
  const tally = (rules: readonly ReturnType<typeof ruleOf>[], ids: string[]) =>
    isSatisfied(tallyOf(rules, CALLER, said(...ids), (id) => known.get(id)))

  test('are those of people who may still give them', () => {
    const two = [ruleOf({ roles: ['tenant_member'] }, { quorum: 2 })]
    expect(tally(two, ['usr_b'])).toBe(false)
    expect(tally(two, ['usr_b', 'usr_c'])).toBe(true)
    expect(tally(two, ['usr_b', 'usr_gone'])).toBe(false)
  })

  test('satisfy every rule, each for itself; without a rule nothing is granted', () => {
    const both = [ruleOf({ roles: ['tenant_member'] }), ruleOf({ roles: ['tenant_admin'] })]
    expect(tally(both, ['usr_b'])).toBe(false)
    expect(tally(both, ['usr_c'])).toBe(true)
    expect(tally([], ['usr_c'])).toBe(false)
  })

  test('a no is no yes', () =>
    expect(
      isSatisfied(
        tallyOf([ruleOf({ roles: ['tenant_member'] })], CALLER, [{ answered_by: 'usr_b', verdict: 'deny' }], (id) =>
          known.get(id),
        ),
      ),
    ).toBe(false))
})

test('times are those of the strictest rule', () => {
  const short = ruleOf({ self: true }, { wait: 60, repeat: 100 })
  const long = ruleOf({ self: true }, { wait: 7200, repeat: 0 })
  expect(waitOf([short, long])).toBe(60)
  expect(goodFor([short])).toEqual({ seconds: 100, repeats: true })
  expect(goodFor([short, long])).toEqual({ seconds: 600, repeats: false })
  expect(goodFor([long])).toEqual({ seconds: 7200, repeats: false })
})

test('whom a rule asks is said in words', () => {
  expect(wordsOf(ruleOf({ roles: ['tenant_admin'], groups: ['on-call'], self: true }, { quorum: 2 }))).toBe(
    '2 of: administrators of the organization, the group on-call, the caller',
  )
})
