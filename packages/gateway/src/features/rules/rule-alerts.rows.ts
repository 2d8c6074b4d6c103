/** Alerts about rules that cannot be read. */
import type { OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import { addAlert } from '../alerts/index.ts'
import type { OrgSql } from '../../db/db.ts'
import type { RuleTrouble } from '../../policy/stored/rules-in-force.ts'

const Id = z.object({ id: z.string() })
const Count = z.object({ count: z.int() })

/** An alert for each rule that has none yet that says the same: several gateways find the same rule. */
export async function alertOfTroubles(
  sql: OrgSql,
  organizationId: OrganizationId,
  troubles: readonly RuleTrouble[],
): Promise<void> {
  // One gateway after the other, so that each sees what the one before has said.
  await sql(Id)`select id from organizations for update`
  for (const { id, name, scope, of, problem } of troubles) {
    const [known] = await sql(Count)`
      select count(*)::int as count from alerts
       where kind = 'rule.unreadable' and detail ->> 'rule' = ${id} and detail ->> 'problem' = ${problem}`
    if ((known?.count ?? 0) > 0) continue
    const detail = { rule: id, name, scope, ...(of === undefined ? {} : { of }), problem }
    await addAlert(sql, { organizationId, kind: 'rule.unreadable', detail })
  }
}
