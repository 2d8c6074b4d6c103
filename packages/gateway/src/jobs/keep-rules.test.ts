import { newId, type OrganizationId } from '@toolway/contract'
import { expect, test } from 'vitest'
import type { OrganizationRuleRow } from '../policy/kept/organization-rules.ts'
import type { RuleTrouble } from '../policy/kept/rules-in-force.ts'
import { createKeepRules } from './keep-rules.ts'

const acme = newId('org')
const row = (more: Partial<OrganizationRuleRow> = {}): OrganizationRuleRow => ({
  ...{ id: newId('rul'), organization_id: acme, scope: 'organization', of: null, name: 'a', state: 'on' },
  ...{ origin: 'test', created_by: 'test', created_at: new Date(0), updated_at: new Date(0) },
  words: { match: {}, action: 'block', parameters: {}, reason: 'No.' },
  ...more,
})

function fixture() {
  const told: { id: OrganizationId; troubles: readonly RuleTrouble[] }[] = []
  const platform = { inForce: { rules: [], troubles: [] } }
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
  keep.keepOnly(new Set())
  expect(keep.policyOf(acme, rows, [])).not.toBe(again)
})

test('a rule that cannot be read is told of once, until something else is wrong', () => {
  const { keep, told } = fixture()
  const broken = row({ words: { action: 'enchant' } })
  keep.policyOf(acme, [broken], [])
  keep.policyOf(acme, [broken, row()], [])
  expect(told).toMatchObject([{ id: acme, troubles: [{ id: broken.id, scope: 'organization' }] }])
  keep.policyOf(acme, [row({ id: broken.id })], [])
  keep.policyOf(acme, [broken], [])
  expect(told).toHaveLength(2)
})
