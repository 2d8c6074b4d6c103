/**
 * How each operation of the admin interface is asked by those who may, so that everybody else can be seen to be refused.
 *
 * One row for each operation, by its id; an operation without a row fails the matrix. What would destroy or change what others
 * lean on is not `repeatable`: those who may are then let in with a body that no shape takes, and told so; only things that are
 * somebody else's, or nobody's, are asked for in earnest.
 */
import type { FaultCode } from '@toolway/contract'
import type { Names } from './town.ts'

export interface Sample {
  /** What the path names besides the organization. */
  readonly params?: (names: Names) => Readonly<Record<string, string>>
  readonly query?: (names: Names) => Readonly<Record<string, string>>
  readonly body?: (names: Names) => unknown
  readonly repeatable?: false
  /** What those who may are answered with, where it is not the operation's own status: statuses or faults. */
  readonly answers?: readonly (number | FaultCode)[]
}

const connection = (names: Names) => ({ connection: names.connection })
const child = (names: Names) => ({ connection: names.child })
const none: Sample = {}

export const SAMPLES: Readonly<Record<string, Sample>> = {
  listOrganizations: none,

  findEndpoint: { params: connection },
  findProcess: { params: child },
  restartProcess: { params: child, repeatable: false },
  stopProcess: { params: child, repeatable: false },
  findProcessOfConnection: { params: child },
  restartProcessOfConnection: { params: child, repeatable: false },
  stopProcessOfConnection: { params: child, repeatable: false },

  listRecentLogs: none,
  followLogs: none,
  listPooled: none,
  summarizePool: none,
  endPooled: { params: (names) => ({ slug: names.organization, connection: names.connection }), repeatable: false },
  endPooledIdle: { query: () => ({ idle_seconds: '86400' }) },
  listSessions: none,
  endSession: { params: ({ session }) => ({ session }), repeatable: false },
  listSettings: none,
  findStats: none,
  findPlatformStats: none,
}

/** Rows of operations that other parts bring; one of them that is not there yet is no fault. */
export const LATER: ReadonlySet<string> = new Set()
