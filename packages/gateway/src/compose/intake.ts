/** How much a process takes in at once: one intake for all of its doors, by the settings. */
import type { Config } from '../config.ts'
import { createTakeIn, type TakeIn } from '../http/intake/take-in.ts'
import { createCallShares } from '../http/intake/call-shares.ts'
import type { Clients } from '../http/client-address.ts'
import { createCallIntake, type CallIntake } from '../limits/call-intake.ts'
import type { Counters } from '../telemetry/counters.ts'

export const composeIntake = (config: Config, counters: () => Pick<Counters, 'shed'>): CallIntake =>
  createCallIntake({
    bounds: {
      inFlight: config.TOOLWAY_CALLS_IN_FLIGHT,
      waiting: config.TOOLWAY_CALLS_WAITING,
      wait: config.TOOLWAY_CALLS_WAIT_MS,
      // A body that may be sent must be able to come, when nothing else does.
      bytes: Math.max(config.TOOLWAY_CALLS_BYTES, config.TOOLWAY_BODY_LIMIT),
    },
    now: performance.now.bind(performance),
    nextTurn: setImmediate,
    onShed: (reason) => counters().shed(reason),
  })

export const composeTakeIn = (config: Config, intake: CallIntake, clients: Clients): TakeIn =>
  createTakeIn({ intake, shares: createCallShares(clients), bodyLimit: config.TOOLWAY_BODY_LIMIT })
