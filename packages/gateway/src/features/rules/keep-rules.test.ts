import { newId, type OrganizationId } from '@toolway/contract'
import { expect, test } from 'vitest'
import type { OrganizationRuleRow } from '../../policy/stored/organization-rules.ts'
import { inForce, type InForce, type RuleTrouble } from '../../policy/stored/rules-in-force.ts'
import { createKeepRules } from './keep-rules.ts'

const acme = { id: newId('org'), slug: 'acme' }
const row = (more: Partial<OrganizationRuleRow> = {}): OrganizationRuleRow => ({
  ...{ id: newId('rul'), organization_id: acme.id, scope: 'organization', of: null, name: 'a', state: 'on' },
  ...{ origin: 'test', created_by: 'test', created_at: new Date(0), updated_at: new Date(0) },
  words: { match: {}, action: 'block', parameters: {}, reason: 'No.' },
  ...more,
})

function fixture(inPlatform: InForce = { rules: [], troubles: [] }) {
  const told: { id: OrganizationId; troubles: readonly RuleTrouble[] }[] = []
  const platform = { inForce: inPlatform }
  const keep = createKeepRules({
    platform,
    log: { error() {} },
    tell: (id, troubles) => Promise.resolve(void told.push({ id, troubles })),
  })
  return { keep, told }
}

test('rules that did not change are the same policy, so that nobody hears of lists that did not change', () => {
  const { keep } = fixture()
  const rows = [row()]
  const first = keep.policyOf(acme, rows, [])
  expect(keep.policyOf(acme, [...rows], [{ slug: 'work', settings: { include: [], exclude: [] } }])).toBe(first)
  expect(keep.policyOf(acme, [row({ name: 'b' })], [])).not.toBe(first)
  const again = keep.policyOf(acme, rows, [])
  keep.forget([acme.id])
  expect(keep.policyOf(acme, rows, [])).not.toBe(again)
})

test('a rule that cannot be read is told of once, until something else is wrong', () => {
  const { keep, told } = fixture()
  const broken = row({ words: { action: 'enchant' } })
  keep.policyOf(acme, [broken], [])
  keep.policyOf(acme, [broken, row()], [])
  expect(told).toMatchObject([{ id: acme.id, troubles: [{ id: broken.id, scope: 'organization' }] }])
  keep.policyOf(acme, [row({ id: broken.id })], [])
  keep.policyOf(acme, [broken], [])
  expect(told).toHaveLength(2)
})

test('an organization hears of no rule of the platform that speaks of others, and of none that is broken', () => {
  const kept = (name: string, action: string, organizations: readonly string[]) => ({
    ...{ id: newId('rul'), scope: 'platform' as const, of: undefined, name, action, parameters: {}, reason: 'x' },
    ...{ match: { organizations }, state: 'on' as const },
  })
  const rules = [kept('ours', 'block', ['acme', 'other']), kept('theirs', 'block', ['other'])]
  const broken = [kept('broken', 'enchant', ['acme']), kept('broken-there', 'enchant', ['other'])]
  const { keep, told } = fixture(inForce([...rules, ...broken]))
  expect(keep.policyOf(acme, [], []).rules.map(({ name }) => name)).toEqual(['ours', 'broken'])
  expect(told.flatMap(({ troubles }) => troubles.map(({ name }) => name))).toEqual(['broken'])
})
