/** What lets a request in, at every door: one way to be admitted, and the streams that are asked again when facts change. */
import { createAdmit, type Admit } from '../call/admit.ts'
import { createBoundStates } from '../call/questions/bound-states.ts'
import { createOnBehalf } from '../call/callers/on-behalf.ts'
import { createParkedCalls } from '../call/questions/parked-calls.ts'
import { createTaskBook } from '../call/tasks/task-book.ts'
import { createOpenStreams, type OpenStreams } from '../http/streams/open-streams.ts'
import type { Accounts } from '../identity/accounts.ts'
import type { Identity } from '../identity/identify.ts'
import type { KeepSnapshots } from '../jobs/keep-snapshots.ts'
import type { Limits } from '../limits/limits.ts'
import { DEFAULT_SLUG } from '../organizations/organizations.ts'
import type { Ground } from './ground.ts'

export interface ComposeAdmissionParts {
  readonly identity: Identity
  readonly accounts: Accounts
  readonly snapshots: Pick<KeepSnapshots, 'find'>
  readonly limits: Limits
}

export interface Admission {
  readonly admit: Admit
  readonly open: OpenStreams
}

export function composeAdmission(ground: Ground, parts: ComposeAdmissionParts): Admission {
  const { config, vault, log, opened } = ground
  const { identity, accounts, snapshots, limits } = parts
  const parked = createParkedCalls(vault)
  opened.defer(() => parked.close())
  const tasks = createTaskBook(vault)
  opened.defer(() => tasks.close())
  const admit = createAdmit({
    identity,
    accounts,
    organization: snapshots.find,
    defaultOrganization: DEFAULT_SLUG,
    limits,
    resultLimit: config.TOOLWAY_RESULT_LIMIT,
    onBehalf: createOnBehalf({ accounts, log }),
    parked,
    states: createBoundStates(vault),
    tasks,
  })
  return { admit, open: createOpenStreams(admit) }
}
