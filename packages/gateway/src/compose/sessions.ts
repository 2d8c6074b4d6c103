/** Sessions of legacy clients: in memory, and kept in the database so that a restart does not end them. */
import type { CallParts } from '../call/ports.ts'
import { watchAgain } from '../call/read-resource.ts'
import { createKeepSessions, type KeepSessions } from '../jobs/keep-sessions.ts'
import {
  findSession,
  removeIdleSessions,
  removeSessions,
  storeSessions,
  touchSessions,
} from '../sessions/stored-sessions.ts'
import { createSessionNames } from '../sessions/session-names.ts'
import { createSessions, type Sessions } from '../sessions/sessions.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'
import type { CoreDependencies } from './core-dependencies.ts'

export function composeSessions(
  { config, db, vault, log, opened }: CoreDependencies,
  upstreams: Upstreams,
  parts: () => Pick<CallParts, 'credentials' | 'tasks'>,
) {
  const names = createSessionNames(Date.now, vault.hash)
  const sessions: Sessions = createSessions({
    now: Date.now,
    newName: names.make,
    mostOfOne: config.TOOLWAY_SESSIONS_PER_PRINCIPAL,
    onEnd(session, why) {
      upstreams.forgetSession(session.id)
      keepSessions.ended(session, why)
    },
    onChange: (session) => keepSessions.changed(session),
  })
  const keepSessions: KeepSessions = createKeepSessions({
    now: Date.now,
    log,
    hash: (id) => vault.hash(`session ${id}`),
    ageOf: names.ageOf,
    sessions,
    store: (all) => db.system((sql) => storeSessions(sql, all)),
    touch: (seen) => db.system((sql) => touchSessions(sql, seen)),
    remove: (hashes) => db.system((sql) => removeSessions(sql, hashes)),
    removeIdle: (since) => db.system((sql) => removeIdleSessions(sql, since)),
    find: (organizationId, wanted, within) =>
      db.organization(organizationId, (sql) => findSession(sql, wanted), within),
    watchAgain: (requestContext, session) => watchAgain(parts(), requestContext, session),
  })
  opened.defer(() => sessions.close())
  opened.defer(() => keepSessions.close())
  return { sessions, keepSessions }
}
