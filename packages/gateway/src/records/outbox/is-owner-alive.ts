/** Whether the gateway that an outbox belongs to still listens to the database: only what a dead one left is adopted. */
import { isAlive } from '../../db/live-listeners.ts'
import type { SystemSql } from '../../db/db.ts'

export const isOwnerAlive = (sql: SystemSql, owner: string): Promise<boolean> => isAlive(sql, owner)
