/**
 * Flows: a person on the way to an authorization server and back. A row is written when the way begins and taken away by the
 * statement that reads it, so that a state comes back once.
 *
 * States and cookies of browsers are here as their SHA-256 only. It never asks an authorization server anything.
 */
import {
  Authority,
  ClientAuthMethod,
  type ConnectionId,
  type FlowId,
  type OAuthAppId,
  type OrganizationId,
  type UserId,
} from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'

export const FlowRow = z.object({
  id: z.string().transform((id) => id as FlowId),
  organization_id: z.string().transform((id) => id as OrganizationId),
  connection_id: z
    .string()
    .transform((id) => id as ConnectionId)
    .nullable(),
  provider: z.string(),
  user_id: z
    .string()
    .transform((id) => id as UserId)
    .nullable(),
  begun_by: z.string(),
  account: z.string().nullable(),
  sealed_verifier: z.instanceof(Buffer),
  client_id: z.string(),
  sealed_client_secret: z.instanceof(Buffer).nullable(),
  app_id: z
    .string()
    .transform((id) => id as OAuthAppId)
    .nullable(),
  auth_method: ClientAuthMethod.nullable(),
  authority: Authority,
  server: z.string().nullable(),
  scopes: z.array(z.string()),
  redirect_uri: z.string(),
  return_to: z.string().nullable(),
  /** The account that the person lets it replace. */
  replaces: z.string().nullable(),
})
export type FlowRow = z.output<typeof FlowRow>

export interface NewFlow extends Omit<FlowRow, 'organization_id'> {
  readonly organizationId: OrganizationId
  readonly stateHash: Buffer
  readonly browserHash: Buffer
  readonly expiresAt: Date
}

const Nothing = z.object({})

export async function addFlow(sql: OrgSql, flow: NewFlow): Promise<void> {
  await sql(Nothing)`
    insert into oauth_flows (id, organization_id, connection_id, provider, user_id, begun_by, account, state_hash,
                             browser_hash, sealed_verifier, client_id, sealed_client_secret, app_id, auth_method, authority,
                             server, scopes, redirect_uri, return_to, replaces, expires_at)
    values (${flow.id}, ${flow.organizationId}, ${flow.connection_id}, ${flow.provider}, ${flow.user_id}, ${flow.begun_by},
            ${flow.account}, ${flow.stateHash}, ${flow.browserHash}, ${flow.sealed_verifier}, ${flow.client_id},
            ${flow.sealed_client_secret}, ${flow.app_id}, ${flow.auth_method}, ${JSON.stringify(flow.authority)},
            ${flow.server}, ${flow.scopes}, ${flow.redirect_uri}, ${flow.return_to}, ${flow.replaces}, ${flow.expiresAt})`
}

export interface Returning {
  readonly stateHash: Buffer
  /** Of the cookie that the browser has for this state; undefined where it has none. */
  readonly browserHash: Buffer | undefined
  /** The address it came back to must be the one it was sent with. */
  readonly redirectUri: string
}

/**
 * The flow of a state that comes back to the browser that began it: read and taken away by one statement, and remembered as spent
 * for a day. Undefined for anything else, of which nothing is changed.
 */
export async function takeFlow(sql: SystemSql, { stateHash, browserHash, redirectUri }: Returning) {
  const [row] = await sql(FlowRow)`
    with taken as (
      delete from oauth_flows
       where state_hash = ${stateHash} and browser_hash = ${browserHash ?? null} and redirect_uri = ${redirectUri}
         and expires_at > now()
      returning *),
    spent as (
      insert into spent_states (hash, expires_at) select state_hash, now() + interval '1 day' from taken
      on conflict do nothing)
    select id, organization_id, connection_id, provider, user_id, begun_by, account, sealed_verifier, client_id,
           sealed_client_secret, app_id, auth_method, authority, server, scopes, redirect_uri, return_to, replaces
      from taken`
  return row
}

const Why = z.object({ late: z.boolean().nullable(), spent: z.boolean() })

/** Why a state was not taken: it is over, it came back before, it belongs to another browser, or nobody knows it. */
export async function whyNot(sql: SystemSql, stateHash: Buffer): Promise<'late' | 'spent' | 'foreign' | 'unknown'> {
  const [why] = await sql(Why)`
    select (select expires_at <= now() from oauth_flows where state_hash = ${stateHash}) as late,
           exists (select 1 from spent_states where hash = ${stateHash}) as spent`
  if (why?.spent === true) return 'spent'
  if (why === undefined || why.late === null) return 'unknown'
  return why.late ? 'late' : 'foreign'
}

/** Those that ran out long enough ago that nobody wonders about them any more. */
export async function removeOldFlows(sql: SystemSql): Promise<void> {
  await sql(Nothing)`delete from oauth_flows where expires_at < now() - interval '1 day'`
}
