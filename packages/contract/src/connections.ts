/**
 * Names of connections and toolsets, the sealed half of a connection, and the settings of a toolset. The readable half of a connection
 * depends on its kind: `kinds/`.
 */
import { z } from 'zod'
import { LIMITS } from './effects.ts'
import { RuleWords } from './rules.ts'
import { Audience, DISCOVERY_MODES, NAMINGS, ToolsetTools } from './toolset-words.ts'

/**
 * Chosen once, kept for good: clients see tool names that start with it. No `__` and no `_` at its end, so that
 * `alias__tool` can be read in one way only and no connection can take a name of another's.
 */
export const Alias = z.string().regex(/^(?=.{1,31}$)[a-z](?:[a-z0-9-]|_(?=[a-z0-9-]))*$/, {
  error: 'must start with a-z and have at most 31 characters of a-z, 0-9, _ and -, without __ and without _ at the end',
})
export const Slug = z.string().regex(/^[a-z][a-z0-9-]{0,38}$/, {
  error: 'must start with a-z and have at most 39 characters of a-z, 0-9 and -',
})

/**
 * The half of a connection that is sealed: headers for what is reached over HTTP, environment variables for `mcp.process`. Where an
 * address or a command line holds a secret, the true one is here and the settings hold it masked.
 */
export const ConnectionSecrets = z.strictObject({
  headers: z.record(z.string(), z.string()).default({}),
  environment: z.record(z.string(), z.string()).default({}),
  url: z.string().optional(),
  args: z.array(z.string()).optional(),
  /** Further addresses in full, by the name of the setting, where the setting has a mask in place of a secret. */
  addresses: z.record(z.string(), z.string()).optional(),
  /**
   * The origins of further addresses that the headers may go to, by the name of the setting, and whether each may lie in a private
   * network. That of `url` is not among them, nor what is at its origin.
   */
  origins: z.record(z.string(), z.strictObject({ origin: z.string(), private: z.boolean() })).optional(),
})
export type ConnectionSecrets = z.output<typeof ConnectionSecrets>

export const ToolsetSettings = z.strictObject({
  /** Aliases of the connections it selects from; absent means all, later ones too. */
  connections: z.array(Alias).optional(),
  /** Patterns over `alias__tool` with `*` for any run of characters. */
  include: z.array(z.string().min(1)).default(['*']),
  exclude: z.array(z.string().min(1)).default([]),
  /** How far its tools reach: `read` leaves out those that write, `write` those that destroy; absent means all are in. */
  limit: z.enum(LIMITS).optional(),
  /** Rules that hold at its endpoint; one name each. */
  rules: z.array(RuleWords).max(500).optional(),
  /** Narrower limits of single connections, by alias. */
  limits: z.record(Alias, z.enum(LIMITS)).optional(),
  /** How clients come to its tools; absent means `direct`. */
  discovery: z.enum(DISCOVERY_MODES).optional(),
  /** The names of its tools; absent means `alias`. */
  naming: z.enum(NAMINGS).optional(),
  /** Items on a page of its lists, where they are paged. */
  page: z.int().min(1).max(1000).optional(),
  /** Patterns like those of `include`: tools that are listed beside those that find the others. */
  pinned: z.array(z.string().min(1)).max(200).optional(),
  /** The names and texts of single tools there. */
  tools: ToolsetTools.optional(),
  /** Whether its lists have the tools `upload_file` and `download_file`; absent means where one of its tools takes files. */
  files: z.boolean().optional(),
  /** For whom it is there; absent means everybody of the organization. */
  audience: Audience.optional(),
})
export type ToolsetSettings = z.output<typeof ToolsetSettings>

/** Where a row came from; rows of a file are changed in the file. */
export const Origin = z.enum(['first run', 'command line', 'file', 'import', 'administration'])
export type Origin = z.output<typeof Origin>
