/**
 * The cost in tokens of an endpoint's definitions for a model that reads them, by discovery mode, and the clients that accept so
 * many.
 */
import { DISCOVERY_MODES, SMALL_PAGE, type DiscoveryMode } from '@toolway/contract'
import { MODERN } from '@toolway/protocol'
import { ordered } from '../../catalog/page.ts'
import type { ToolListing } from '../../catalog/tool-listing.ts'
import { tokensOf } from '../../lib/tokens.ts'
import { definitionsIn, type Listing } from './listed-tools.ts'

export interface Meter {
  /** Tools that somebody sees who sees all of them. */
  readonly tools: number
  /** Tools that the list names in the mode that the endpoint has. */
  readonly listed: number
  /** An estimate (lib/tokens.ts); of `paged`, what the first page costs. */
  readonly definition_tokens: Readonly<Record<DiscoveryMode, number>>
  /** Numbers of tools above which clients are known to leave some out. */
  readonly exceeds: readonly number[]
}

/** The least and the most that well-known clients take, and what lies between (docs/guides/toolsets.md). */
export const CLIENT_LIMITS = [40, 80, 128] as const

const meters = new WeakMap<ToolListing, Meter>()

export function meterOf(toolListing: ToolListing): Meter {
  const meter = meters.get(toolListing)
  if (meter !== undefined) return meter
  const all = toolListing.list('tools', MODERN)
  const { mode, page = SMALL_PAGE } = toolListing.discovery
  const listing: Listing = { toolListing, all, revision: MODERN }
  const pageOf = ordered(all, 'name', page).slice(0, page)
  const tokens = DISCOVERY_MODES.map(
    (discoveryMode) =>
      [discoveryMode, tokensOf(discoveryMode === 'paged' ? pageOf : definitionsIn(discoveryMode, listing))] as const,
  )
  const listed = definitionsIn(mode, listing).length
  const made: Meter = {
    tools: all.length,
    listed,
    definition_tokens: Object.fromEntries(tokens) as Record<DiscoveryMode, number>,
    exceeds: CLIENT_LIMITS.filter((most) => listed > most),
  }
  meters.set(toolListing, made)
  return made
}
