/** `toolway org …`: make, list, change and remove organizations on the local store, with the shapes of the admin interface. */
import { Fault, type ApprovalPreset } from '@toolway/contract'
import { NewOrganization, OrganizationChange } from '@toolway/contract/admin'
import type { z } from 'zod'
import { boundedRate } from '../../admin/organizations/organization-rate.ts'
import { changedOrganization } from '../../admin/organizations/organizations.ts'
import {
  addOrganization,
  changeOrganization,
  findOrganization,
  listOrganizations,
  removeOrganization,
  type OrganizationRow,
} from '../../organizations/organizations.ts'
import type { SystemSql } from '../../db/db.ts'
import { recordChange } from '../../records/change.ts'
import { CommandFault, EXIT, table, type Output } from '../terminal/output.ts'
import { ownActor } from '../own-actor.ts'
import { withInstallation } from '../store.ts'

export interface OrganizationWords {
  readonly name?: string
  readonly description?: string
  readonly contact?: string
  readonly requestsPerMinute?: number
  readonly maxRequestsPerMinute?: number
  readonly allowProcesses?: boolean
  readonly approvals?: ApprovalPreset
  readonly active?: boolean
}

const shown = ({ id, slug, name, description, contact_email, active, settings }: OrganizationRow) => ({
  ...{ id, slug, name, description, contact_email, active, settings },
})

/** What was said, and nothing of what was not. */
function wordsOf(words: OrganizationWords) {
  const { name, description, contact, requestsPerMinute, maxRequestsPerMinute, allowProcesses, approvals, active } =
    words
  const settings = {
    ...(requestsPerMinute === undefined ? {} : { requests_per_minute: requestsPerMinute }),
    ...(maxRequestsPerMinute === undefined ? {} : { max_requests_per_minute: maxRequestsPerMinute }),
    ...(allowProcesses === undefined ? {} : { allow_processes: allowProcesses }),
    ...(approvals === undefined ? {} : { approvals }),
  }
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(contact === undefined ? {} : { contact_email: contact }),
    ...(active === undefined ? {} : { is_active: active }),
    settings,
  }
}

export function checked<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> {
  const result = shape.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new CommandFault(`The ${issue?.path.join(' ')} does not fit: ${issue?.message}.`, EXIT.usage)
}

/** A fault of the admin interface, as a command says it. */
export function worded<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (thrown) {
    throw thrown instanceof Fault ? new CommandFault(thrown.message, EXIT.usage) : thrown
  }
}

export async function getOrganization(sql: SystemSql, slug: string): Promise<OrganizationRow> {
  const row = await findOrganization(sql, slug, true)
  if (row === undefined) throw new CommandFault(`There is no organization "${slug}"; \`toolway org list\` shows them.`)
  return row
}

export const add = (slug: string, words: OrganizationWords, output: Output): Promise<number> => {
  const said = checked(NewOrganization, { slug, ...wordsOf(words), name: words.name ?? slug })
  return withInstallation(async ({ db, loaded }) => {
    const { description = null, contact_email = null, is_active: active, name } = said
    const settings = worded(() =>
      boundedRate(said.settings, loaded.config.TOOLWAY_LIMIT_ORGANIZATION, words.requestsPerMinute !== undefined),
    )
    const row = await db.system(async (sql) => {
      const added = await addOrganization(sql, { slug, name, description, contact_email, active, settings })
      if (added === undefined)
        throw new CommandFault(`There is an organization "${slug}" already: choose another slug.`)
      const change = { action: 'organization.add', resource: 'organization', id: added.id, detail: { slug } }
      await recordChange(sql, ownActor(), added.id, change)
      return added
    })
    output.result(shown(row), [`Made ${slug}. Its first key: \`toolway key add NAME -o ${slug}\`.`])
    return EXIT.ok
  })
}

export const list = (output: Output): Promise<number> =>
  withInstallation(async ({ db }) => {
    const rows = await db.system(listOrganizations)
    output.result(
      rows.map(shown),
      table(
        ['SLUG', 'NAME', 'ACTIVE', 'CONTACT'],
        rows.map(({ slug, name, active, contact_email: contact }) => [
          slug,
          name,
          active ? 'yes' : 'no',
          contact ?? '-',
        ]),
      ),
    )
    return EXIT.ok
  })

export const change = (slug: string, words: OrganizationWords, output: Output): Promise<number> => {
  const said = checked(OrganizationChange, wordsOf(words))
  return withInstallation(async ({ db, loaded }) => {
    const standard = loaded.config.TOOLWAY_LIMIT_ORGANIZATION
    const row = await db.system(async (sql) => {
      const held = await getOrganization(sql, slug)
      const next = worded(() => changedOrganization(held, said, standard))
      const changed = await changeOrganization(sql, next)
      const fields = Object.keys({ ...said, ...said.settings }).filter((name) => name !== 'settings')
      const record = { action: 'organization.change', resource: 'organization', id: changed.id, detail: { fields } }
      await recordChange(sql, ownActor(), changed.id, record)
      return changed
    })
    output.result(shown(row), [
      `Changed ${row.slug}.${row.active ? '' : ' It is not active: nothing is served of it.'}`,
    ])
    return EXIT.ok
  })
}

export const remove = (slug: string, { yes = false }: { yes?: boolean }, output: Output): Promise<number> =>
  withInstallation(async ({ db }) => {
    const row = await db.system(async (sql) => {
      const held = await getOrganization(sql, slug)
      if (!yes)
        throw new CommandFault(
          `This removes "${held.name}" with its connections, secrets, keys and members, for good: say --yes, or \`toolway org change ${held.slug} --no-active\` to stop serving it.`,
          EXIT.usage,
        )
      await removeOrganization(sql, held.id)
      const detail = { slug: held.slug, name: held.name }
      const record = { action: 'organization.remove', resource: 'organization', id: held.id, detail }
      await recordChange(sql, ownActor(), undefined, record)
      return held
    })
    output.result({ removed: row.slug }, [`Removed ${row.slug} with everything of it. Its records stay.`])
    return EXIT.ok
  })
