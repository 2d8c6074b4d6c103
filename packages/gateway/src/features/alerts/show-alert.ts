/** An alert as people and their programs see it. */
import type { AlertRow } from './list-alerts.rows.ts'

export const alertOf = ({ id, kind, connection_id, user_id, detail, created_at }: AlertRow) => ({
  id,
  kind,
  connection_id,
  user_id,
  detail,
  created_at: created_at.toISOString(),
})
