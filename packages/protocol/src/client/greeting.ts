/**
 * How a server at the other end of a channel is greeted in each era, and who it says it is.
 *
 * It says one greeting and waits for its answer; which one to try, and what a failure means, is for whoever opened the channel.
 */
import { NEWEST_LEGACY, type Revision } from '../era.ts'
import { writeEnvelope } from '../eras/modern/envelope.ts'
import type { JsonObject } from '../json.ts'
import type { Channel } from './channel.ts'
import { serverInfoOfInitialize } from './legacy-session.ts'
import { serverInfoOfDiscovery, NOBODY, OWN_CLIENT } from './modern.ts'
import type { ServerInfo } from './request.ts'

export interface Greeting {
  readonly alias: string
  readonly id: number
  readonly signal: AbortSignal
  /** Seconds. */
  readonly timeout: number
}

/** Throws `upstream.error` when the server says no, `upstream.malformed` when it does not say that it speaks this era. */
export async function discover(channel: Channel, { alias, ...greeting }: Greeting): Promise<ServerInfo> {
  const params = writeEnvelope({}, NOBODY, undefined)
  const answer = await channel.call({ ...greeting, method: 'server/discover', params })
  return serverInfoOfDiscovery(answer, alias)
}

/** Throws `upstream.error` when the server says no, `upstream.malformed` when it names a revision without sessions. */
export async function initialize(
  channel: Channel,
  { alias, ...greeting }: Greeting,
  {
    revision = NEWEST_LEGACY,
    capabilities = {},
  }: { revision?: Revision | undefined; capabilities?: JsonObject | undefined } = {},
): Promise<ServerInfo> {
  const params = { protocolVersion: revision, capabilities, clientInfo: OWN_CLIENT }
  const answer = await channel.call({ ...greeting, method: 'initialize', params })
  const serverInfo = serverInfoOfInitialize(alias, answer)
  channel.tell('notifications/initialized')
  return serverInfo
}
