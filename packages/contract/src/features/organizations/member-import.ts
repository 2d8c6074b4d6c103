/**
 * Members in and out as CSV. An import tells of every line what it does or did, and a line that is wrong takes no other along. A preview
 * writes nothing, and tells nothing of accounts that the organization does not see.
 */
import { z } from 'zod'
import { inOrganization, operation } from '../../admin/operation.ts'
import { MEMBER_FILTER, MemberRole } from './members.ts'

const MEMBERS = '/api/v1/admin/tenants/{organization}/members'
const IMPORT = `${MEMBERS}/import`

/** Lines of one import, without its head. */
export const IMPORT_ROWS = 10_000
const IMPORT_BYTES = 4_194_304
export const MEMBER_COLUMNS = ['name', 'email', 'role', 'groups'] as const

/** Why a line is left out. */
export const IMPORT_PROBLEMS = [
  /** A quotation mark without its counterpart. */
  'quote',
  /** More cells than the first line. */
  'cells',
  'email',
  'name',
  'role',
  /** No group of the organization. */
  'group',
  /** The group is declared in a file. */
  'declared',
  /** An earlier line has the same address. */
  'duplicate',
  /** Another organization made the account, and nobody has used it yet. */
  'unproven',
  'last-admin',
  /** Somebody else changed the person meanwhile. */
  'changed',
] as const
export type ImportProblem = (typeof IMPORT_PROBLEMS)[number]

export const ImportedMember = z.strictObject({
  line: z.int(),
  email: z.string(),
  name: z.string(),
  /** `same`: a member whom the line does not change. */
  result: z.enum(['add', 'change', 'same', 'refuse']),
  /** For who comes: their role; for who is a member: the new one, where it changes. */
  role: MemberRole.nullable(),
  /** Slugs of groups that the person comes into. */
  groups: z.array(z.string()),
  problem: z.enum(IMPORT_PROBLEMS).nullable(),
  /** The wrong value, or the number of the earlier line. */
  about: z.string().nullable(),
  /** With which a new person chooses a password, where invitations were asked for. */
  code: z.string().nullable(),
})
export type ImportedMember = z.output<typeof ImportedMember>

const Result = z.int()
export const MemberImport = z.strictObject({
  counts: z.strictObject({ add: Result, change: Result, same: Result, refuse: Result }),
  /** Heads of columns that are not read. */
  ignored_columns: z.array(z.string()),
  /** In the order of the lines. */
  items: z.array(ImportedMember),
})
export type MemberImport = z.output<typeof MemberImport>

/** The first line names the columns: `email`, and any of `name`, `role`, `groups`; groups are separated by `|`, `;` or `,`. */
const Csv = z.string().min(1).max(IMPORT_BYTES)
const needs = inOrganization('user_manage')

export const previewMemberImport = operation({
  id: 'previewMemberImport',
  at: `POST ${IMPORT}/preview`,
  summary: 'Show what an import of members from CSV would do, line by line. Nothing is changed.',
  needs,
  reads: true,
  bodyBytes: IMPORT_BYTES,
  body: z.strictObject({ csv: Csv }),
  answer: MemberImport,
})

export const importMembers = operation({
  id: 'importMembers',
  at: `POST ${IMPORT}`,
  summary:
    'Add members from CSV before they first sign in, and change roles and groups of those who are members. No email is sent.',
  needs,
  bodyBytes: IMPORT_BYTES,
  progress: z.strictObject({ done: z.int(), of: z.int() }),
  body: z.strictObject({
    csv: Csv,
    /** New people get a one-time code to choose a password, which is in the answer. */
    invite: z.boolean().default(false),
  }),
  answer: MemberImport,
})

export const exportMembers = operation({
  id: 'exportMembers',
  at: `GET ${MEMBERS}/export`,
  summary: 'Export the members of an organization as CSV. An import reads it.',
  needs,
  query: z.strictObject({ search: z.string().max(100).optional(), ...MEMBER_FILTER }),
  answer: z.string(),
  media: 'text/csv',
})
