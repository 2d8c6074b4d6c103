/**
 * Carries out an import of members: some lines in one transaction, with their records. Where that is refused, each of its lines has a
 * transaction of its own, so that a line which is refused takes no other along.
 */
import { Fault, type OrganizationId, type UserId } from '@toolway/contract'
import type { ImportedMember, ImportProblem } from '@toolway/contract/admin'
import type { Db, OrgSql, SystemSql } from '../../db/db.ts'
import { entryOfChange, type Actor, type Change } from '../../records/change.ts'
import { storeRecords } from '../../records/records.ts'
import { changeRole, join, joinGroup, provideMember, type MemberSeals } from '../people/index.ts'
import type { Origin } from '../../lib/origin.ts'
import type { PlannedLine } from './import-plan.ts'

export interface Importing {
  readonly db: Pick<Db, 'organization' | 'system'>
  readonly seals: MemberSeals
  readonly actor: Actor
  readonly origin: Origin
  readonly organization: { readonly id: OrganizationId; readonly slug: string }
  /** New people get a code to choose a password with. */
  readonly invite: boolean
  readonly signal: AbortSignal
  /** People who came or were changed so far: what is in force of them is read anew. */
  readonly touched: Set<UserId>
  progress(done: number): void
}

/** Lines of one transaction. */
const AT_ONCE = 100

const PROBLEMS: Readonly<Partial<Record<string, ImportProblem>>> = {
  ...{ 'person.unproven': 'unproven', 'last.admin': 'last-admin', 'thing.declared': 'declared' },
  ...{ 'thing.unknown': 'changed', 'thing.taken': 'changed' },
}

/** The lines as they ended, in their order. A caller who is gone ends it between two transactions. */
export async function carryOut(importing: Importing, lines: readonly PlannedLine[]): Promise<ImportedMember[]> {
  const ended: ImportedMember[] = []
  for (let at = 0; at < lines.length; at += AT_ONCE) {
    importing.signal.throwIfAborted()
    const some = lines.slice(at, at + AT_ONCE)
    const added: AddedLines = new Map()
    const settled = settleAll(importing, some, added)
    ended.push(...(await settled.catch((thrown: unknown) => oneByOne(importing, some, { added, thrown }))))
    importing.progress(ended.length)
  }
  return ended
}

async function oneByOne(
  importing: Importing,
  lines: readonly PlannedLine[],
  { added, thrown }: { readonly added: AddedLines; readonly thrown: unknown },
): Promise<ImportedMember[]> {
  problemOf(thrown)
  const ended: ImportedMember[] = []
  for (const line of lines) {
    const settled = await settleAll(importing, [line], added).catch((refusal: unknown): ImportedMember[] => [
      refusedLine(line.row, problemOf(refusal), added.get(line)),
    ])
    ended.push(...settled)
  }
  return ended
}

/** A person who has come already is a member without the groups, and keeps the code. */
const refusedLine = (row: ImportedMember, problem: ImportProblem, member: Added | undefined): ImportedMember =>
  member === undefined
    ? { ...row, result: 'refuse', role: null, groups: [], problem, code: null }
    : { ...row, groups: [], problem, code: member.code ?? null }

/** Throws what is no refusal of a line. */
function problemOf(thrown: unknown): ImportProblem {
  const problem = thrown instanceof Fault ? PROBLEMS[thrown.code] : undefined
  if (problem === undefined) throw thrown
  return problem
}

/** Lines whose people are members now, by an earlier part of the same import. */
type AddedLines = Map<PlannedLine, Added>

/** New people are added first, and once: what is of accounts needs another scope than what is of the organization. */
async function settleAll(
  importing: Importing,
  lines: readonly PlannedLine[],
  added: AddedLines,
): Promise<ImportedMember[]> {
  const { db } = importing
  const { id } = importing.organization
  const coming = lines.filter((line) => line.row.result === 'add' && !added.has(line))
  if (coming.length > 0) {
    const arrivals = await db.system(async (sql) => {
      const members: (readonly [PlannedLine, Added])[] = []
      const changes: Change[] = []
      for (const line of coming) {
        const [member, change] = await add(importing, sql, line.row)
        members.push([line, member])
        changes.push(change)
      }
      await record(importing, sql, changes)
      return members
    })
    for (const [line, member] of arrivals) {
      added.set(line, member)
      importing.touched.add(member.userId)
    }
  }
  const changing = lines.filter(({ row }) => row.result === 'change' || (row.result === 'add' && row.groups.length > 0))
  if (changing.length > 0)
    await db.organization(id, async (sql) => {
      const changes: Change[] = []
      for (const line of changing) {
        const userId = added.get(line)?.userId ?? line.userId
        if (userId === undefined) continue
        importing.touched.add(userId)
        changes.push(...(await change(importing, sql, userId, line.row)))
      }
      await record(importing, sql, changes)
    })
  return lines.map((line) => ({ ...line.row, code: added.get(line)?.code ?? null }))
}

const record = ({ actor, organization }: Importing, sql: OrgSql | SystemSql, changes: readonly Change[]) =>
  storeRecords(
    sql,
    changes.map((change) => entryOfChange(actor, organization.id, change)),
  )

interface Added {
  readonly userId: UserId
  readonly code: string | undefined
}

/** As somebody whom an identity provider provides: the organization alone vouches for a new account. */
async function add(
  { seals, organization, invite }: Importing,
  sql: SystemSql,
  { email, name, role }: ImportedMember,
): Promise<readonly [Added, Change]> {
  if (role === null) throw new Error('a line adds somebody without a role')
  const words = { organizationId: organization.id, email, name: name === '' ? undefined : name, role }
  const { user, invitation, joined } = invite
    ? { ...(await join(sql, seals, { ...words, byPlatform: false, vouch: false })), joined: true }
    : { ...(await provideMember(sql, seals, words)), invitation: undefined }
  // Somebody else has added the person since the plan, perhaps with another role.
  if (!joined) throw new Fault('thing.taken', { thing: 'member', name: user.email })
  const detail = { email: user.email, role, by: 'CSV', invited: invitation !== undefined }
  return [
    { userId: user.id, code: invitation?.code },
    { action: 'member.add', resource: 'member', id: user.id, detail },
  ]
}

async function change(
  { organization, origin }: Importing,
  sql: OrgSql,
  userId: UserId,
  { result, role, groups }: ImportedMember,
): Promise<Change[]> {
  const changes: Change[] = []
  if (result === 'change' && role !== null) {
    const { before } = await changeRole(sql, organization.slug, userId, role)
    const detail = { role, before: before.role, by: 'CSV' }
    changes.push({ action: 'member.change', resource: 'member', id: userId, detail })
  }
  for (const slug of groups) {
    await joinGroup(sql, { organizationId: organization.id, slug, origin }, userId)
    changes.push({ action: 'group.join', resource: 'group', id: slug, detail: { user: userId, by: 'CSV' } })
  }
  return changes
}
