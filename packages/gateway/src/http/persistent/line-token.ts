/**
 * The pass-through token for calls on a connection, until another one is given. It is not visible to other clients and ends with the
 * connection.
 */
import { Fault } from '@toolway/contract'
import type { Request } from '@toolway/protocol'

/** The token that a connection began with, and what judges those that messages name. */
export interface Bringing {
  readonly first: string | undefined
  /** Throws `credential.brought-shape`. */
  evaluate(token: unknown): string | undefined
}

export class LineToken {
  readonly #bringing: Bringing | undefined
  #brought: string | Fault | undefined

  constructor(bringing: Bringing | undefined) {
    this.#bringing = bringing
    this.#brought = bringing?.first
  }

  bring(params: Request['params']): void {
    try {
      this.#brought = this.#bringing?.evaluate(params?.['token'] ?? undefined)
    } catch (thrown) {
      // Nothing is called with another credential than its caller thinks, also when it did not hear of this refusal.
      this.#brought = Fault.of(thrown)
      throw this.#brought
    }
  }

  /** That of a call, which may bring its own. */
  of(own: string | undefined): string | undefined {
    if (own === undefined && this.#brought instanceof Fault) throw this.#brought
    return own ?? (this.#brought instanceof Fault ? undefined : this.#brought)
  }
}
