/** The operations that bring members in from CSV and write them as CSV. */
import { csvLine, type OrganizationId, type UserId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { ImportedMember, ListedMember, MemberImport } from '@toolway/contract/admin'
import type { OrgSql } from '../../db/db.ts'
import { listMemberPage, type MemberFilter, type MemberOnPage } from '../../organizations/members.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'
import { refreshPeople } from '../../snapshot/refresh-people.ts'
import { carryOut } from './import-members.ts'
import { planImport } from './import-plan.ts'

const { serveOrganization } = operationServers<OperationBase>()

/** Rows of the database that an export reads at once. */
const PAGE = 1_000
/** By which a spreadsheet takes the bytes for UTF-8. */
const MARK = '\uFEFF'
const COLUMNS = [...shapes.MEMBER_COLUMNS, 'state', 'source', 'added_at', 'last_seen_at'] as const

function answerOf(items: readonly ImportedMember[], ignored: readonly string[]): MemberImport {
  const counts = { add: 0, change: 0, same: 0, refuse: 0 }
  for (const { result } of items) counts[result] += 1
  return { counts, ignored_columns: [...ignored], items: [...items] }
}

export const memberImportOperations: readonly Served<OperationBase>[] = [
  serveOrganization(shapes.previewMemberImport, async ({ body, origin, read }) => {
    const { lines, ignored } = await read((sql) => planImport(sql, body.csv, origin))
    return answerOf(
      lines.map(({ row }) => row),
      ignored,
    )
  }),

  serveOrganization(shapes.importMembers, async (request) => {
    const { parts, actor, organization, body, origin, read, change, head, signal, progress } = request
    const { lines, ignored } = await read((sql) => planImport(sql, body.csv, origin))
    const importing = { db: parts.db, seals: parts.vault, actor, origin, organization, invite: body.invite, signal }
    const touched = new Set<UserId>()
    const of = lines.length
    const work = carryOut({ ...importing, touched, progress: (done) => progress({ done, of }) }, lines)
    const ended = await settling(work, () => settlePeople(parts, organization.id, [...touched]))
    const answer = answerOf(ended, ignored)
    const detail = { ...answer.counts, invite: body.invite }
    await change(
      () => ({ action: 'member.import', resource: 'member', id: organization.slug, detail }),
      () => Promise.resolve(),
    )
    head.set('cache-control', 'no-store')
    return answer
  }),

  serveOrganization(shapes.exportMembers, async ({ organization, query, read, change, signal }) => {
    await change(
      () => ({ action: 'member.export', resource: 'member', id: organization.slug, detail: query }),
      () => Promise.resolve(),
    )
    return new Response(ReadableStream.from(bytesOf(read, query, signal)), {
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="${organization.slug}-members.csv"`,
      },
    })
  }),
]

/** People that are read by their ids; more of them are read with all. */
const MOST_NAMED = 1_000

async function settlePeople(
  { accounts, snapshots }: OperationBase,
  organization: OrganizationId,
  ids: readonly UserId[],
): Promise<void> {
  if (ids.length === 0) return
  const isFew = ids.length <= MOST_NAMED
  await Promise.all([
    accounts.load(isFew ? ids : undefined),
    isFew ? refreshPeople(snapshots, organization, ids) : snapshots.refresh(organization),
  ])
}

/** The changes of an import are in force, however it ended. */
async function settling<T>(work: Promise<T>, settle: () => Promise<unknown>): Promise<T> {
  try {
    return await work
  } finally {
    await settle()
  }
}

type Read = <T>(work: (sql: OrgSql) => Promise<T>) => Promise<T>

async function* bytesOf(read: Read, filter: MemberFilter, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  yield encoder.encode(MARK + csvLine(COLUMNS))
  let after: readonly string[] | undefined
  do {
    signal.throwIfAborted()
    const from = { sort: 'email', order: 'asc', after, offset: 0, rowLimit: PAGE } as const
    const { rows } = await read((sql) => listMemberPage(sql, filter, from))
    const last = rows.at(-1)
    yield encoder.encode(rows.map((row) => lineOf(row)).join(''))
    after = rows.length < PAGE || last === undefined ? undefined : [last.key, last.user_id]
  } while (after !== undefined)
}

const stateOf = ({ suspended, active }: MemberOnPage): string => {
  if (suspended) return 'suspended'
  return active ? 'active' : 'deactivated'
}

function lineOf(row: MemberOnPage): string {
  const cells: Readonly<Record<(typeof COLUMNS)[number], string | null>> = {
    ...{ name: row.name, email: row.email, role: row.role, groups: row.groups.join('|') },
    ...{ state: stateOf(row), source: row.source },
    added_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at?.toISOString() ?? null,
  } satisfies Partial<Record<keyof ListedMember | 'state', string | null>>
  return csvLine(COLUMNS.map((column) => cells[column]))
}
