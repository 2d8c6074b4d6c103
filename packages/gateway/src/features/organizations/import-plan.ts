/**
 * The plan of an import of members, line by line, as the organization stands now. It reads members and groups of the organization alone:
 * whether an address that is no member's has an account elsewhere shows when the line is carried out, and that is on record.
 */
import { csvRows, Fault, type CsvRow, type UserId } from '@toolway/contract'
import {
  Email,
  IMPORT_ROWS,
  MEMBER_COLUMNS,
  PersonName,
  type ImportedMember,
  type ImportProblem,
  type MemberRole,
} from '@toolway/contract/admin'
import type { OrgSql } from '../../db/db.ts'
import { emailOf } from '../../identity/users.ts'
import { listGroups, listGroupsOfMembers, type GroupRow } from '../../organizations/groups.ts'
import { listMembersNamed, type MemberRow } from '../../organizations/members.ts'
import type { Origin } from '../../lib/origin.ts'

export interface PlannedLine {
  readonly row: ImportedMember
  /** Undefined for who is no member yet. */
  readonly userId: UserId | undefined
}

export interface Plan {
  readonly lines: readonly PlannedLine[]
  readonly ignored: readonly string[]
}

type Column = (typeof MEMBER_COLUMNS)[number]

const HEADS: Readonly<Record<string, Column>> = { mail: 'email', 'e-mail': 'email', 'email address': 'email' }
const ROLE_WORDS: Readonly<Record<string, MemberRole>> = {
  ...{ tenant_admin: 'tenant_admin', tenant_member: 'tenant_member', tenant_viewer: 'tenant_viewer' },
  ...{ admin: 'tenant_admin', administrator: 'tenant_admin', member: 'tenant_member', viewer: 'tenant_viewer' },
}

interface Standing {
  readonly members: ReadonlyMap<string, MemberRow>
  readonly groupsOf: ReadonlyMap<UserId, readonly string[]>
  readonly groups: ReadonlyMap<string, GroupRow>
}

/** Throws `body.shape` for a text that is no list of people as a whole. */
export async function planImport(sql: OrgSql, csv: string, origin: Origin): Promise<Plan> {
  const [head, ...rows] = csvRows(csv, IMPORT_ROWS + 2)
  const { columns, ignored } = columnsOf(head)
  if (rows.length > IMPORT_ROWS) throw refused(tooMany(IMPORT_ROWS))
  const readings = rows.map((row) => readRow(row, columns))
  const standing = await standingOf(sql, readings)
  const firstLines = new Map<string, number>()
  const lines = readings.map((reading) => {
    const first = firstLines.get(reading.email)
    if (first === undefined && reading.problem === undefined) firstLines.set(reading.email, reading.line)
    if (first !== undefined) return refuse(reading, 'duplicate', String(first))
    return planLine(reading, standing, origin)
  })
  return { lines, ignored }
}

const tooMany = (rows: number) => `has more than ${rows} lines: divide it into several files`
const refused = (problem: string) => new Fault('body.shape', { place: '/csv', problem })

function columnsOf(head: CsvRow | undefined) {
  const heads = head?.cells?.map((cell) => cell.trim()) ?? []
  const names = heads.map((cell) => {
    const word = cell.toLowerCase()
    return HEADS[word] ?? MEMBER_COLUMNS.find((column) => column === word)
  })
  if (!names.includes('email')) throw refused('has no column "email" in its first line')
  const name = names.find((column, at) => column !== undefined && names.indexOf(column) !== at)
  if (name !== undefined) throw refused(`has the column "${name}" twice`)
  return { columns: names, ignored: heads.filter((_, at) => names[at] === undefined).map((cell) => cell.slice(0, 100)) }
}

interface Reading {
  readonly line: number
  readonly email: string
  readonly name: string
  readonly role: MemberRole | undefined
  /** Slugs or titles. */
  readonly groups: readonly string[]
  readonly problem: readonly [ImportProblem, string?] | undefined
}

function readRow({ line, cells }: CsvRow, columns: readonly (Column | undefined)[]): Reading {
  const cellOf = (column: Column) => cells?.[columns.indexOf(column)]?.trim() ?? ''
  const [email, name, role] = [emailOf(cellOf('email')), cellOf('name'), cellOf('role').toLowerCase()]
  const groups = [...new Set(cellOf('groups').split(/[|;,]/))]
    .map((group) => group.trim())
    .filter((group) => group !== '')
  const reading = { line, email, name, role: ROLE_WORDS[role], groups }
  const isLong = cells !== undefined && cells.slice(columns.length).some((cell) => cell.trim() !== '')
  const problem = (): Reading['problem'] => {
    if (cells === undefined) return ['quote']
    if (isLong) return ['cells', String(cells.length)]
    if (!Email.safeParse(email).success) return ['email', email]
    if (name !== '' && (!PersonName.safeParse(name).success || CONTROL.test(name))) return ['name', name]
    return role !== '' && reading.role === undefined ? ['role', role] : undefined
  }
  return { ...reading, problem: problem() }
}

/** Characters that no name has, and PostgreSQL does not all take. */
const CONTROL = /\p{Cc}/u

async function standingOf(sql: OrgSql, readings: readonly Reading[]): Promise<Standing> {
  const emails = readings.map(({ email }) => email)
  const members = await listMembersNamed(
    sql,
    emails.filter((email) => !CONTROL.test(email)),
  )
  const groups = await listGroups(sql)
  return {
    members: new Map(members.map((member) => [member.email, member])),
    groupsOf: await listGroupsOfMembers(
      sql,
      members.map(({ user_id: id }) => id),
    ),
    // A slug is never taken for the title of another group.
    groups: new Map([
      ...groups.map((group) => [group.title.toLowerCase(), group] as const),
      ...groups.map((group) => [group.slug, group] as const),
    ]),
  }
}

const MOST_TEXT = 254

function refuse({ line, email, name }: Reading, problem: ImportProblem, about?: string): PlannedLine {
  const row = { line, email: email.slice(0, MOST_TEXT), name: name.slice(0, MOST_TEXT), role: null, groups: [] }
  return {
    row: { ...row, result: 'refuse', problem, about: about?.slice(0, MOST_TEXT) ?? null, code: null },
    userId: undefined,
  }
}

function planLine(reading: Reading, { members, groupsOf, groups }: Standing, origin: Origin): PlannedLine {
  if (reading.problem !== undefined) return refuse(reading, ...reading.problem)
  const found = reading.groups.map((name) => groups.get(name) ?? groups.get(name.toLowerCase()))
  const unknown = reading.groups[found.indexOf(undefined)]
  if (unknown !== undefined) return refuse(reading, 'group', unknown)
  const wanted = found.flatMap((group) => group ?? [])
  const declared = wanted.find((group) => group.origin === 'file' && origin !== 'file')
  if (declared !== undefined) return refuse(reading, 'declared', declared.slug)
  const member = members.get(reading.email)
  const within = member === undefined ? [] : (groupsOf.get(member.user_id) ?? [])
  const joining = [...new Set(wanted.map(({ slug }) => slug))].filter((slug) => !within.includes(slug))
  const { line, email, name } = reading
  const row = { line, email, groups: joining, problem: null, about: null, code: null }
  if (member === undefined)
    return { row: { ...row, name, result: 'add', role: reading.role ?? 'tenant_member' }, userId: undefined }
  const role = reading.role === undefined || reading.role === member.role ? null : reading.role
  const result = role === null && joining.length === 0 ? 'same' : 'change'
  return { row: { ...row, name: member.name, result, role }, userId: member.user_id }
}
