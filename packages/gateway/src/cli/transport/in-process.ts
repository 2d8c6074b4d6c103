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
import { addressOf, isRunning, noOrganization, SILENT, withInstallation } from '../store.ts'
import { Refusal, textsOf, type Input, type Transport } from './transport.ts'

/** Milliseconds for which what was read of the database is taken as it is. */
const STALE_AFTER = 250

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

export const inProcess = <T>(work: (transport: Transport) => Promise<T>): Promise<T> =>
  withInstallation(async (opened) => {
    const own = await addressOf(opened.loaded)
    const address = opened.loaded.config.TOOLWAY_PUBLIC_URL?.replace(/\/$/, '') ?? own
    await using local = await composeLocalAdmin({
      store: opened,
      loaded: opened.loaded,
      log: SILENT,
      publicUrl: () => address,
    })
    let loadedAt = Date.now()
    /** A command that asks again later hears what a gateway changed meanwhile. */
    const renew = async ({ method }: Operation) => {
      if (method !== 'GET' || Date.now() - loadedAt < STALE_AFTER) return
      await local.reload()
      loadedAt = Date.now()
    }
    const ask = async (operation: Operation, input: Input<Operation> = {}) => {
      const { params = {}, query, body, ifMatch, onProgress } = input
      await renew(operation)
      return carryOut(local.parts, caller(), operation, {
        ...{ params, query: textsOf(query), body, ifMatch, progress: onProgress },
      }).catch((thrown: unknown) => {
        const of = params['organization']
        const isMissing = thrown instanceof Fault && thrown.code === 'place.unknown' && of !== undefined
        throw isMissing ? noOrganization(of, opened.loaded.config.TOOLWAY_DATA) : refusalOf(thrown)
      })
    }
    // The operations end before what they are made of does.
    return await work({
      remote: undefined,
      address: own,
      isServing: () => isRunning(own),
      call: async (operation, input) => (await ask(operation, input)) as never,
      async stream(operation, input) {
        const given = await ask(operation, input)
        if (given instanceof Response && given.body !== null) return given.body
        throw new Error(`${operation.id} answers with JSON`)
      },
    })
  })
