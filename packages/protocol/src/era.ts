/**
 * The protocol revisions, and the two families they fall into.
 *
 * *Legacy* revisions (2024-11-05 to 2025-11-25) open with `initialize` and may keep a session; the *modern* one (2026-07-28)
 * carries version and client capabilities in every request. Revisions are dates, so they compare as text.
 */
import { REVISIONS, type Revision } from '@toolway/contract'

export { REVISIONS }
export type { Revision }

export const MODERN = '2026-07-28' satisfies Revision
export const NEWEST_LEGACY = '2025-11-25' satisfies Revision
/** The revision of a request without the version header (2025-03-26, transports: backwards compatibility). */
export const UNSTATED = '2025-03-26' satisfies Revision

export type LegacyRevision = Exclude<Revision, typeof MODERN>
export type Era = 'legacy' | 'modern'

export const isRevision = (value: unknown): value is Revision => REVISIONS.includes(value as Revision)
export const isLegacyRevision = (value: unknown): value is LegacyRevision => isRevision(value) && value !== MODERN
export const eraOf = (revision: Revision): Era => (revision === MODERN ? 'modern' : 'legacy')

/** The revision to answer `initialize` with: the asked one, else the newest legacy one that is not newer (S3-MCP-05). */
export function negotiate(requested: string): LegacyRevision {
  if (isLegacyRevision(requested)) return requested
  const older = REVISIONS.filter(isLegacyRevision).filter((revision) => revision <= requested)
  return older.at(-1) ?? NEWEST_LEGACY
}

/** Whether a server of that revision must accept an array of messages (only 2025-03-26; leniency before 2025-11-25, U-12). */
export const takesBatches = (revision: Revision): boolean => revision < NEWEST_LEGACY
