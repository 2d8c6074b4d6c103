/** The MCP revisions that Toolway speaks on both sides, oldest first. Revisions are dates, so they compare as text. */
export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const
export type Revision = (typeof REVISIONS)[number]
