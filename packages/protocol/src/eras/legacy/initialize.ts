/**
 * The opening of a legacy session: what `initialize` asks, what it answers, and who the client then is.
 *
 * Revisions 2024-11-05 to 2025-11-25 state version and capabilities once; a session carries them from then on.
 */
import { Fault } from '@toolway/contract'
import type { Caller } from '../../mcp-request.ts'
import { negotiate, type LegacyRevision } from '../../era.ts'
import { isObject, type JsonObject } from '../../json.ts'

export interface Opening {
  readonly revision: LegacyRevision
  readonly capabilities: JsonObject
  readonly client: JsonObject | undefined
}

const LONGEST = 16_384

export function readInitialize(params: JsonObject): Opening {
  const requested = params['protocolVersion']
  if (typeof requested !== 'string')
    throw new Fault('params.shape', { place: '/protocolVersion', problem: 'must be a string' })
  const { capabilities, clientInfo } = params
  // A session keeps both for as long as it lives.
  if (JSON.stringify([capabilities, clientInfo]).length > LONGEST) {
    throw new Fault('params.shape', {
      place: '/capabilities and /clientInfo',
      problem: `must be shorter than ${LONGEST} characters`,
    })
  }
  return {
    revision: negotiate(requested),
    capabilities: isObject(capabilities) ? capabilities : {},
    client: isObject(clientInfo) ? clientInfo : undefined,
  }
}

/** A caller without a session: nothing is known of what it can do, so nothing may be asked of it. */
export const strangerOf = (revision: LegacyRevision): Caller => ({
  revision,
  capabilities: {},
  client: undefined,
  logLevel: undefined,
})

export interface Introduction {
  readonly server: JsonObject
  readonly capabilities: JsonObject
  readonly instructions: string | undefined
}

export function writeInitialized(
  revision: LegacyRevision,
  { server, capabilities, instructions }: Introduction,
): JsonObject {
  return {
    protocolVersion: revision,
    capabilities,
    serverInfo: server,
    ...(instructions === undefined ? {} : { instructions }),
  }
}
