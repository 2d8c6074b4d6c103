/**
 * Objects created in both organizations through the operations themselves, so that every kind of object with an id can be
 * requested by the wrong caller. An operation that does not exist creates nothing.
 */
import type { ApprovalId, FileId, OrganizationId, UserId } from '@toolway/contract'
import { z } from 'zod'
import type { Db } from '../../packages/gateway/src/db/db.ts'
import { createTestVault } from '../../packages/gateway/src/testing/gateway.ts'
import {
  approvalSealContext,
  fileKeySealContext,
  payloadSealContext,
} from '../../packages/gateway/src/vault/sealed-columns.ts'
import type { Side } from './sides.ts'

interface Plant {
  /** Of the operation that makes it, as an administrator of the organization. */
  readonly id: string
  path(organization: Side): string
  readonly body: unknown
}

export const OAUTH_APP = { provider: 'github', client_id: 'same', client_secret: 'the same secret' }

export const PLANTS: readonly Plant[] = [
  { id: 'putOAuthApp', path: (organization) => `/api/v1/oauth/${organization}/config`, body: OAUTH_APP },
  {
    id: 'addWebhook',
    path: (organization) => `/api/v1/admin/tenants/${organization}/webhooks`,
    // Of a kind that nothing in the town is: nobody is asked.
    body: { url: 'https://hooks.example.com/', events: ['tool.never'] },
  },
  {
    id: 'addRecordStream',
    path: (organization) => `/api/v1/admin/tenants/${organization}/record-streams`,
    // An address that resolves to nothing: nothing of the town is sent.
    body: { name: 'same', destination: { kind: 'webhook', url: 'https://hooks.invalid/' }, alerts: false },
  },
  {
    id: 'addScimToken',
    path: (organization) => `/api/v1/admin/tenants/${organization}/scim/tokens`,
    body: { name: 'same' },
  },
  {
    id: 'addOrganizationRule',
    path: (organization) => `/api/v1/organizations/${organization}/rules?force=true`,
    // It changes nothing for anybody.
    body: { name: 'same', action: 'warn', match: { tools: ['nothing_is_called_so'] }, reason: 'Same.' },
  },
]

/**
 * A question about a call, as a rule that asks anybody in the organization leaves it, and a lasting grant of its tool; no operation
 * makes one.
 */
export const plantApproval = (db: Db, organization: OrganizationId, id: string, text: string) =>
  db.system(async (sql) => {
    const parameters = {
      by: { roles: ['tenant_viewer'], self: false },
      quorum: 1,
      wait: 3600,
      repeat: 0,
      always: false,
    }
    const rule = { id: 'rul_same', name: 'same', scope: 'organization', reason: 'Same', action: 'approve', parameters }
    const sealed = createTestVault().seal(
      JSON.stringify({ arguments: { text } }),
      approvalSealContext(id as ApprovalId),
    )
    await sql(z.object({}))`
      insert into approvals (id, organization_id, connection_id, tool, effect, digest, principal, caller, rules, sealed_arguments,
                             expires_at)
      select ${id}, ${organization}, id, 'whoami', 'write', md5(${id}) || md5(${id}), 'key_same', ${text}, ${JSON.stringify([rule])},
             ${sealed}, now() + interval '1 hour'
        from connections where organization_id = ${organization} and alias = 'same'`
    await sql(z.object({}))`
      insert into lasting_grants (id, organization_id, connection_id, tool, effect, digest, tool_hash, principal, caller, rules,
                                  granted_by, approval_id)
      select ${id.replace('apr_', 'lgr_')}, ${organization}, id, 'whoami', 'write', md5(${id}) || md5(${id}), md5('') || md5(''),
             'key_same', ${text}, ${JSON.stringify([rule])}, 'usr_same', 'apr_another'
        from connections where organization_id = ${organization} and alias = 'same'`
  })

/** Inserts the stored payload of a call, as for a connection whose administrator has enabled storing it. */
export const plantPayload = (db: Db, organization: OrganizationId, id: string, text: string) => {
  const kept = JSON.stringify({ salt: 'same', arguments: { text }, result: { content: [] }, cut: false })
  return db.system(
    (sql) => sql(z.object({}))`
      insert into record_payloads (id, organization_id, connection, at, sealed)
      values (${id}, ${organization}, 'same', now(), ${createTestVault().seal(kept, payloadSealContext(id))})`,
  )
}

/** Inserts a complete file of a member, with addresses for it that nobody knows. */
export const plantFile = (
  db: Db,
  organization: OrganizationId,
  owner: UserId,
  { id, text }: { id: string; text: string },
) =>
  db.system(async (sql) => {
    const sealed = createTestVault().seal(Buffer.alloc(32).toString('base64'), fileKeySealContext(id as FileId))
    await sql(z.object({}))`
      insert into files (id, organization_id, owner, name, media_type, size, reserved, sha256, state, origin, storage_key, sealed_key,
                         created_at, expires_at)
      values (${id}, ${organization}, ${owner}, ${`Report of ${text}`}, 'text/plain', 4, 4, md5('') || md5(''), 'ready', 'upload',
              ${`${organization}/${id}`}, ${sealed}, now() - interval '1 hour', now() + interval '1 day')`
    await sql(z.object({}))`
      insert into file_links (hash, organization_id, file_id, kind, made_by, expires_at)
      values (decode(md5(${id}) || md5(${text}), 'hex'), ${organization}, ${id}, 'download', ${owner}, now() + interval '1 day')`
  })
