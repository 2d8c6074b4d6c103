/** `toolway toolset …`: make, show, change and remove toolsets on the local store. Gateways that run hear of it. */
import { DISCOVERY_MODES, Slug, ToolsetSettings } from '@toolway/contract'
import { meterOf, type Meter } from '../../call/discovery/meter.ts'
import { createSnapshot } from '../../call/snapshot.ts'
import { listCatalogs } from '../../catalog/catalogs.ts'
import { listConnections } from '../../connections/connections.ts'
import { listToolStates } from '../../connections/tool-states.ts'
import { recordChange } from '../../records/change.ts'
import { SUPPLIED, withSupplied, type NamedToolset } from '../../toolsets/supplied.ts'
import { listToolsets, putToolset, removeToolset } from '../../toolsets/toolsets.ts'
import type { Common } from '../command-words.ts'
import { ownActor } from '../own-actor.ts'
import { withStore, type Opened } from '../store.ts'
import { CommandFault, EXIT, table, type Output } from '../terminal/output.ts'

export interface ToolsetWords {
  readonly title: string | undefined
  /** Members of `ToolsetSettings`, those that were said. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly audience: object | 'everybody' | undefined
}

const COMMAND_LINE = 'command line'

export const list = ({ organization: slug }: Common, output: Output): Promise<number> =>
  withStore(slug, async (opened) => {
    const all = withSupplied(await opened.db.organization(opened.organization.id, listToolsets))
    const measure = await measuring(opened)
    const rows = all.map((one) => ({ ...shown(one), ...measure(one.slug) }))
    output.result(
      rows,
      table(
        ['TOOLSET', 'DISCOVERY', 'LIMIT', 'TOOLS', 'LISTED', 'TOKENS', 'FOR', 'FROM'],
        rows.map(({ slug, settings, tools, listed, definition_tokens: tokens, origin }) => [
          slug,
          settings.discovery ?? 'direct',
          settings.limit ?? 'execute',
          String(tools),
          String(listed),
          `~${tokens[settings.discovery ?? 'direct']}`,
          settings.audience === undefined ? 'everybody' : 'some',
          origin,
        ]),
      ),
    )
    return EXIT.ok
  })

export const show = (name: string, { organization: slug }: Common, output: Output): Promise<number> =>
  withStore(slug, async (opened) => {
    const all = withSupplied(await opened.db.organization(opened.organization.id, listToolsets))
    const found = all.find((one) => one.slug === name)
    if (found === undefined) throw unknown(name)
    const meter = (await measuring(opened))(name)
    output.result({ ...shown(found), ...meter }, linesOf(found, meter))
    return EXIT.ok
  })

function linesOf({ slug, title, settings, origin }: NamedToolset, meter: Meter): string[] {
  const { discovery = 'direct' } = settings
  return [
    `${slug}: ${title} (${origin})`,
    `Settings: ${JSON.stringify(settings)}`,
    `Tools: ${meter.tools}, of which the list names ${meter.listed}.`,
    '',
    ...table(
      ['DISCOVERY', 'TOKENS', ''],
      DISCOVERY_MODES.map((mode) => [
        mode,
        `~${meter.definition_tokens[mode]}`,
        [mode === discovery ? 'this one' : '', mode === 'paged' ? 'the first page' : ''].filter(Boolean).join(', '),
      ]),
    ),
    ...(meter.exceeds.length === 0
      ? []
      : [
          '',
          `The list names more tools than some clients take (${meter.exceeds.join(', ')}): they leave tools out. \`toolway toolset change ${slug} --discovery search\` makes it short.`,
        ]),
  ]
}

export const add = (name: string, words: ToolsetWords, { organization: slug }: Common, output: Output) =>
  withStore(slug, async (opened) => {
    if (!Slug.safeParse(name).success)
      throw new CommandFault(`"${name}" is no slug: a-z first, then a-z, 0-9 and "-", at most 39.`, EXIT.usage)
    const settings = settingsOf({ include: ['*'], exclude: [] }, words)
    await put(opened, { slug: name, title: words.title ?? name, settings }, (held) => {
      if (held !== undefined)
        throw new CommandFault(`There is a toolset "${name}" already: \`toolway toolset change ${name}\` changes it.`)
    })
    return told(opened, name, 'Made', output)
  })

export const change = (name: string, words: ToolsetWords, { organization: slug }: Common, output: Output) =>
  withStore(slug, async (opened) => {
    const all = withSupplied(await opened.db.organization(opened.organization.id, listToolsets))
    const held = all.find((one) => one.slug === name)
    if (held === undefined) throw unknown(name)
    const settings = settingsOf(held.settings, words)
    await put(opened, { slug: name, title: words.title ?? held.title, settings }, () => {})
    return told(opened, name, 'Changed', output)
  })

export const remove = (name: string, { organization: slug }: Common, output: Output): Promise<number> =>
  withStore(slug, async ({ db, organization }) => {
    await db.organization(organization.id, async (sql) => {
      const held = (await listToolsets(sql)).find((one) => one.slug === name)
      if (held?.origin === 'file') throw declared(name)
      if (held === undefined && SUPPLIED.some((one) => one.slug === name))
        throw new CommandFault(`The toolset "${name}" is supplied: make one of that name, which stands in its place.`)
      if (held === undefined) throw unknown(name)
      await removeToolset(sql, name)
      await recordChange(sql, ownActor(), organization.id, {
        action: 'toolset.remove',
        resource: 'toolset',
        id: name,
        detail: {},
      })
    })
    output.result({ removed: name }, [`Removed the toolset ${name}.`])
    return EXIT.ok
  })

function settingsOf(held: ToolsetSettings, { settings, audience }: ToolsetWords): ToolsetSettings {
  const { audience: before, ...rest } = held
  const next = audience === 'everybody' ? undefined : (audience ?? before)
  const parsed = ToolsetSettings.safeParse({ ...rest, ...settings, ...(next === undefined ? {} : { audience: next }) })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new CommandFault(`${issue?.path.join('.') ?? 'settings'}: ${issue?.message ?? 'does not fit'}.`, EXIT.usage)
}

type Wanted = Pick<NamedToolset, 'slug' | 'title' | 'settings'>

const put = ({ db, organization }: Opened, wanted: Wanted, allow: (held: NamedToolset | undefined) => void) =>
  db.organization(organization.id, async (sql) => {
    const held = (await listToolsets(sql)).find(({ slug }) => slug === wanted.slug)
    if (held?.origin === 'file') throw declared(wanted.slug)
    allow(held)
    await putToolset(sql, { ...wanted, organizationId: organization.id, origin: COMMAND_LINE })
    await recordChange(sql, ownActor(), organization.id, {
      action: 'toolset.put',
      resource: 'toolset',
      id: wanted.slug,
      detail: { ...wanted.settings },
    })
  })

async function told(opened: Opened, name: string, done: string, output: Output): Promise<number> {
  const all = await opened.db.organization(opened.organization.id, listToolsets)
  const found = all.find(({ slug }) => slug === name)
  if (found === undefined) throw unknown(name)
  const meter = (await measuring(opened))(name)
  const { slug } = opened.organization
  output.result({ ...shown(found), ...meter }, [
    `${done} the toolset ${name}: ${meter.tools} ${meter.tools === 1 ? 'tool' : 'tools'}, ${meter.listed} listed. Clients find it at /o/${slug}/t/${name}/mcp.`,
  ])
  return EXIT.ok
}

const shown = ({ slug, title, settings, origin }: NamedToolset) => ({ slug, title, settings, origin })

/** What a toolset comes to by what the store knows of its tools. Rules that hide some are not looked at. */
async function measuring({ db, vault, organization }: Opened): Promise<(slug: string) => Meter> {
  const rows = await db.organization(organization.id, async (sql) => ({
    connections: await listConnections(sql),
    catalogs: await listCatalogs(sql),
    toolsets: await listToolsets(sql),
    states: await listToolStates(sql),
  }))
  const snapshot = createSnapshot({
    ...rows,
    organization,
    members: new Map(),
    // Nobody is called from here.
    upstreams: { open: () => never() },
    unseal: vault.open,
  })
  return (slug) => {
    const view = snapshot.view(slug, undefined, 'execute')
    if (view === undefined) throw unknown(slug)
    return meterOf(view)
  }
}

const never = (): never => {
  throw new Error('a command line calls no upstream')
}

const unknown = (name: string) =>
  new CommandFault(`There is no toolset "${name}"; \`toolway toolset list\` shows them.`)
const declared = (name: string) =>
  new CommandFault(`The toolset "${name}" is declared in the file of TOOLWAY_CONFIG: change it there.`)
