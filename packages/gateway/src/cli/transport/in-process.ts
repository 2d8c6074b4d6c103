/**
 * Operations of the local installation, carried out in this process: the same authorization, validation and records as over HTTP.
 *
 * The principal is the local operator: the holder of the data directory, who holds the vault's keys and with them all that a platform
 * administrator may do. A gateway that runs on the same database hears of changes from there.
 */
import { Fault } from '@toolway/contract'
import type { Operation } from '@toolway/contract/admin'
import { carryOut, type Caller } from '../../admin/carry-out.ts'
import { composeLocalAdmin } from '../../compose/local-admin.ts'
import { DatabaseUnreachable } from '../../db/unreachable.ts'
import { OPERATOR } from '../../identity/principal.ts'
import { ownActor } from '../own-actor.ts'
import { addressOf, noOrganization, openInstallation, SILENT } from '../store.ts'
import { Refusal, textsOf, type Input, type Transport } from './transport.ts'

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

/** The parts of operations, and whose they are. */
async function openLocal(ending: AsyncDisposableStack) {
  const opened = ending.use(await openInstallation())
  const { config } = opened.loaded
  const address = config.TOOLWAY_PUBLIC_URL?.replace(/\/$/, '') ?? (await addressOf(opened.loaded))
  const { parts } = ending.use(
    await composeLocalAdmin({ store: opened, loaded: opened.loaded, log: SILENT, publicUrl: () => address }),
  )
  return { parts, directory: config.TOOLWAY_DATA }
}

/** Opened at the first operation: a command that is refused before needs no installation. */
export async function inProcess<T>(work: (transport: Transport) => Promise<T>): Promise<T> {
  await using ending = new AsyncDisposableStack()
  let opening: ReturnType<typeof openLocal> | undefined
  const ask = async (operation: Operation, { params = {}, query, body, ifMatch }: Input<Operation> = {}) => {
    const { parts, directory } = await (opening ??= openLocal(ending))
    const request = { params, query: textsOf(query), body, ifMatch }
    return carryOut(parts, caller(), operation, request).catch((thrown: unknown) => {
      const of = params['organization']
      const isMissing = thrown instanceof Fault && thrown.code === 'place.unknown' && of !== undefined
      throw isMissing ? noOrganization(of, directory) : refusalOf(thrown)
    })
  }
  // The operations end before what they are made of does.
  return await work({
    remote: undefined,
    call: async (operation, input) => (await ask(operation, input)) as never,
    async stream(operation, input) {
      const given = await ask(operation, input)
      if (given instanceof Response && given.body !== null) return given.body
      throw new Error(`${operation.id} answers with JSON`)
    },
  })
}
