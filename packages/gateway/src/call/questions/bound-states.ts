/**
 * A modern server's `requestState` on its way through: bound to our own principal and request.
 *
 * The server binds its state to whoever called it, and that is the gateway, for all who share a connection. So what a client gets
 * is the state under our signature, for this principal, this very request and a while; anybody else's, or another request's, or a
 * changed one is refused before the server sees it.
 */
import { Fault } from '@toolway/contract'
import type { Json } from '@toolway/protocol'
import type { Signer } from '../../catalog/page.ts'

export interface Owner {
  readonly principal: string
  /** Stands for method and params. */
  readonly digest: string
}

export interface BoundStates {
  bind(state: string, owner: Owner): string
  /** The server's own state. Throws `state.unknown`. */
  release(bound: Json, owner: Owner): string
}

const PURPOSE = 'request state'
/** A person may take this long to answer, in milliseconds. */
const LIFE = 60 * 60_000

export function createBoundStates(signer: Signer, now: () => number = Date.now, purpose = PURPOSE): BoundStates {
  const text = (state: string, until: string, { principal, digest }: Owner) =>
    `${state}\n${until}\n${principal}\n${digest}`
  return {
    bind(state, owner) {
      const encoded = Buffer.from(state).toString('base64url')
      const until = (now() + LIFE).toString(36)
      return `${encoded}.${until}.${signer.sign(text(encoded, until, owner), purpose)}`
    },
    release(bound, owner) {
      const [encoded = '', until = '', signature = ''] = typeof bound === 'string' ? bound.split('.') : []
      const good = signer.verify(text(encoded, until, owner), signature, purpose) && Number.parseInt(until, 36) > now()
      if (!good) throw new Fault('state.unknown')
      return Buffer.from(encoded, 'base64url').toString()
    },
  }
}
