/**
 * Calls that wait until their person has connected an account: how many of one principal may wait, and who of them asks.
 *
 * Calls that wait for the same account in the same session put one question between them: the first asks on its own stream, and
 * the next one asks again when the first is gone. Nothing waits past its caller's leaving, its time, or the end of the gateway.
 */
import { Fault } from '@toolway/contract'
import type { CallCredentials, CredentialAsking } from '../../snapshot/ports/credentials.ts'

/** Calls of one principal that wait at the same time. */
const MOST_OF_ONE = 20

/**
 * The outcome of a question: the user's action, `unasked` where the client cannot be asked, `gone` where the waiting caller is
 * gone.
 */
export type Word = 'accept' | 'decline' | 'cancel' | 'unasked' | 'gone'

export interface Waiting {
  /** True once a credential that serves is there; false when the time is over, or the gateway ends. Rejects when the caller leaves. */
  credentialArrived(asking: CredentialAsking, patience: number): Promise<boolean>
  end(): void
}

export interface CredentialWait {
  readonly word: Promise<Word>
  /** Ends this caller's share in the question; after the last one, the next caller is asked anew. */
  leave(): void
}

export interface CredentialWaiters {
  /** A place among those that wait; undefined when the principal has as many as it may. */
  begin(principal: string, signal: AbortSignal): Waiting | undefined
  /** The one question that is asked for all who share the key, as long as one of them is led by it. */
  ask(key: string, put: () => Promise<Word>): CredentialWait
  /** Principals of whom calls wait. */
  readonly size: number
  close(): void
}

export function createCredentialWaiters(
  credentials: Pick<CallCredentials, 'credentialArrived'>,
  mostOfOne = MOST_OF_ONE,
): CredentialWaiters {
  const waiting = new Map<string, number>()
  const asked = new Map<string, { readonly word: Promise<Word>; led: number }>()
  const closing = new AbortController()

  function leave(principal: string): void {
    const left = (waiting.get(principal) ?? 1) - 1
    if (left === 0) waiting.delete(principal)
    else waiting.set(principal, left)
  }

  async function credentialArrived(asking: CredentialAsking, patience: number, caller: AbortSignal): Promise<boolean> {
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), patience)
    try {
      const there = await credentials.credentialArrived(
        asking,
        AbortSignal.any([caller, timeout.signal, closing.signal]),
      )
      if (caller.aborted) throw Fault.of(caller.reason)
      return there
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    begin(principal, signal) {
      const already = waiting.get(principal) ?? 0
      if (already >= mostOfOne || closing.signal.aborted) return undefined
      waiting.set(principal, already + 1)
      let ended = false
      return {
        credentialArrived: (asking, patience) => credentialArrived(asking, patience, signal),
        end() {
          if (!ended) leave(principal)
          ended = true
        },
      }
    },
    ask(key, put) {
      const one = asked.get(key) ?? { word: put(), led: 0 }
      asked.set(key, one)
      one.led++
      const forget = () => void (asked.get(key) === one && asked.delete(key))
      const word = one.word.then((outcome) => {
        if (outcome === 'gone') forget()
        return outcome
      })
      return { word, leave: () => void (--one.led === 0 && forget()) }
    },
    get size() {
      return waiting.size
    },
    close: () => closing.abort(),
  }
}
