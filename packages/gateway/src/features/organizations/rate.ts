/** How much an organization may send: what it settled for itself, within what the platform allows, else what holds for all. */
import { Fault } from '@toolway/contract'
import type { OrganizationSettings } from '@toolway/contract/admin'

/** No limit at all is 0 in the gateway's settings, and this here. */
const UNLIMITED = 1_000_000
const unlimitedAs = (standard: number): number => (standard === 0 ? UNLIMITED : standard)

/** Requests per minute in force; `standard` is what holds where nothing is settled. */
export const rateOf = (settings: OrganizationSettings, standard: number): number =>
  settings.requests_per_minute ?? unlimitedAs(standard)

/** The most that its own administrators may give it. */
export const mostOf = (settings: OrganizationSettings, standard: number): number =>
  settings.max_requests_per_minute ?? Math.max(unlimitedAs(standard), settings.requests_per_minute ?? 0)

/**
 * Returns the settings with a rate within its bound: a requested rate beyond it is refused (`body.shape`), a stored one is
 * lowered to it. Rate limiting reads only the rate, not the bound.
 */
export function boundedRate(
  settings: OrganizationSettings,
  standard: number,
  isRequested: boolean,
): OrganizationSettings {
  const most = settings.max_requests_per_minute
  if (most === undefined || rateOf(settings, standard) <= most) return settings
  if (isRequested)
    throw new Fault('body.shape', { place: '/requests_per_minute', problem: `must be at most ${most} here` })
  return { ...settings, requests_per_minute: most }
}
