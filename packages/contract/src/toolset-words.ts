/**
 * The settings of a toolset besides its selection: its discovery mode, the names and texts of its tools, and its audience (ledger
 * U-08, U-19).
 */
import { z } from 'zod'
import { ROLES } from './roles.ts'

/**
 * How clients come to tools. `direct`: the list has all of them, in large pages. `paged`: in small pages. `two-tier`: two tools for
 * each connection, one that lists and one that calls. `search`: three tools for all, one that finds, one that describes, one that
 * calls.
 */
export const DISCOVERY_MODES = ['direct', 'paged', 'two-tier', 'search'] as const
export type DiscoveryMode = (typeof DISCOVERY_MODES)[number]

/**
 * The names of tools at the endpoint of a toolset. `alias`: `alias__tool`. `mcp`: `mcp__alias__tool`, the name that agents give a tool of a
 * server when they connect to each server themselves. `plain`: the tool's own name where no other tool there has it, else `alias__tool`.
 */
export const NAMINGS = ['alias', 'mcp', 'plain'] as const
export type Naming = (typeof NAMINGS)[number]

/** Tools on one page of a list, where a toolset has small pages and says no other number. */
export const SMALL_PAGE = 50

/** For whom a toolset is there: whoever fits one member of it. For everybody else there is no such toolset. */
export const Audience = z
  .strictObject({
    /** Exactly these: a role is not in because a lesser one is. */
    roles: z.array(z.enum(ROLES)).min(1).optional(),
    /** Slugs of groups of members. */
    groups: z.array(z.string().min(1).max(100)).min(1).max(200).optional(),
    /** Addresses of members. */
    members: z.array(z.email().toLowerCase()).min(1).max(1000).optional(),
    /** Names of keys that belong to nobody, or ids of any. */
    keys: z.array(z.string().min(1).max(200)).min(1).max(1000).optional(),
  })
  .refine((audience) => Object.values(audience).some((member) => member !== undefined), {
    error: 'includes nobody: set roles, groups, members or keys, or omit the audience',
  })
export type Audience = z.output<typeof Audience>

/** Tools of the gateway itself, which a list may have beside those of servers. */
export const OWN_TOOLS: ReadonlySet<string> = new Set(['search_tools', 'describe_tool', 'call_tool', 'read_result'])

/** The name and the texts of one tool at the endpoint of a toolset, instead of its server's. */
export const ToolWords = z
  .strictObject({
    /**
     * Clients of all kinds take such a name. Names with `__` are those of connections, so that no tool that comes later ever gets one
     * that somebody knows another by.
     */
    name: z
      .string()
      .regex(/^[a-zA-Z](?:[a-zA-Z0-9-]|_(?!_)){0,63}$/, {
        error: 'must start with a letter and have at most 64 characters of a-z, A-Z, 0-9, _ and -, without __',
      })
      .refine((name) => !OWN_TOOLS.has(name), { error: 'is the name of a tool of the gateway itself' })
      .optional(),
    title: z.string().trim().min(1).max(200).optional(),
    description: z.string().trim().min(1).max(10_000).optional(),
  })
  .refine((words) => Object.values(words).some((word) => word !== undefined), {
    error: 'is empty: set a name, a title or a description, or omit the tool',
  })
export type ToolWords = z.output<typeof ToolWords>

/** By joined name (`alias__tool`). */
export const ToolsetTools = z
  .record(z.string().min(1).max(200), ToolWords)
  .refine((tools) => Object.keys(tools).length <= 2_000, { error: 'has more than 2000 tools' })
  .refine((tools) => isDistinct(Object.values(tools).flatMap(({ name }) => name ?? [])), {
    error: 'gives two tools the same name',
  })

const isDistinct = (names: readonly string[]): boolean => new Set(names).size === names.length
