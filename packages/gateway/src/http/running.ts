/** The last stage of every composition: the HTTP server in front of the doors, and its life from listening to closing. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clients } from './client-address.ts'
import type { createDoors } from './doors.ts'
import { createGuard } from './guard.ts'
import type { Health } from './health.ts'
import { createCallShares } from './intake/call-shares.ts'
import { createTakeIn } from './intake/take-in.ts'
import { createListeners } from './listeners.ts'
import { createServer } from './server.ts'
import { prepareEnd } from './server-end.ts'
import type { CallIntake } from '../limits/call-intake.ts'
import type { Limits } from '../limits/limits.ts'
import type { Base } from '../base/base.ts'

export interface Gateway {
  /**
   * Listen; the port that was taken. It counts as started, and this resolves, once every connection has been asked what it
   * offers, or after `patience` ms: whoever calls then finds the tools.
   */
  listen(patience?: number): Promise<number>
  /** Readiness says no from now on; requests are served as before. */
  retire(): void
  /** Let what is under way finish, then end everything. */
  close(): Promise<void>
}

export interface RunningParts {
  readonly doors: ReturnType<typeof createDoors>
  readonly calls: Parameters<typeof prepareEnd>[1]
  readonly clients: Clients
  readonly limits: Limits
  readonly intake: CallIntake
  /** Whether it is one of several processes behind one port. */
  readonly isOneOfMany: boolean
  readonly health: Health
  /** Resolves once every connection has been asked what it offers. */
  tried(): Promise<unknown>
  /** Aborted when the gateway closes. */
  readonly drain: AbortController
  readonly opened: AsyncDisposableStack
  /** Called with the port, once it is known. */
  onListening?(port: number): void
  /** Begin nothing new from now on, while what is under way ends; closed once more with the rest, they do nothing. */
  readonly stops: readonly { close(): unknown }[]
}

export function createRunning({ config, counters }: Base, parts: RunningParts): Gateway {
  const { health, drain, clients, limits, intake, opened } = parts
  const server = createServer({
    guard: createGuard({
      host: config.TOOLWAY_HOST,
      publicUrl: config.TOOLWAY_PUBLIC_URL,
      allowedHosts: config.TOOLWAY_ALLOWED_HOSTS,
      allowedOrigins: config.TOOLWAY_ALLOWED_ORIGINS,
    }),
    clients,
    limits,
    https: config.TOOLWAY_PUBLIC_URL?.startsWith('https:') ?? false,
    health,
    refused: counters.refuse,
    answered: counters.http,
    newCorrelationId: randomUUID,
    takeIn: createTakeIn({ intake, shares: createCallShares(clients), bodyLimit: config.TOOLWAY_BODY_LIMIT }),
    ...parts.doors,
  })
  const listeners = createListeners(server, { alone: parts.isOneOfMany })
  const end = prepareEnd(server, parts.calls, listeners)
  opened.defer(() => end.finish(config.TOOLWAY_DRAIN_SECONDS * 1000))
  const owned = opened.move()

  return {
    async listen(patience = 0) {
      const port = await listeners.listen({ port: config.TOOLWAY_PORT, host: config.TOOLWAY_HOST })
      parts.onListening?.(port)
      if (patience > 0) await Promise.race([parts.tried(), sleep(patience, undefined, { ref: false })])
      health.started = true
      return port
    },
    retire() {
      health.draining = true
    },
    async close() {
      health.draining = true
      // Requests that a balancer sent before the port closed are still let in.
      await end.closeDoor()
      drain.abort()
      for (const stop of parts.stops) stop.close()
      // Each of the rest, also when one of them fails.
      await owned.disposeAsync()
    },
  }
}
