/** Tests that the list of approvals in SQL shows to each kind of approver what `fits` says of each approval, on all its pages. */
import { ROLES, type Role } from '@toolway/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ensureOrganization } from '../organizations/organizations.ts'
import type { Newest } from '../lib/page.ts'
import { describeEachPostgres } from '../testing/database.ts'
import { listApprovals, type SeenBy } from './approvals.ts'
import { fits, isOwn, type Approver } from './approvers.ts'
import { storedRules } from './stored-rules.ts'

const Nothing = z.object({})
const BY: readonly object[] = [
  { roles: ['tenant_admin'] },
  { roles: ['tenant_viewer', 'platform_admin'] },
  { members: ['Ada@Acme.test'] },
  { members: ['bob@acme.test'], groups: ['finance'] },
  { groups: ['ops', 'finance'] },
  { webhooks: ['whk_1'] },
  {},
  { self: true },
]
const CALLERS = [
  { principal: 'usr_ada', user: 'usr_ada', maker: null },
  { principal: 'key_1', user: null, maker: 'usr_ada' },
  { principal: 'key_2', user: 'usr_bob', maker: 'usr_ada' },
  { principal: 'key_3', user: null, maker: 'command line' },
]
const rulesOf = (by: object) => [
  {
    ...{ id: 'rul_1', scope: 'organization', name: 'asks', match: { tools: ['*'] }, action: 'approve', state: 'on' },
    ...{ parameters: { by: { self: false, ...by }, quorum: 1, wait: 60, repeat: 0, always: false }, reason: 'Asked.' },
  },
]

function approvers(): Approver[] {
  const roles: (Role | undefined)[] = [...ROLES, undefined]
  return roles.flatMap((role) => [
    { id: 'usr_ada', role, email: 'ADA@acme.test', groups: [] },
    { id: 'usr_bob', role, email: 'bob@acme.test', groups: ['ops'] },
    { id: 'usr_cleo', role, email: undefined, groups: ['finance', 'x'] },
    { id: 'whk_1', role, email: undefined, groups: [] },
  ])
}

describeEachPostgres('the list of approvals', (createDatabase) => {
  test('shows each approver those that they may see, and no other, page by page', async () => {
    await using database = await createDatabase()
    const { id } = await database.db.system((sql) => ensureOrganization(sql, 'acme', undefined, 'test'))
    const all = BY.flatMap((by, rule) => CALLERS.map((caller, at) => ({ id: `apr_${rule}${at}`, by, ...caller })))
    await database.db.system(async (sql) => {
      await sql(Nothing)`
        insert into connections (id, organization_id, alias, title, connector, settings, origin)
        values ('con_x', ${id}, 'erp', 'ERP', 'mcp.http', '{}', 'test')`
      for (const [at, one] of all.entries())
        await sql(Nothing)`
          insert into approvals (id, organization_id, connection_id, tool, effect, digest, principal, user_id, made_by, caller, rules,
                                 sealed_arguments, expires_at, created_at)
          values (${one.id}, ${id}, 'con_x', 'read', 'read', encode(sha256(${one.id}::bytea), 'hex'), ${one.principal}, ${one.user},
                  ${one.maker}, 'caller', ${JSON.stringify(rulesOf(one.by))}::jsonb, '', now() + interval '1 hour',
                  now() - make_interval(secs => ${Math.floor(at / 3)}))`
    })
    const listed = async (by: SeenBy) => {
      const ids: string[] = []
      let [last, total]: [{ key: string; id: string } | undefined, number] = [undefined, 0]
      do {
        const from: Newest = { at: last?.key ?? null, id: last?.id ?? null, rowLimit: 5, offset: 0 }
        const page: Awaited<ReturnType<typeof listApprovals>> = await database.db.organization(id, (sql) =>
          listApprovals(sql, 'pending', by, from),
        )
        ids.push(...page.rows.map((row) => row.id))
        total = page.total
        last = page.rows.length < 5 ? undefined : page.rows.at(-1)
      } while (last !== undefined)
      expect(new Set(ids).size).toBe(total)
      return ids.toSorted()
    }
    const seen = (approver: Approver) =>
      all
        .filter(({ principal, user, maker, by }) => {
          const caller = { principal, userId: user ?? undefined, maker: maker ?? undefined }
          return isOwn(caller, approver) || storedRules(rulesOf(by)).some((rule) => fits(rule, caller, approver))
        })
        .map((one) => one.id)
    for (const approver of approvers())
      expect(await listed({ all: false, id: approver.id, approver }), JSON.stringify(approver)).toEqual(
        seen(approver).toSorted(),
      )
    expect(await listed({ all: false, id: 'key_1', approver: undefined })).toHaveLength(BY.length)
    expect(await listed({ all: true, id: 'key_9', approver: undefined })).toHaveLength(all.length)
  })
})
