/** People of an enforced domain sign in at the provider of their organization, and with no password. */
import { Fault } from '@toolway/contract'
import type { SystemSql } from '../../db/db.ts'
import type { UserRow } from '../../identity/users.ts'
import { addAlert } from '../alerts/index.ts'
import { findProvenDomain } from './identity-domains.rows.ts'
import { findMembership } from './identity-providers.rows.ts'

/**
 * Throws `login.provider`. The administrator who may still use a password, while the provider is unavailable, raises an alert by it.
 * Platform administrators keep their passwords.
 */
export async function refusePassword(
  sql: SystemSql,
  { id, email, platform_admin: administers }: Pick<UserRow, 'id' | 'email' | 'platform_admin'>,
): Promise<void> {
  const domain = await findProvenDomain(sql, email.split('@').at(-1) ?? '')
  if (domain?.enforced !== true || administers) return
  const isAdmin = (await findMembership(sql, domain.organization_id, id))?.role === 'tenant_admin'
  if (domain.break_glass !== email || !isAdmin)
    throw new Fault('login.provider', {
      problem: 'your organization wants you to sign in at its own identity provider',
    })
  await addAlert(sql, {
    organizationId: domain.organization_id,
    kind: 'password.emergency',
    detail: { email, domain: domain.domain },
  })
}
