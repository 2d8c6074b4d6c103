/**
 * The pass-through token for calls on a connection, until another one is given. It is not visible to other clients and ends with the
 * connection.
 */
import { Fault } from '@toolway/contract'
import type { Request } from '@toolway/protocol'

/** The token that a connection began with, and what judges those that messages name. */
export interface PassThroughTokens {
  readonly first: string | undefined
  /** Throws `credential.brought-shape`. */
  evaluate(token: unknown): string | undefined
}

export class ConnectionToken {
  readonly #passThrough: PassThroughTokens | undefined
  #token: string | Fault | undefined

  constructor(passThrough: PassThroughTokens | undefined) {
    this.#passThrough = passThrough
    this.#token = passThrough?.first
  }

  replace(params: Request['params']): void {
    try {
      this.#token = this.#passThrough?.evaluate(params?.['token'] ?? undefined)
    } catch (thrown) {
      // Nothing is called with another credential than its caller thinks, also when it did not hear of this refusal.
      this.#token = Fault.of(thrown)
      throw this.#token
    }
  }

  /** That of a call, which may bring its own. */
  of(own: string | undefined): string | undefined {
    if (own === undefined && this.#token instanceof Fault) throw this.#token
    return own ?? (this.#token instanceof Fault ? undefined : this.#token)
  }
}
