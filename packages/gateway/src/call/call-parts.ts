/** The parts that calls work with, and their limits; they are small, so that tests can stay small. */
import type { Signer } from '../catalog/page.ts'
import type { FileStore } from '../snapshot/ports/file-store.ts'
import type { RuleRate } from '../limits/limits.ts'
import type { ResultStore } from '../results/result-store.ts'
import type { PageReads } from '../sessions/page-reads.ts'
import type { CallCredentials } from '../snapshot/ports/credentials.ts'
import type { Operating } from '../snapshot/ports/operations.ts'
import type { ServerPlaces } from '../upstreams/server-places.ts'
import type { Approvals } from './approvals/approval-port.ts'
import type { BoundStates } from './questions/bound-states.ts'
import type { SuspendedCalls, AuthElicitation } from './questions/question-ports.ts'
import type { TaskBook } from './tasks/task-book.ts'

/** How much may be asked. Each throws, or rejects with, a `limit.…` fault; a promise only where there is something to wait for. */
export interface CallLimits {
  request(principal: string, organization: string, perMinute: number | undefined): Promise<void> | undefined
  connection(id: string, alias: string): Promise<void> | undefined
  /** One call under all of these rules, or under none: each names who shares its budget. */
  rules(rates: readonly RuleRate[]): Promise<void> | undefined
}

/** The parts that calls work with: one of each for the whole gateway, put together by its composition. */
export interface CallParts {
  readonly signer: Signer
  readonly limits: CallLimits
  readonly places: Pick<ServerPlaces, 'take' | 'leave'>
  /** Levels of nesting that arguments may have. */
  readonly argumentDepth: number
  /** Members of objects in arguments, all in all. */
  readonly argumentMembers: number
  /** Whether servers receive the baggage that a caller sends along with its trace context. */
  readonly passesBaggage: boolean
  /** Bytes of text that the result of a tool may have. */
  readonly resultLimit: number
  /** Bytes of text from which on the whole of a cut result is a file, and up to which Composio's answers are passed on whole. */
  readonly fileFrom: number
  /** Carries out an operation of the gateway itself; undefined where there are none. Throws its faults. */
  readonly operate?: ((operating: Operating) => Promise<unknown>) | undefined
  /** Calls that wait for their client. */
  readonly suspended: SuspendedCalls
  readonly states: BoundStates
  /** Undefined where no credentials are kept. */
  readonly credentials: CallCredentials | undefined
  readonly authElicitation: AuthElicitation
  readonly tasks: TaskBook
  readonly pages: PageReads
  /** Where what does not fit is kept; undefined where nothing is. */
  readonly results: Pick<ResultStore, 'keep' | 'find' | 'seconds'> | undefined
  /** Undefined where no files are kept. */
  readonly files: FileStore | undefined
  /** Undefined where nobody could be asked: what needs an approval is then refused. */
  readonly approvals: Approvals | undefined
}
