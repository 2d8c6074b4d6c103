/** What runs of the agent need of an installation, and how many of them there may be. */
import type { BaseWithDatabase } from '../../base/base.ts'
import type { Config } from '../../config.ts'
import { createAgentQueue, type AgentLimits } from './agent-queue.ts'
import type { AgentParts } from './agent.operations.ts'
import { createSharedPlaces, type SharedLimits } from './shared-places.rows.ts'

/** Of one member: those of one person, at all places of the console. */
const RUNS_OF_MEMBER = 4

/** The processes behind one port share the places of their gateway. */
const limitsOf = (config: Config): AgentLimits => ({
  member: RUNS_OF_MEMBER,
  gateway: Math.max(1, Math.floor(config.TOOLWAY_AGENT_RUNS / config.TOOLWAY_PROCESSES)),
  organization: config.TOOLWAY_AGENT_RUNS_PER_ORGANIZATION,
  waiting: config.TOOLWAY_AGENT_QUEUE,
})

const sharedLimitsOf = (config: Config): SharedLimits => ({
  organization: config.TOOLWAY_AGENT_RUNS_PER_ORGANIZATION,
  installation: config.TOOLWAY_AGENT_RUNS_IN_ALL,
})

type Agent = AgentParts['agent']

export interface StartAgentParts extends Pick<Agent, 'upstreams' | 'reveal' | 'proxyUrl'> {
  /** Aborted when the gateway closes. */
  readonly draining: AbortSignal
}

export const startAgent = (base: BaseWithDatabase, { draining, ...parts }: StartAgentParts): Agent => {
  const { config, db, log, telemetry } = base
  return {
    ...parts,
    tracer: telemetry?.tracer,
    queue: createAgentQueue({
      limits: limitsOf(config),
      draining,
      shared: createSharedPlaces({ db, log, limits: sharedLimitsOf(config) }),
    }),
  }
}

/** For the command line beside the gateway, whose runs are counted by it alone. */
export const localAgent = (
  { config }: Pick<BaseWithDatabase, 'config'>,
  parts: Omit<StartAgentParts, 'draining'>,
): Agent => ({
  ...parts,
  tracer: undefined,
  queue: createAgentQueue({ limits: limitsOf(config), draining: new AbortController().signal }),
})
