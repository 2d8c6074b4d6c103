/** Every operation of the admin interface: those of each feature. The door serves these, and nothing else below /api/v1. */
import { answerApprovalSigned, finishOAuth, hearBroker, type Operation } from '@toolway/contract/admin'
import { operations as accounts } from '../features/accounts/index.ts'
import { operations as agent } from '../features/agent/index.ts'
import { operations as alerts } from '../features/alerts/index.ts'
import { operations as approvals } from '../features/approvals/index.ts'
import { operations as authorization } from '../features/authorization/index.ts'
import { operations as clientsSeen } from '../features/clients-seen/index.ts'
import { operations as connections } from '../features/connections/index.ts'
import { operations as events } from '../features/events/index.ts'
import { operations as files } from '../features/files/index.ts'
import { operations as identityProviders } from '../features/identity-providers/index.ts'
import { operations as integrations } from '../features/integrations/index.ts'
import { operations as keys } from '../features/keys/index.ts'
import { operations as openApi } from '../features/openapi/index.ts'
import { operations as organizations } from '../features/organizations/index.ts'
import { operations as people } from '../features/people/index.ts'
import { operations as recordStreams } from '../features/record-streams/index.ts'
import { operations as records } from '../features/records/index.ts'
import { describedBy } from '../features/reference/index.ts'
import { operations as rules } from '../features/rules/index.ts'
import { operations as runtime } from '../features/runtime/index.ts'
import { operations as scim } from '../features/scim/index.ts'
import { operations as secondFactor } from '../features/second-factor/index.ts'
import { operations as tools } from '../features/tools/index.ts'
import { operations as toolsets } from '../features/toolsets/index.ts'
import { operations as usage } from '../features/usage/index.ts'
import { operations as webhooks } from '../features/webhooks/index.ts'
import type { Served } from '../operations/serve.ts'

/** In the order in which the description lists them. */
const OF_FEATURES = [
  people,
  secondFactor,
  organizations,
  scim,
  identityProviders,
  keys,
  clientsSeen,
  connections,
  openApi,
  accounts,
  tools,
  toolsets,
  rules,
  authorization,
  records,
  runtime,
  usage,
  integrations,
  events,
  alerts,
  webhooks,
  recordStreams,
  approvals,
  agent,
  files,
] as const

/** A function that takes the parts of any one of them has to take the parts of all. */
type Takes<Of> = Of extends Served<infer Parts> ? (parts: Parts) => void : never
/** What the operations of all features work with. */
export type OperationParts =
  Takes<(typeof OF_FEATURES)[number][number]> extends (parts: infer Parts) => void ? Parts : never

const DESCRIBED: readonly Served<OperationParts>[] = OF_FEATURES.flat()

/** Where browsers come back to is served by a door of its own, and described here. */
export const BESIDE: readonly Operation[] = [finishOAuth, answerApprovalSigned, hearBroker]

export const OPERATIONS: readonly Served<OperationParts>[] = [...DESCRIBED, ...describedBy(DESCRIBED, BESIDE)]
