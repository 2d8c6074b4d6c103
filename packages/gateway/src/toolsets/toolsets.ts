/** Toolsets: named selections with an endpoint, which decide whether a tool is included. */
import {
  lesserLimit,
  newId,
  SMALL_PAGE,
  ToolsetSettings,
  type Audience,
  type DiscoveryMode,
  type Limit,
  type Naming,
  type OrganizationId,
  type ToolsetId,
  type ToolWords,
} from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, Sql, SystemSql } from '../db/db.ts'
import { patternOf } from '../lib/pattern.ts'

export const ToolsetRow = z.object({
  id: z.string().transform((id) => id as ToolsetId),
  organization_id: z.string().transform((id) => id as OrganizationId),
  slug: z.string(),
  title: z.string(),
  settings: ToolsetSettings,
  origin: z.string(),
})
export type ToolsetRow = z.output<typeof ToolsetRow>

interface Wanted {
  readonly ids?: readonly string[] | undefined
  readonly slug?: string
  readonly organizations?: readonly string[]
}

const readToolsets = async (sql: Sql, { ids, slug, organizations }: Wanted) => {
  const rows = await sql(ToolsetRow)`
    select id, organization_id, slug, title, settings, origin from toolsets
     where (${ids ?? null}::text[] is null or id = any(${ids ?? null}::text[]))
       and (${slug ?? null}::text is null or slug = ${slug ?? null})
       and (${organizations ?? null}::text[] is null or organization_id = any(${organizations ?? null}::text[]))
     order by slug`
  return rows.map(readable)
}

/** The stored settings that decide the selection; rules are read one by one. */
const Readable = z.object({
  include: z.array(z.string()),
  exclude: z.array(z.string()),
  connections: z.array(z.string()).optional(),
  pinned: z.array(z.string()).optional(),
  limits: z.record(z.string(), z.string()).optional(),
  tools: z.record(z.string(), z.unknown()).optional(),
  audience: z.record(z.string(), z.unknown()).optional(),
})

/** One that cannot be read selects nothing, stands in the list and says so, and takes no neighbour along. */
const SELECTS_NOTHING: ToolsetSettings = { include: [], exclude: ['*'] }
const readable = (row: ToolsetRow): ToolsetRow =>
  Readable.safeParse(row.settings).success
    ? row
    : { ...row, title: `${row.title} (its stored settings cannot be read)`, settings: SELECTS_NOTHING }

export const isStandIn = ({ settings }: Pick<ToolsetRow, 'settings'>): boolean => settings === SELECTS_NOTHING

/** All of them, or those of these ids. */
export const listToolsets = (sql: OrgSql, ids?: readonly string[]) => readToolsets(sql, { ids })

/** Those of these organizations. */
export const listToolsetsOf = (sql: SystemSql, organizations: readonly string[]) => readToolsets(sql, { organizations })

export const findToolset = async (sql: OrgSql, slug: string): Promise<ToolsetRow | undefined> =>
  (await readToolsets(sql, { slug }))[0]

export interface NewToolset {
  readonly organizationId: OrganizationId
  readonly slug: string
  readonly title: string
  readonly settings: ToolsetSettings
  readonly origin: string
}

const Id = z.object({ id: z.string() })

/** Add the toolset, or make the one of that slug say this. */
export const putToolset = (sql: OrgSql, { organizationId, slug, title, settings, origin }: NewToolset) => sql(Id)`
  insert into toolsets (id, organization_id, slug, title, settings, origin)
  values (${newId('tls')}, ${organizationId}, ${slug}, ${title}, ${JSON.stringify(settings)}, ${origin})
  on conflict (organization_id, slug) do update
     set title = excluded.title, settings = excluded.settings, origin = excluded.origin
  returning id`

export const removeToolset = (sql: OrgSql, slug: string) =>
  sql(Id)`delete from toolsets where slug = ${slug} returning id`

export interface Selection {
  readonly limit: Limit
  /** Undefined where it is for everybody. */
  readonly audience: Audience | undefined
  readonly discovery: Discovery
  readonly naming: Naming
  /** Whether its lists have the tools for files; undefined leaves it to its tools. */
  readonly files?: boolean | undefined
  /** How far the tools of that connection reach; never farther than all of them. */
  limitOf(alias: string): Limit
  /** Whether anything of that connection can be in. */
  connection(alias: string): boolean
  /** Whether the tool or prompt of that joined name (`alias__tool`) is in. */
  tool(alias: string, joined: string): boolean
  /** Whether all of the connection is in, its resources too: patterns speak of tools, and what they leave out stays out. */
  whole(alias: string): boolean
  /** The tool's name and texts there, by its joined name; absent where no tool has texts of its own. */
  readonly words?: (joined: string) => ToolWords | undefined
}

/** How clients come to its tools. */
export interface Discovery {
  readonly mode: DiscoveryMode
  /** Items on a page of a list; undefined for as many as any list has. */
  readonly page: number | undefined
  /** Whether the tool of that joined name is listed although others have to be looked for. */
  pins(joined: string): boolean
}

const DIRECT: Discovery = { mode: 'direct', page: undefined, pins: () => false }

export const EVERYTHING: Selection = {
  limit: 'execute',
  audience: undefined,
  discovery: DIRECT,
  naming: 'alias',
  limitOf: () => 'execute',
  connection: () => true,
  tool: () => true,
  whole: () => true,
}

export function selectionOf(settings: ToolsetSettings): Selection {
  const { connections, include, exclude, limit = 'execute', limits = {}, audience, tools, naming = 'alias' } = settings
  const aliases = connections === undefined ? undefined : new Set(connections)
  const included = include.map(patternOf)
  const excluded = exclude.map(patternOf)
  const connection = (alias: string) => aliases?.has(alias) ?? true
  return {
    limit,
    audience,
    discovery: discoveryOf(settings),
    naming,
    files: settings.files,
    limitOf: (alias) => lesserLimit(limit, Object.hasOwn(limits, alias) ? (limits[alias] ?? limit) : limit),
    connection,
    ...(tools === undefined
      ? {}
      : { words: (joined: string) => (Object.hasOwn(tools, joined) ? tools[joined] : undefined) }),
    whole: (alias) =>
      connection(alias) &&
      exclude.length === 0 &&
      include.some((pattern) => pattern === '*' || pattern === `${alias}__*`),
    tool: (alias, joined) =>
      connection(alias) && included.some((fits) => fits(joined)) && !excluded.some((fits) => fits(joined)),
  }
}

function discoveryOf({ discovery: mode = 'direct', page, pinned = [] }: ToolsetSettings): Discovery {
  const pins = pinned.map(patternOf)
  return {
    mode,
    page: mode === 'paged' ? (page ?? SMALL_PAGE) : undefined,
    pins: (joined) => pins.some((fits) => fits(joined)),
  }
}
