/**
 * The sections of a declaration file that say something of the organization itself. They have no origin: what the file says is carried
 * out at each start, and what it no longer says stays.
 */
import { Fault, type EgressExceptions, type OrganizationId } from '@toolway/contract'
import type { AuditAction, NewWebhook, OrganizationSettings } from '@toolway/contract/admin'
import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { changeEgress, changeOrganization, type OrganizationRow } from '../../organizations/organizations.ts'
import { recordChange, type Actor, type Change } from '../../records/change.ts'
import { webhookSecretRow } from '../../vault/sealed-columns.ts'
import { newWebhookSecret, addWebhook, changeWebhook, listWebhooks } from '../webhooks/index.ts'
import { namesPrivate } from '../../kinds/remote.ts'
import { refusePublic } from '../organizations/index.ts'
import { DeclarationConflict } from './declare-rules.ts'

export interface DeclaredSections {
  readonly description?: string | undefined
  readonly contact_email?: string | undefined
  readonly settings?: OrganizationSettings | undefined
  readonly egress?: EgressExceptions | undefined
  readonly webhooks?: readonly z.output<typeof NewWebhook>[] | undefined
}

const FILE = 'file'

export async function settleOrganization(
  sql: SystemSql,
  stored: OrganizationRow,
  { description, contact_email, settings, egress }: DeclaredSections,
  actor: Actor,
): Promise<OrganizationRow> {
  const said = Object.entries({ description, contact_email, settings, egress }).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, stored[name as keyof OrganizationRow]),
  )
  if (said.length === 0) return stored
  if (egress !== undefined) refuseEgress(egress)
  const next: OrganizationRow = { ...stored, ...Object.fromEntries(said) }
  await changeOrganization(sql, next)
  if (said.some(([name]) => name === 'egress')) await changeEgress(sql, stored.id, next.egress)
  const detail = { fields: said.map(([name]) => name), origin: FILE }
  await recordChange(sql, actor, stored.id, {
    action: 'organization.change',
    resource: 'organization',
    id: stored.id,
    detail,
  })
  return next
}

function refuseEgress(egress: EgressExceptions): void {
  try {
    refusePublic(egress)
  } catch (thrown) {
    throw thrown instanceof Fault
      ? new DeclarationConflict(`The declaration file's egress is not valid: ${thrown.message}`)
      : thrown
  }
}

interface DeclareWebhooks {
  readonly sql: OrgSql
  readonly vault: { seal(text: string, row: string): Buffer }
  readonly organization: { readonly id: OrganizationId }
  say(change: Change): void
}

/** Known by their addresses. The secret of a new one is made here; a rotation shows one. */
export async function declareWebhooks(
  { sql, vault, organization, say }: DeclareWebhooks,
  requested: NonNullable<DeclaredSections['webhooks']>,
): Promise<void> {
  if (requested.length === 0) return
  const present = await listWebhooks(sql)
  for (const { url, private: reach = namesPrivate(url), description = null, events, enabled } of requested) {
    const words = { url, private: reach, description, events, enabled }
    const held = present.find((item) => item.url === url)
    if (held === undefined) {
      const id = await addWebhook(sql, organization.id, words, (row) =>
        vault.seal(newWebhookSecret(), webhookSecretRow(row)),
      )
      say(changeOf('webhook.add', id, url, events))
    } else if (!isDeepStrictEqual(words, wordsOf(held))) {
      await changeWebhook(sql, held, words)
      say(changeOf('webhook.change', held.id, url, events))
    }
  }
}

const wordsOf = ({
  url,
  private: reach,
  description,
  events,
  enabled,
}: Awaited<ReturnType<typeof listWebhooks>>[number]) => ({
  ...{ url, private: reach, description, events, enabled },
})

const changeOf = (action: AuditAction, id: string, url: string, events: readonly string[]): Change => ({
  action,
  resource: 'webhook',
  id,
  detail: { host: new URL(url).host, events, origin: FILE },
})
