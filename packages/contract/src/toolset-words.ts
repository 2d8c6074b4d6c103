/** What can be said of a toolset beside its selection: how its tools are found, and for whom it is there (ledger U-08, U-19). */
import { z } from 'zod'
import { ROLES } from './roles.ts'

/**
 * How clients come to tools. `direct`: the list has all of them, in large pages. `paged`: in small pages. `two-tier`: two tools for
 * each connection, one that lists and one that calls. `search`: three tools for all, one that finds, one that describes, one that
 * calls.
 */
export const DISCOVERY_MODES = ['direct', 'paged', 'two-tier', 'search'] as const
export type DiscoveryMode = (typeof DISCOVERY_MODES)[number]

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
    error: 'names nobody: say roles, groups, members or keys, or leave the audience out',
  })
export type Audience = z.output<typeof Audience>
