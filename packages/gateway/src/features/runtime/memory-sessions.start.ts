/** Sessions of legacy clients where nothing is stored: they live as long as the process does. */
import type { KeepSessions } from './keep-sessions.job.ts'
import { createSessions } from '../../sessions/sessions.ts'
import type { Upstreams } from '../../upstreams/upstreams.ts'
import type { Base } from '../../base/base.ts'

export function startMemorySessions({ config, opened }: Base, upstreams: Pick<Upstreams, 'forgetSession'>) {
  const sessions = createSessions({
    now: Date.now,
    mostOfOne: config.TOOLWAY_SESSIONS_PER_PRINCIPAL,
    mostOfOrganization: config.TOOLWAY_SESSIONS_PER_ORGANIZATION,
    most: config.TOOLWAY_SESSIONS_PER_GATEWAY,
    onEnd: (session) => upstreams.forgetSession(session.id),
    onChange() {},
  })
  opened.defer(() => sessions.close())
  return { sessions, keepSessions: FORGETFUL }
}

/** A session that memory does not know is gone. */
const FORGETFUL: Pick<KeepSessions, 'keep' | 'recall'> = {
  keep: () => Promise.resolve(),
  recall: () => Promise.resolve(),
}
