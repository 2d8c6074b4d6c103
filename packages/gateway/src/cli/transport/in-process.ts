/**
 * Operations of the local installation, carried out in this process: the same authorization, validation and records as over HTTP.
 *
 * The principal is the local operator: the holder of the data directory, who holds the vault's keys and with them all that a platform
 * administrator may do. A gateway that runs on the same database hears of changes from there.
 */
import { Fault } from '@toolway/contract'
import type { Operation } from '@toolway/contract/admin'
import { carryOut, type Caller } from '../../operations/carry-out.ts'
import { createLocalAdmin } from '../../app/local-admin.ts'
import { DatabaseUnreachable } from '../../db/unreachable.ts'
import { OPERATOR } from '../../identity/principal.ts'
import { ownActor } from '../own-actor.ts'
import type { LoadedConfig } from '../../config.ts'
import { openConfig } from '../open-config.ts'
import { addressOf, isRunning, noOrganization, openInstallation, SILENT } from '../store.ts'
import { Refusal, textsOf, type Input, type Transport } from './transport.ts'

/** Milliseconds for which what was read of the database is taken as it is. */
const STALE_AFTER_MS = 250

const caller = (): Caller => {
  const actor = ownActor()
  return { principal: { ...OPERATOR, id: actor.id }, actor, origin: 'command line' }
}

/** A fault of the database keeps its reason for the operator; what is not foreseen is a bug and stays as it is. */
function refusalOf(thrown: unknown): unknown {
  if (!(thrown instanceof Fault) || thrown.code === 'internal' || thrown instanceof DatabaseUnreachable) return thrown
  const { code, message, mend, row } = thrown
  return new Refusal({ code, status: row.http, message, mend }, { cause: thrown })
}

/** The operations of the installation; an operation that reads sees what a running gateway changed meanwhile. */
async function openLocal(ending: AsyncDisposableStack, publicUrl: string) {
  const opened = ending.use(await openInstallation())
  const { loaded } = opened
  const { administration, reload } = ending.use(
    await createLocalAdmin({ store: opened, loaded, log: SILENT, publicUrl: () => publicUrl }),
  )
  let loadedAt = Date.now()
  return async ({ method }: Operation) => {
    if (method === 'GET' && Date.now() - loadedAt >= STALE_AFTER_MS) {
      await reload()
      loadedAt = Date.now()
    }
    return administration
  }
}

const publicUrlOf = ({ config }: LoadedConfig, own: string) => config.TOOLWAY_PUBLIC_URL?.replace(/\/$/, '') ?? own

/** Opened at the first operation: a command that is refused before, or asks for none, needs no installation. */
export async function inProcess<T>(work: (transport: Transport) => Promise<T>): Promise<T> {
  const loaded = await openConfig()
  const own = await addressOf(loaded)
  await using ending = new AsyncDisposableStack()
  let opening: ReturnType<typeof openLocal> | undefined
  const ask = async (operation: Operation, input: Input<Operation> = {}) => {
    const { params = {}, query, body, ifMatch, onProgress } = input
    const upToDate = await (opening ??= openLocal(ending, publicUrlOf(loaded, own)))
    const request = { params, query: textsOf(query), body, ifMatch, progress: onProgress }
    return carryOut(await upToDate(operation), caller(), operation, request).catch((thrown: unknown) => {
      const of = params['organization']
      const isMissing = thrown instanceof Fault && thrown.code === 'place.unknown' && of !== undefined
      throw isMissing ? noOrganization(of, loaded.config.TOOLWAY_DATA) : refusalOf(thrown)
    })
  }
  // The operations end before what they are made of does.
  return await work({
    remote: undefined,
    address: own,
    isServing: () => isRunning(own),
    call: async (operation, input) => (await ask(operation, input)) as never,
    async stream(operation, input) {
      const answer = await ask(operation, input)
      if (answer instanceof Response && answer.body !== null) return answer.body
      throw new Error(`${operation.id} returns JSON`)
    },
  })
}
