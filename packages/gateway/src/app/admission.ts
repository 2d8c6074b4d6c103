/**
 * Admission of requests, at every endpoint: one method to admit them, and the streams that are checked again when facts change.
 */
import { createAdmit, createStand, type Admit, type Stand } from '../call/admit.ts'
import { createBoundStates } from '../call/questions/bound-states.ts'
import { createAuthElicitation } from '../call/questions/auth-elicitation.ts'
import type { Approvals } from '../call/approvals/approval-port.ts'
import type { CallCredentials } from '../snapshot/ports/credentials.ts'
import type { CallParts } from '../call/call-parts.ts'
import type { EndpointPath } from '../snapshot/ports/endpoint.ts'
import { createOnBehalf, type OnBehalf } from '../call/callers/on-behalf.ts'
import { createSuspendedCalls } from '../call/questions/suspended-calls.ts'
import { createTaskBook } from '../call/tasks/task-book.ts'
import { createOpenStreams, type OpenStreams } from '../http/streams/open-streams.ts'
import type { Accounts } from '../identity/accounts.ts'
import type { Identity, Principal } from '../identity/identify.ts'
import type { ConnectLinks } from '../oauth/outgoing/ports.ts'
import type { KeepSnapshots } from '../snapshot/keep-snapshots.ts'
import type { Limits } from '../limits/limits.ts'
import { DEFAULT_SLUG } from '../organizations/organizations.ts'
import type { ResultStore } from '../results/result-store.ts'
import { createPageReads, type PageReadsParts } from '../sessions/page-reads.ts'
import { createServerPlaces } from '../upstreams/server-places.ts'
import type { Base } from '../base/base.ts'

export interface StartCallsParts {
  readonly identity: Identity
  readonly accounts: Accounts
  readonly snapshots: Pick<KeepSnapshots, 'find'>
  readonly limits: Limits
  /** Undefined where none are kept. */
  readonly credentials: CallCredentials | undefined
  readonly links: Pick<ConnectLinks, 'read'> | undefined
  /** Carries out operations of the gateway itself; absent where there are none. */
  readonly operate?: CallParts['operate']
  readonly files?: CallParts['files']
  /** Undefined where nobody could be asked. */
  readonly approvals: Approvals | undefined
  /** Undefined where nothing is kept of what is cut. */
  readonly results?: ResultStore
  /** How gateways of one database tell one another which pages of apps were read; absent where this one is alone. */
  readonly pages?: Pick<PageReadsParts, 'tell' | 'sessionOf'> | undefined
  /** Resolves the user on whose behalf a call is made, where there are no accounts. */
  readonly onBehalf?: OnBehalf
  /** Completes the endpoint of an address that does not name it in full. */
  readonly placeOf?: ((place: EndpointPath, principal: Principal) => EndpointPath) | undefined
}

export interface Calls {
  readonly admit: Admit
  readonly stand: Stand
  readonly open: OpenStreams
  /** The parts that calls use. */
  readonly calls: CallParts
}

/** Where no credentials are kept, none ever comes. */
const NONE: Pick<CallCredentials, 'credentialArrived'> = { credentialArrived: () => Promise.resolve(false) }

export function startCalls(core: Base, parts: StartCallsParts): Calls {
  const { config, vault, log, opened } = core
  const { identity, accounts, snapshots, limits, credentials, links, approvals } = parts
  const wishOf = (link: string) => JSON.stringify(links?.read(link.slice(link.lastIndexOf('/') + 1)))
  const suspended = createSuspendedCalls(vault)
  opened.defer(() => suspended.close())
  const authElicitation = createAuthElicitation({ credentials: credentials ?? NONE, signer: vault, wishOf })
  opened.defer(() => authElicitation.close())
  const tasks = createTaskBook(vault)
  opened.defer(() => tasks.close())
  const requestContext = {
    accounts,
    organization: snapshots.find,
    defaultOrganization: DEFAULT_SLUG,
    placeOf: parts.placeOf,
    onBehalf: parts.onBehalf ?? createOnBehalf({ accounts, log }),
  }
  const calls: CallParts = {
    signer: vault,
    limits,
    places: createServerPlaces(config.TOOLWAY_CALLS_PER_CONNECTION),
    argumentDepth: config.TOOLWAY_ARGUMENT_DEPTH,
    argumentMembers: config.TOOLWAY_ARGUMENT_MEMBERS,
    passesBaggage: config.TOOLWAY_TRACE_BAGGAGE === 'on',
    resultLimit: config.TOOLWAY_RESULT_LIMIT,
    fileFrom: config.TOOLWAY_RESULT_FILE_FROM,
    operate: parts.operate,
    suspended,
    states: createBoundStates(vault),
    credentials,
    authElicitation,
    tasks,
    pages: createPageReads({ now: Date.now, hash: (text) => vault.hash(text).toString('hex'), log, ...parts.pages }),
    approvals,
    results: parts.results,
    files: parts.files,
  }
  const admit = createAdmit({ identity, ...requestContext })
  return { admit, stand: createStand(requestContext), open: createOpenStreams(admit), calls }
}

/** What begins nothing new once the gateway closes. */
export const stopsOf = ({ open, calls }: Calls) => [open, calls.authElicitation]
