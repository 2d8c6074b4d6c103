/** The kinds of destinations, in the order in which they are listed. A new kind is a file in `destinations/` and a line in each list here. */
import { z } from 'zod'
import { clickhouse } from './destinations/clickhouse.ts'
import type { DestinationKind } from './destinations/destination.ts'
import { otlp } from './destinations/otlp.ts'
import { s3 } from './destinations/s3.ts'
import { syslog } from './destinations/syslog.ts'
import { webhook } from './destinations/webhook.ts'

export const DESTINATIONS = [webhook, syslog, otlp, s3, clickhouse] as const

export const StreamDestination = z.discriminatedUnion('kind', [
  webhook.settings,
  syslog.settings,
  otlp.settings,
  s3.settings,
  clickhouse.settings,
])
export type StreamDestination = z.output<typeof StreamDestination>

/** The secrets of all kinds, each optional. A delivery reads those of its own kind. */
export const StreamSecrets = z.strictObject({
  ...webhook.secrets,
  ...syslog.secrets,
  ...otlp.secrets,
  ...s3.secrets,
  ...clickhouse.secrets,
})
export type StreamSecrets = z.output<typeof StreamSecrets>

const BY_KIND: ReadonlyMap<string, DestinationKind> = new Map(
  DESTINATIONS.map((facts) => [facts.kind, facts as unknown as DestinationKind]),
)

/** Returns what is known of the kind of a destination. */
export function destinationKind(kind: StreamDestination['kind']): DestinationKind {
  const found = BY_KIND.get(kind)
  if (found === undefined) throw new Error(`${kind} is no kind of destination`)
  return found
}
