/**
 * The envelope of revision 2026-07-28: version, client capabilities and log level in `params._meta` of every request
 * (specification 2026-07-28, basic: request metadata). Reading fails closed; writing leaves every other `_meta` key alone.
 */
import { Fault } from '@toolway/contract'
import type { Caller } from '../../mcp-request.ts'
import { MODERN, REVISIONS } from '../../era.ts'
import { isObject, type Json, type JsonObject } from '../../json.ts'
import { metaOf } from '../../message.ts'
import { checkVersionHeader, type HeaderReader } from './headers.ts'

export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
export const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo'
export const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel'
export const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId'
export const SERVER_KEY = 'io.modelcontextprotocol/serverInfo'

/** The keys of one hop: they are written anew for the next hop and dropped towards a legacy server. */
const HOP_KEYS = [VERSION_KEY, CAPABILITIES_KEY, CLIENT_KEY, LOG_LEVEL_KEY]

/** A request with this key in `_meta` is a modern one, whatever its headers say. */
export const hasEnvelope = (params: JsonObject | undefined): boolean => VERSION_KEY in metaOf(params)

/**
 * Read the caller out of `params`, in the order that the conformance suites accept: the required keys (-32602), the
 * version header against the envelope (-32020), the version itself (-32022). All three are HTTP 400. Without headers
 * (stdio) the second step has nothing to compare.
 */
export function readEnvelope(params: JsonObject | undefined, header: HeaderReader | undefined): Caller {
  const meta = metaOf(params)
  const version = meta[VERSION_KEY]
  if (typeof version !== 'string') throw new Fault('envelope.missing', { key: VERSION_KEY })
  const capabilities = meta[CAPABILITIES_KEY]
  if (!isObject(capabilities)) throw new Fault('envelope.missing', { key: CAPABILITIES_KEY })
  if (header !== undefined) checkVersionHeader(header, version)
  if (version !== MODERN) {
    throw new Fault('envelope.version', {}, { data: { supported: [...REVISIONS].reverse(), requested: version } })
  }
  const client = meta[CLIENT_KEY]
  const logLevel = meta[LOG_LEVEL_KEY]
  return {
    revision: MODERN,
    capabilities,
    client: isObject(client) ? client : undefined,
    logLevel: typeof logLevel === 'string' ? logLevel : undefined,
  }
}

/** `params` for a modern server: the caller's capabilities and level with this hop's version; all else as it was. */
export function writeEnvelope(params: JsonObject, caller: Caller, progressToken: string | undefined): JsonObject {
  const meta: JsonObject = { ...metaOf(params), [VERSION_KEY]: MODERN, [CAPABILITIES_KEY]: caller.capabilities }
  // The existing fields may be a legacy client's, or malformed: only the values read from the caller are passed on.
  put(meta, CLIENT_KEY, caller.client)
  put(meta, LOG_LEVEL_KEY, caller.logLevel)
  put(meta, 'progressToken', progressToken)
  return { ...params, _meta: meta }
}

/** An object that a member was deleted from is slow ever after, so nothing is deleted that is not there. */
function put(meta: JsonObject, key: string, value: Json | undefined): void {
  if (value !== undefined) meta[key] = value
  else if (key in meta) delete meta[key]
}

/** `params` for a legacy server: the envelope keys are gone, vendor keys and trace context stay. */
export function stripEnvelope(params: JsonObject, progressToken: string | undefined): JsonObject {
  const meta: JsonObject = { ...metaOf(params) }
  for (const key of HOP_KEYS) delete meta[key]
  delete meta['progressToken']
  if (progressToken !== undefined) meta['progressToken'] = progressToken
  const { _meta: _, ...rest } = params
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta }
}
