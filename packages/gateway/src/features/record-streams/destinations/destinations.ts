/** How each kind of destination takes a batch. The compiler says which kind of the contract is missing here. */
import type { StreamDestination } from '@toolway/contract/admin'
import { toClickHouse } from './clickhouse.ts'
import type { Deliver, DestinationParts, OfKind, Secrets } from './destination.ts'
import { toOtlp } from './otlp.ts'
import { toS3 } from './s3.ts'
import { toSyslog } from './syslog.ts'
import { toWebhook } from './webhook.ts'

type Kind = StreamDestination['kind']
type Deliverer<Of extends Kind> = (parts: DestinationParts, settings: OfKind<Of>, secrets: Secrets) => Deliver

const DELIVERERS: { readonly [Of in Kind]: Deliverer<Of> } = {
  webhook: toWebhook,
  syslog: toSyslog,
  otlp: toOtlp,
  s3: toS3,
  clickhouse: toClickHouse,
}

export const deliverTo = <Of extends Kind>(
  parts: DestinationParts,
  destination: OfKind<Of>,
  secrets: Secrets,
): Deliver => (DELIVERERS[destination.kind] as Deliverer<Of>)(parts, destination, secrets)
