/** Sessions of legacy clients: in memory, and kept in the database so that a restart does not end them and any gateway serves them. */
import type { CallParts } from '../../call/call-parts.ts'
import { watchAgain } from '../../call/read-resource.ts'
import { isAlone } from '../../config.ts'
import { createCleanOld } from '../../lib/clean-old.ts'
import { createKeepSessions, type KeepSessions } from './keep-sessions.job.ts'
import { createLentStreams } from '../../sessions/lent-streams.ts'
import { createRemoteStreams } from '../../sessions/remote-streams.ts'
import { removeOldReaders, type StreamReaderNotice } from '../../sessions/stream-reader-rows.ts'
import {
  findSession,
  removeIdleSessions,
  removeSessions,
  storeSessions,
  tellPageReads,
  touchSessions,
} from '../../sessions/stored-sessions.ts'
import type { PageRead } from '../../sessions/page-reads.ts'
import { createSessionNames } from '../../sessions/session-names.ts'
import { createSessions, type Sessions } from '../../sessions/sessions.ts'
import type { Upstreams } from '../../upstreams/upstreams.ts'
import { streamEventSealContext } from '../../vault/sealed-columns.ts'
import type { BaseWithDatabase } from '../../base/base.ts'

export function startSessions(
  { config, db, vault, log, opened }: BaseWithDatabase,
  upstreams: Upstreams,
  parts: () => Pick<CallParts, 'credentials' | 'tasks'>,
) {
  const names = createSessionNames(Date.now, vault.hash)
  const sessions: Sessions = createSessions({
    now: Date.now,
    newName: names.make,
    mostOfOne: config.TOOLWAY_SESSIONS_PER_PRINCIPAL,
    mostOfOrganization: config.TOOLWAY_SESSIONS_PER_ORGANIZATION,
    most: config.TOOLWAY_SESSIONS_PER_GATEWAY,
    onEnd(session, why) {
      upstreams.forgetSession(session.id)
      keepSessions.ended(session, why)
    },
    onChange: (session) => keepSessions.changed(session),
  })
  const keepSessions: KeepSessions = createKeepSessions({
    now: Date.now,
    log,
    hash: hashOfSession(vault),
    ageOf: names.ageOf,
    sessions,
    store: (all) => db.system((sql) => storeSessions(sql, all)),
    touch: (seen) => db.system((sql) => touchSessions(sql, seen)),
    remove: (hashes) => db.system((sql) => removeSessions(sql, hashes)),
    removeIdle: (since) => db.system((sql) => removeIdleSessions(sql, since)),
    find: (organizationId, requested, within) =>
      db.organization(organizationId, (sql) => findSession(sql, requested), within),
    watchAgain: (requestContext, session) => watchAgain(parts(), requestContext, session),
  })
  opened.defer(() => sessions.close())
  opened.defer(() => keepSessions.close())
  return { sessions, keepSessions }
}

const CLEAN_EVERY = 60_000

/** How gateways tell one another which pages of apps were read; undefined where this gateway is the only one on its database. */
export function pageReadsOf({ config, db }: BaseWithDatabase, keepSessions: Pick<KeepSessions, 'held'>) {
  if (isAlone(config)) return undefined
  return {
    tell: (reads: readonly PageRead[]) => db.system((sql) => tellPageReads(sql, reads)),
    sessionOf: (hash: string) => keepSessions.held(hash),
  }
}

/** Streams of calls between gateways; undefined where this gateway is the only one on its database. */
export function startSharedStreams(
  { config, db, vault, log, opened }: BaseWithDatabase,
  keepSessions: Pick<KeepSessions, 'held'>,
) {
  if (isAlone(config)) return undefined
  const remote = createRemoteStreams({
    db,
    hash: hashOfSession(vault),
    open: (sealed, reader, at) => vault.open(sealed, streamEventSealContext(`${reader} ${at}`)),
  })
  const lent = createLentStreams({
    db,
    sessionOf: (hash) => keepSessions.held(hash),
    seal: (text, reader, at) => vault.seal(text, streamEventSealContext(`${reader} ${at}`)),
    log,
  })
  const cleaning = createCleanOld({
    removeOld: () => db.system(removeOldReaders),
    what: 'readers of streams',
    log,
    every: CLEAN_EVERY,
  })
  opened.defer(() => lent.close())
  opened.defer(() => cleaning.close())
  return {
    remote,
    hear(notice: StreamReaderNotice) {
      lent.hear(notice)
      remote.hear(notice)
    },
    lost: () => remote.lost(),
  }
}

const hashOfSession =
  (vault: BaseWithDatabase['vault']) =>
  (id: string): Buffer =>
    vault.hash(`session ${id}`)
