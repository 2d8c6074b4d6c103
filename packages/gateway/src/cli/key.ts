/**
 * `toolway key …`: make, list, remove and take over the keys of an organization or of the platform, here in the data directory. A
 * key is printed once and kept nowhere. What a key can be, and its record, are those of the admin interface (`admin/keys/make-key.ts`).
 */
import { readFile } from 'node:fs/promises'
import { Fault, LIMITS, ROLES, type Limit, type OrganizationId, type Role } from '@toolway/contract'
import { LOCAL_KEY } from '../admin/installation/first-run.ts'
import { keyChange, makeKey, toKey } from '../admin/keys/make-key.ts'
import { importKeys } from '../admin/keys/old-keys.ts'
import type { OrgSql, SystemSql } from '../db/db.ts'
import { listAllKeys, listKeys, removeKeyById, type KeyRow } from '../identity/keys/keys.ts'
import { listOrganizations } from '../organizations/organizations.ts'
import { recordChange } from '../records/change.ts'
import { isToolset } from '../toolsets/supplied.ts'
import { listToolsets } from '../toolsets/toolsets.ts'
import { readInput } from './terminal/input.ts'
import { CommandFault, EXIT, table, type Output } from './terminal/output.ts'
import { ownActor } from './own-actor.ts'
import { withStore, type Opened } from './store.ts'

const COMMAND_LINE = 'command line'

export interface KeyOptions {
  readonly organization: string
  readonly toolset?: string
  readonly role?: string
  readonly limit?: string
  readonly expires?: string
  readonly family?: string
  readonly trusted?: boolean
}

/** Where a command works: in the organization, or for the platform, whose keys have none. */
function within<T>(
  { db, organization }: Opened,
  platform: boolean,
  work: (sql: OrgSql | SystemSql, organizationId: OrganizationId | undefined) => Promise<T>,
): Promise<T> {
  if (platform) return db.system((sql) => work(sql, undefined))
  return db.organization(organization.id, (sql) => work(sql, organization.id))
}

export async function add(name: string, options: KeyOptions, output: Output): Promise<number> {
  const { organization, toolset } = options
  const [role, limit, family] = [roleOf(options), limitOf(options), familyOf(options)]
  const expiresAt = timeOf(options.expires)
  return withStore(organization, async (opened) => {
    const { db, vault, organization: own } = opened
    const isPlatform = role === 'platform_admin'
    const toolsets = isPlatform ? [] : await db.organization(own.id, listToolsets)
    if (toolset !== undefined && !isToolset(toolsets, toolset))
      throw new CommandFault(
        `There is no toolset "${toolset}" in ${own.slug}: \`toolway toolset list\` shows them, \`toolway toolset add\` makes one.`,
      )
    const { row, key } = await within(opened, isPlatform, async (sql, organizationId) => {
      const made = await makeKey(
        sql,
        vault.hash,
        {
          organizationId,
          name,
          family: isPlatform ? 'scoped' : family,
          role,
          limit,
          toolset,
          trusted: options.trusted ?? false,
          expiresAt,
          origin: COMMAND_LINE,
          createdBy: COMMAND_LINE,
        },
        toolsets,
      )
      await recordChange(sql, ownActor(), organizationId, keyChange('key.add', made.row))
      return made
    }).catch((thrown: unknown) => {
      throw wordFault(thrown, name)
    })
    output.result({ ...told(row), key }, [key])
    // Beside the result, so that `KEY=$(toolway key add laptop)` holds the key and nothing else.
    if (!output.json) output.progress('It is shown only this once.')
    return EXIT.ok
  })
}

/** A refusal in words for who sits here. */
function wordFault(thrown: unknown, name: string): unknown {
  if (!(thrown instanceof Fault)) return thrown
  if (thrown.code === 'thing.taken')
    return new CommandFault(`A key named "${name}" exists already: choose another name, or remove that one first.`)
  return new CommandFault(`${thrown.message} ${thrown.mend}`, thrown.code === 'body.shape' ? EXIT.usage : EXIT.failed)
}

function roleOf({ role = 'tenant_member' }: KeyOptions): Role {
  const meant = ROLES.find((one) => one === role || one === `tenant_${role}`)
  if (meant === undefined) throw new CommandFault(`"${role}" is no role: it is one of ${ROLES.join(', ')}.`, EXIT.usage)
  return meant
}

function limitOf({ limit = 'execute' }: KeyOptions): Limit {
  const meant = LIMITS.find((one) => one === limit)
  if (meant === undefined)
    throw new CommandFault(`"${limit}" is no limit: it is one of ${LIMITS.join(', ')}.`, EXIT.usage)
  return meant
}

function familyOf({ family = 'uru' }: KeyOptions): 'uru' | 'scoped' {
  if (family !== 'uru' && family !== 'scoped')
    throw new CommandFault(`"${family}" is no family: it is uru or scoped.`, EXIT.usage)
  return family
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `30d`, `12h`, `15m`, or a date. */
function timeOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const [, count = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  const until = count === '' ? new Date(text) : new Date(Date.now() + Number(count) * (UNITS[unit] ?? 0))
  const isDate = count !== '' || /^\d{4}-\d\d-\d\d/.test(text)
  if (!isDate || Number.isNaN(until.getTime()))
    throw new CommandFault(`"${text}" is no time: write 30d, 12h, 15m or a date, 2027-01-31.`, EXIT.usage)
  return until
}

const told = (row: KeyRow) => {
  const { scope: role, tenant_id: organization, created_at: created, ...rest } = toKey(row)
  return { ...rest, role, organization, origin: row.origin, created }
}

export const list = (options: { organization: string; platform?: boolean }, output: Output): Promise<number> =>
  withStore(options.organization, async ({ db, organization: own }) => {
    const keys = options.platform
      ? (await db.system(listAllKeys)).filter(({ organization_id: id }) => id === null)
      : await db.organization(own.id, listKeys)
    const values = keys.map(told)
    output.result(
      values,
      table(
        ['NAME', 'BEGINS', 'ENDS IN', 'ROLE', 'LIMIT', 'TOOLSET', 'EXPIRES', 'LAST USED', 'FROM', 'ID'],
        values.map((value) => [
          value.name,
          value.prefix ?? '-',
          value.hint === '' ? '-' : value.hint,
          value.user_id === null ? value.role : 'as its member',
          value.limit,
          value.toolset ?? 'any',
          minuteOf(value.expires_at) ?? 'never',
          minuteOf(value.last_used_at) ?? 'never',
          value.origin,
          value.id,
        ]),
      ),
    )
    return EXIT.ok
  })

const minuteOf = (time: string | null): string | undefined =>
  time?.slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')

/** By its name, or by its id where it is a member's. */
export const remove = (
  name: string,
  { organization, platform = false }: { organization: string; platform?: boolean },
  output: Output,
): Promise<number> =>
  withStore(organization, async (opened) => {
    const keys = platform
      ? (await opened.db.system(listAllKeys)).filter(({ organization_id: id }) => id === null)
      : await opened.db.organization(opened.organization.id, listKeys)
    const meant = keys.find((key) => (key.user_id === null && key.name === name) || key.id === name)
    const removed = await within(opened, platform, async (sql, organizationId) => {
      const row = meant === undefined ? undefined : await removeKeyById(sql, meant.id)
      if (row !== undefined) await recordChange(sql, ownActor(), organizationId, keyChange('key.remove', row))
      return row
    })
    if (removed === undefined)
      throw new CommandFault(
        platform
          ? `There is no key of the platform named "${name}"; \`toolway key list --platform\` shows them.`
          : `There is no key named "${name}" in ${organization}; \`toolway key list\` shows them, and with --platform those of the platform.`,
      )
    const again =
      removed.name === LOCAL_KEY && removed.user_id === null
        ? ['The commands of this machine called with it; the next start gives them a new one, in the data directory.']
        : []
    output.result({ removed: name }, [`Removed the key "${removed.name}": it is refused from now on.`, ...again])
    return EXIT.ok
  })

export const takeOver = (file: string, { organization }: { organization: string }, output: Output): Promise<number> =>
  withStore(organization, async ({ db }) => {
    const text = file === '-' ? await readInput() : await readText(file)
    const organizations = await db.system(listOrganizations)
    const findOrganization = (name: string) => organizations.find(({ slug, id }) => slug === name || id === name)?.id
    const count = await importKeys({ db, actor: ownActor(), findOrganization }, text).catch((thrown: unknown) => {
      throw thrown instanceof Fault ? new CommandFault(thrown.message) : thrown
    })
    output.result({ imported: count }, [
      `Took over ${count} ${count === 1 ? 'key' : 'keys'}: each works as before, and is kept by a keyed hash from its first use on.`,
    ])
    return EXIT.ok
  })

const readText = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    throw new CommandFault(`${file} cannot be read (${thrown.code}): check the path and its permissions.`)
  })
