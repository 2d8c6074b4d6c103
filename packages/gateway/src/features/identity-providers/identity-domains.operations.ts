/** The operations on email domains of an organization. */
import { randomBytes } from 'node:crypto'
import { Fault } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'
import { recordChange, type Actor } from '../../records/change.ts'
import { eachOf } from '../../lib/unreadable-rows.ts'
import { roleForbidden } from '../../lib/role-forbidden.ts'
import { emailOf } from '../../identity/users.ts'
import { findMemberByEmail } from '../../organizations/members.ts'
import {
  endProof,
  findDomain,
  findProvenDomain,
  listDomains,
  proveDomain,
  putDomain,
  removeDomain,
  type DomainRow,
} from './identity-domains.rows.ts'
import type { FindTxtRecords } from './txt-records.ts'

/** The parts that these operations work with. */
export interface IdentityDomainParts extends OperationBase {
  readonly findTxtRecords: FindTxtRecords
}

const MOST = 100
const RESOURCE = 'email domain'
/** Host names of at least two labels (RFC 1123, section 2.1), in lower case. */
const DOMAIN_FORM = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

const toDomain = (row: DomainRow): shapes.IdentityDomain => ({
  domain: row.domain,
  record: { name: `_toolway.${row.domain}`, type: 'TXT', value: row.challenge },
  proven_at: row.proven_at?.toISOString() ?? null,
  ...{ proven_by: row.proven_by, enforced: row.enforced, break_glass: row.break_glass },
})

/** Throws `thing.unknown`. */
async function find(sql: OrgSql, domain: string | undefined): Promise<DomainRow> {
  const row = await findDomain(sql, domain?.toLowerCase() ?? '')
  if (row === undefined) throw new Fault('thing.unknown', { thing: RESOURCE })
  return row
}

/** Throws `body.shape` where the domain is not proven by DNS. */
async function refuseUnproven({ findTxtRecords }: IdentityDomainParts, row: DomainRow): Promise<void> {
  const { record } = toDomain(row)
  const found = await findTxtRecords(record.name).catch(() => undefined)
  if (found?.includes(record.value) === true) return
  const problem =
    found === undefined
      ? 'cannot be looked up at the moment: the name servers do not respond'
      : `is not proven: DNS has no TXT record ${record.name} with the text ${record.value} (a new record can take an hour to be seen)`
  throw new Fault('body.shape', { place: '/domain', problem })
}

interface Proof extends Pick<DomainRow, 'organization_id' | 'domain'> {
  /** `dns`, or who vouches. */
  readonly by: string
}

/**
 * The proof, with the end of another organization's, which only a system transaction reaches: both or neither. Throws `thing.taken` and
 * `thing.unknown`.
 */
async function prove(sql: SystemSql, actor: Actor, { organization_id: owner, domain, by }: Proof): Promise<DomainRow> {
  const before = await findProvenDomain(sql, domain)
  if (before !== undefined && before.organization_id !== owner) {
    // DNS says whose the domain is now; a voucher does not.
    if (by !== 'dns') throw new Fault('thing.taken', { thing: RESOURCE, name: domain })
    await endProof(sql, before)
    const detail = { proven: false, by: 'a newer proof by DNS' }
    await recordChange(sql, { ...actor, id: 'dns', type: 'system' }, before.organization_id, {
      ...{ action: 'identity-domain.put', resource: RESOURCE, id: domain, detail },
    })
  }
  const [row] = await proveDomain(sql, { organization_id: owner, domain }, by)
  // It was removed meanwhile.
  if (row === undefined) throw new Fault('thing.unknown', { thing: RESOURCE })
  await recordChange(sql, actor, owner, {
    ...{ action: 'identity-domain.prove', resource: RESOURCE, id: domain, detail: { by } },
  })
  return row
}

const { serveOrganization } = operationServers<IdentityDomainParts>()

export const identityDomainOperations: readonly Served<IdentityDomainParts>[] = [
  serveOrganization(shapes.listIdentityDomains, async ({ read }) => ({
    items: eachOf(await read(listDomains), toDomain),
  })),

  serveOrganization(shapes.putIdentityDomain, async ({ organization, params, body, change }) => {
    const domain = (params['domain'] ?? '').toLowerCase()
    if (!DOMAIN_FORM.test(domain))
      throw new Fault('body.shape', { place: '/domain', problem: 'is not a domain, such as example.com' })
    const row = await change(
      ({ domain: id, enforced }: DomainRow) => ({
        ...{
          action: 'identity-domain.put',
          resource: RESOURCE,
          id,
          detail: { enforced, break_glass: body.break_glass },
        },
      }),
      async (sql) => {
        const own = await findDomain(sql, domain)
        if (own === undefined && (await listDomains(sql)).length >= MOST)
          throw new Fault('body.shape', { place: '/domain', problem: `cannot be added: there are ${MOST} already` })
        const { enforced } = body
        const address = body.break_glass === null ? null : emailOf(body.break_glass)
        if (address !== null && (await findMemberByEmail(sql, address))?.role !== 'tenant_admin')
          throw new Fault('body.shape', {
            place: '/break_glass',
            problem: 'is not an administrator of the organization',
          })
        const challenge = own?.challenge ?? `toolway-domain=${randomBytes(16).toString('hex')}`
        await putDomain(sql, { organization_id: organization.id, domain, challenge, enforced, break_glass: address })
        return find(sql, domain)
      },
    )
    return toDomain(row)
  }),

  serveOrganization(
    shapes.proveIdentityDomain,
    async ({ parts, actor, role, organization, principal, params, body, read }) => {
      const row = await read((sql) => find(sql, params['domain']))
      if (body.vouch && role !== 'platform_admin') throw roleForbidden(role, 'user_manage', 'platform')
      if (!body.vouch) await refuseUnproven(parts, row)
      const proof = { organization_id: organization.id, domain: row.domain, by: body.vouch ? principal.id : 'dns' }
      return toDomain(await parts.db.system((sql) => prove(sql, actor, proof)))
    },
  ),

  serveOrganization(shapes.removeIdentityDomain, async ({ params, change }) => {
    await change(
      (id: string) => ({ action: 'identity-domain.remove', resource: RESOURCE, id }),
      async (sql) => {
        const { domain } = await find(sql, params['domain'])
        await removeDomain(sql, domain)
        return domain
      },
    )
    return undefined
  }),
]
