/**
 * Approval requests, as they are stored. Their content and permitted approvers are decided elsewhere. This file ensures that a
 * request is open once, that a grant is used once, and that nothing is valid past its time.
 */
import { newId, ROLES, type ApprovalId, type ConnectionId, type OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'
import type { Newest } from '../lib/page.ts'
import type { Approver } from './approvers.ts'

export const APPROVAL_STATES = ['pending', 'granted', 'denied', 'expired', 'used'] as const
export type ApprovalState = (typeof APPROVAL_STATES)[number]

export const ApprovalRow = z.object({
  id: z.string().transform((id) => id as ApprovalId),
  organization_id: z.string().transform((id) => id as OrganizationId),
  connection_id: z.string().transform((id) => id as ConnectionId),
  tool: z.string(),
  effect: z.enum(['read', 'write', 'destructive']),
  digest: z.string(),
  principal: z.string(),
  /** The creator of the calling key. */
  made_by: z.string().nullable(),
  caller: z.string(),
  user_id: z.string().nullable(),
  client: z.string().nullable(),
  account: z.string().nullable(),
  /** Rules of the action `approve`, whole; read by `storedRules`. */
  rules: z.unknown(),
  sealed_arguments: z.instanceof(Buffer),
  state: z.enum(APPROVAL_STATES),
  created_at: z.date(),
  expires_at: z.date(),
  decided_at: z.date().nullable(),
  decided_by: z.string().nullable(),
  good_until: z.date().nullable(),
  repeats: z.boolean(),
  used_at: z.date().nullable(),
  uses: z.int(),
  told_at: z.date().nullable(),
  /** The digest that a standing grant would be for; null where none may be given. */
  lasting_digest: z.string().nullable(),
  tool_hash: z.string().nullable(),
})
export type ApprovalRow = z.output<typeof ApprovalRow>

const Id = z.object({ id: z.string().transform((id) => id as ApprovalId) })

/** The last one of a digest; it stays as it is until the transaction ends. */
export const lockLatest = async (sql: OrgSql, digest: string): Promise<ApprovalRow | undefined> =>
  (
    await sql(ApprovalRow)`
      select id, organization_id, connection_id, tool, effect, digest, principal, made_by, caller, user_id, client, account, rules,
             sealed_arguments, state, created_at, expires_at, decided_at, decided_by, good_until, repeats, used_at, uses, told_at,
             lasting_digest, tool_hash
        from approvals where digest = ${digest} order by created_at desc, id desc limit 1 for update`
  )[0]

export const lockApproval = async (sql: OrgSql, id: string): Promise<ApprovalRow | undefined> =>
  (
    await sql(ApprovalRow)`
      select id, organization_id, connection_id, tool, effect, digest, principal, made_by, caller, user_id, client, account, rules,
             sealed_arguments, state, created_at, expires_at, decided_at, decided_by, good_until, repeats, used_at, uses, told_at,
             lasting_digest, tool_hash
        from approvals where id = ${id} for update`
  )[0]

export const findApproval = async (sql: OrgSql, id: string): Promise<ApprovalRow | undefined> =>
  (
    await sql(ApprovalRow)`
      select id, organization_id, connection_id, tool, effect, digest, principal, made_by, caller, user_id, client, account, rules,
             sealed_arguments, state, created_at, expires_at, decided_at, decided_by, good_until, repeats, used_at, uses, told_at,
             lasting_digest, tool_hash
        from approvals where id = ${id}`
  )[0]

/** Who looks at approvals, as SQL needs it: what `fits` says of one (`approvers.ts`) is said here of all, so that they come by pages. */
export interface SeenBy {
  /** Everything is shown to who administers the rules. */
  readonly all: boolean
  /** The person, else the key. */
  readonly id: string
  /** Undefined for who answers nothing. */
  readonly approver: Approver | undefined
}

const ApprovalOnPage = ApprovalRow.extend({ key: z.string() })
const Count = z.object({ count: z.int() })

/** The newest first: those of one state or of any, of which somebody is the caller, or which somebody may answer. */
export async function listApprovals(
  sql: OrgSql,
  state: ApprovalState | undefined,
  { all, id: self, approver }: SeenBy,
  { at, id, rowLimit, offset }: Newest,
) {
  const role = approver?.role
  const answers = approver?.id ?? null
  const roles = role === undefined ? [] : ROLES.slice(ROLES.indexOf(role))
  const [email, groups] =
    role === undefined ? [null, []] : [approver?.email?.toLowerCase() ?? null, approver?.groups ?? []]
  const only = state ?? null
  const [counted] = await sql(Count)`
    select count(*)::int as count from approvals
     where (${only}::text is null or state = ${only})
       and (${all}::boolean or principal = ${self} or user_id = ${self} or made_by = ${self} and made_by like 'usr\\_%'
            or exists (
              select from jsonb_array_elements(case jsonb_typeof(rules) when 'array' then rules else '[]' end) as asked (rule),
                     lateral (select rule #> '{parameters,by}' as by) as said
               where by -> 'webhooks' ? ${answers} or by -> 'roles' ?| ${roles}::text[] or by -> 'groups' ?| ${groups}::text[]
                  or exists (select from jsonb_array_elements_text(
                               case jsonb_typeof(by -> 'members') when 'array' then by -> 'members' else '[]' end) as member
                              where lower(member) = ${email})))`
  const rows = await sql(ApprovalOnPage)`
    select id, organization_id, connection_id, tool, effect, digest, principal, made_by, caller, user_id, client, account, rules,
           sealed_arguments, state, created_at, expires_at, decided_at, decided_by, good_until, repeats, used_at, uses, told_at,
           lasting_digest, tool_hash, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as key
      from approvals
     where (${only}::text is null or state = ${only})
       and (${at}::text is null or (created_at, id) < ((${at}::timestamp at time zone 'UTC'), ${id}::text))
       and (${all}::boolean or principal = ${self} or user_id = ${self} or made_by = ${self} and made_by like 'usr\\_%'
            or exists (
              select from jsonb_array_elements(case jsonb_typeof(rules) when 'array' then rules else '[]' end) as asked (rule),
                     lateral (select rule #> '{parameters,by}' as by) as said
               where by -> 'webhooks' ? ${answers} or by -> 'roles' ?| ${roles}::text[] or by -> 'groups' ?| ${groups}::text[]
                  or exists (select from jsonb_array_elements_text(
                               case jsonb_typeof(by -> 'members') when 'array' then by -> 'members' else '[]' end) as member
                              where lower(member) = ${email})))
     order by created_at desc, id desc limit ${rowLimit} offset ${offset}`
  return { rows, total: counted?.count ?? 0 }
}

/** In which organization a question is; undefined where there is none. */
export const organizationOf = async (sql: SystemSql, id: string): Promise<OrganizationId | undefined> =>
  (
    await sql(z.object({ organization_id: z.string().transform((value) => value as OrganizationId) }))`
      select organization_id from approvals where id = ${id}`
  )[0]?.organization_id

const Maker = z.object({ maker: z.string().nullable() })

/**
 * Returns the creator of the key with that id, as far back as it is known; undefined where it is no key. Whose name a key calls
 * in does not matter: ask for the key itself.
 */
export const findKeyMaker = async (sql: OrgSql, principal: string): Promise<string | undefined> =>
  (await sql(Maker)`select key_maker(${principal}) as maker`)[0]?.maker ?? undefined

export interface NewApproval {
  readonly organizationId: OrganizationId
  readonly connectionId: ConnectionId
  readonly tool: string
  readonly effect: string
  readonly digest: string
  readonly principal: string
  /** The key that calls, where that is not the principal: it names somebody for whom it calls. */
  readonly keyId: string | undefined
  /** For people. */
  readonly caller: string
  readonly userId: string | undefined
  readonly client: string | undefined
  readonly account: string | undefined
  readonly rules: readonly object[]
  /** Seconds for which it can be answered. */
  readonly wait: number
  readonly toolHash: string
  readonly standingDigest: string | undefined
}

/** Undefined where somebody was faster: one question of a digest is open at a time. */
export async function addApproval(
  sql: OrgSql,
  added: NewApproval,
  seal: (id: ApprovalId) => Buffer,
): Promise<ApprovalId | undefined> {
  const id = newId('apr')
  const {
    organizationId,
    connectionId,
    tool,
    effect,
    digest,
    principal,
    keyId = principal,
    caller,
    userId,
    client,
    account,
    rules,
    wait,
    toolHash,
    standingDigest,
  } = added
  const rows = await sql(Id)`
    insert into approvals (id, organization_id, connection_id, tool, effect, digest, principal, made_by, caller, user_id, client, account, rules,
                           sealed_arguments, tool_hash, lasting_digest, expires_at)
    values (${id}, ${organizationId}, ${connectionId}, ${tool}, ${effect}, ${digest}, ${principal}, key_maker(${keyId}), ${caller}, ${userId ?? null},
            ${client ?? null}, ${account ?? null}, ${JSON.stringify(rules)}, ${seal(id)}, ${toolHash}, ${standingDigest ?? null},
            now() + make_interval(secs => ${wait}::float8))
    on conflict (organization_id, digest) where state in ('pending', 'granted') do nothing
    returning id`
  return rows[0]?.id
}

const Counts = z.object({ own: z.int(), together: z.int() })

/** How many questions of a caller, with any of a member's keys, and of the organization, wait for an answer. */
export async function countPending(
  sql: OrgSql,
  principal: string,
  userId: string | undefined,
): Promise<z.output<typeof Counts>> {
  const [counted] = await sql(Counts)`
    select count(*) filter (where principal = ${principal} or user_id = ${userId ?? null})::int as own, count(*)::int as together
      from approvals where state = 'pending' and expires_at > now()`
  return counted ?? { own: 0, together: 0 }
}

/** The rules are others by now, and what they ask is what people are to see. */
export const storeRules = (sql: OrgSql, id: ApprovalId, rules: readonly object[], lasting: string | undefined) => sql(
  Id,
)`
  update approvals set rules = ${JSON.stringify(rules)}, lasting_digest = ${lasting ?? null}
   where id = ${id} and (rules <> ${JSON.stringify(rules)}::jsonb or lasting_digest is distinct from ${lasting ?? null})
  returning id`

export interface Good {
  /** Seconds for which the grant is good. */
  readonly seconds: number
  /** For any number of such calls until then. */
  readonly repeats: boolean
}

export const storeGrant = async (sql: OrgSql, id: ApprovalId, by: string, { seconds, repeats }: Good) =>
  (
    await sql(Id)`
      update approvals
         set state = 'granted', decided_at = now(), decided_by = ${by}, repeats = ${repeats},
             good_until = now() + make_interval(secs => ${seconds}::float8)
       where id = ${id} and state = 'pending' and expires_at > now() returning id`
  ).length > 0

export const storeDenial = async (sql: OrgSql, id: ApprovalId, by: string) =>
  (
    await sql(Id)`
      update approvals set state = 'denied', decided_at = now(), decided_by = ${by}
       where id = ${id} and state in ('pending', 'granted') and (uses = 0 or repeats) and coalesce(good_until, expires_at) > now()
      returning id`
  ).length > 0

/** Reopens an approval whose grantor no longer has permission: it waits for others, until its original time limit. */
export const takeBack = (sql: OrgSql, id: ApprovalId) => sql(Id)`
  update approvals set state = 'pending', decided_at = null, decided_by = null, good_until = null, repeats = false
   where id = ${id} and state = 'granted' returning id`

/** Uses the grant up for one call: of any number of calls that come with it at once, one is told so, and with `repeats` each. */
export const useGrant = async (sql: OrgSql, id: ApprovalId, callId: string): Promise<boolean> =>
  (
    await sql(Id)`
      update approvals
         set state = case when repeats then 'granted' else 'used' end, used_at = now(), uses = uses + 1, used_in = ${callId}
       where id = ${id} and state = 'granted' and good_until > now() returning id`
  ).length > 0

/** The call that used the grant ended with a question: its answer goes on with the same grant. */
export const addRound = (sql: OrgSql, id: string) => sql(Id)`
  update approvals set rounds = least(rounds + 1, 20) where id = ${id} and uses > 0 returning id`

/** Uses up one such question, for an hour after the last use; undefined where none is open, or the grant was taken back. */
export const useRound = async (sql: OrgSql, digest: string): Promise<ApprovalId | undefined> =>
  (
    await sql(Id)`
      update approvals set rounds = rounds - 1
       where id = (select id from approvals where digest = ${digest} and used_at > now() - interval '1 hour'
                    order by used_at desc limit 1)
         and rounds > 0 and state in ('granted', 'used') returning id`
  )[0]?.id

export const storeAnswerOfCall = (sql: OrgSql, id: ApprovalId, sealed: Buffer) => sql(Id)`
  update approvals set sealed_answer = ${sealed} where id = ${id} and state in ('granted', 'used') returning id`

export const findAnswerOfCall = async (sql: OrgSql, id: ApprovalId): Promise<Buffer | undefined> =>
  (
    await sql(z.object({ sealed_answer: z.instanceof(Buffer).nullable() }))`
      select sealed_answer from approvals where id = ${id}`
  )[0]?.sealed_answer ?? undefined

/** Its caller knows now that nobody answered. */
export const storeTold = async (sql: OrgSql, id: ApprovalId): Promise<boolean> =>
  (await sql(Id)`update approvals set told_at = now() where id = ${id} and told_at is null returning id`).length > 0

const Due = z.object({
  id: z.string().transform((id) => id as ApprovalId),
  organization_id: z.string().transform((id) => id as OrganizationId),
  connection_id: z.string().transform((id) => id as ConnectionId),
  tool: z.string(),
  state: z.enum(APPROVAL_STATES),
})
export type ExpiredApproval = z.output<typeof Due>

/**
 * Ends what is past its time, of one digest or of all; those that nobody answered, or whose grant nobody used. A grant that was used
 * and ran out is no news.
 */
export const expireDue = async (sql: OrgSql | SystemSql, digest?: string): Promise<ExpiredApproval[]> => {
  const rows = await sql(Due)`
    update approvals a set state = case when a.uses > 0 then 'used' else 'expired' end
      from (select id from approvals
             where state in ('pending', 'granted') and coalesce(good_until, expires_at) <= now()
               and (${digest ?? null}::text is null or digest = ${digest ?? null})
             order by id limit 500 for update skip locked) as due
     where a.id = due.id
    returning a.id, a.organization_id, a.connection_id, a.tool, a.state`
  return rows.filter(({ state }) => state === 'expired')
}

/** Milliseconds until the next one is past its time; undefined where none waits. */
export async function untilDue(sql: SystemSql): Promise<number | undefined> {
  const [found] = await sql(z.object({ wait: z.number().nullable() }))`
    select (extract(epoch from min(coalesce(good_until, expires_at)) - now()) * 1000)::float8 as wait
      from approvals where state in ('pending', 'granted')`
  return found?.wait ?? undefined
}

/** Those that are over, after so many days; the records of them stay. */
export async function removeOldApprovals(sql: SystemSql, days: number): Promise<void> {
  await sql(Id)`
    delete from approvals
     where created_at < now() - make_interval(days => ${days}::int) and state not in ('pending', 'granted') returning id`
  await sql(z.object({ message_id: z.string() }))`
    delete from approval_messages where taken_at < now() - interval '1 hour' returning message_id`
}
