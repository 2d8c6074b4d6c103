/**
 * Ends a streamed answer of the admin interface when its client disconnects or is no longer permitted to read it, or when the
 * gateway drains.
 */
import type { AdminContext } from './admin-asking.ts'
import type { OpenStreams } from '../streams/open-streams.ts'

export const EVENTS = 'text/event-stream'

export interface AdminStreams {
  readonly watch: OpenStreams['watch']
  /** Aborted when the gateway drains. */
  readonly draining: AbortSignal
}

/** `stand` throws, or rejects with, the fault that whoever asked would be refused with now. */
export function untilEnded(c: AdminContext, { watch, draining }: AdminStreams, stand: () => unknown): AbortSignal {
  const ended = new AbortController()
  const release = watch(stand, (fault) => ended.abort(fault))
  c.env.outgoing.once('close', () => {
    release()
    ended.abort()
  })
  return AbortSignal.any([ended.signal, draining])
}
