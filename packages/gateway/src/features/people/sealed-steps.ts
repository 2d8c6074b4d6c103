/**
 * What was settled between two requests, sealed and in the hands of the one who asks: good for five minutes, once, at any replica, and
 * for its purpose alone.
 */
import { randomBytes } from 'node:crypto'
import { Fault } from '@toolway/contract'
import { z } from 'zod'
import type { SystemSql } from '../../db/db.ts'
import { spendState } from '../../identity/spent-states.ts'
import { decodeBase64Url } from '../../lib/base64url.ts'
import type { Vault } from '../../vault/vault.ts'

export interface SealedStepsParts {
  readonly vault: Pick<Vault, 'seal' | 'open' | 'hash'>
  now(): number
}

export interface SealedSteps<State> {
  /** Seconds. */
  readonly lifetime: number
  seal(state: State): string
  /** Throws `factor.late` for what is none, for another purpose, or too old. */
  open(text: string): State & Sealed
  /** Throws `factor.late` for one that was used. */
  spend(sql: SystemSql, sealed: Sealed): Promise<void>
}

interface Sealed {
  readonly id: string
  readonly until: number
}

const SECONDS = 300
const Envelope = z.object({ id: z.string(), until: z.number(), state: z.unknown() })

export function createSealedSteps<State extends object>(
  { vault, now }: SealedStepsParts,
  purpose: string,
  Shape: z.ZodType<State>,
): SealedSteps<State> {
  function read(text: string) {
    const sealed = decodeBase64Url(text)
    if (sealed === undefined) throw new Error('it is not base64url')
    const { id, until, state } = Envelope.parse(JSON.parse(vault.open(sealed, purpose)))
    return { ...Shape.parse(state), id, until }
  }
  return {
    lifetime: SECONDS,
    seal(state) {
      const envelope = { id: randomBytes(16).toString('base64url'), until: now() + SECONDS * 1000, state }
      return vault.seal(JSON.stringify(envelope), purpose).toString('base64url')
    },
    open(text) {
      let found: State & Sealed
      try {
        found = read(text)
      } catch (thrown) {
        throw new Fault('factor.late', {}, { cause: thrown })
      }
      if (found.until <= now()) throw new Fault('factor.late')
      return found
    },
    async spend(sql, { id, until }) {
      if (!(await spendState(sql, vault.hash(`${purpose} ${id}`), new Date(until)))) throw new Fault('factor.late')
    },
  }
}
