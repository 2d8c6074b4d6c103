/** Asks gateway processes for something and gathers their answers, in the first process. */
import type { FromProcess, ToProcess } from './process-messages.ts'

/** Milliseconds after which the answers that came are all there are. */
const PATIENCE_MS = 2_000

export interface Peer {
  send(message: ToProcess): void
}

interface Question {
  readonly answers: Map<Peer, unknown>
  readonly asked: Set<Peer>
  finish(): void
}

export interface Relay {
  /** The answers by who gave them; those that have none, or none in time, are left out. */
  ask(peers: Iterable<Peer>, what: string, facts: unknown): Promise<ReadonlyMap<Peer, unknown>>
  answered(peer: Peer, message: Extract<FromProcess, { kind: 'answer' }>): void
  /** Nobody waits for it any more. */
  gone(peer: Peer): void
}

export function createRelay(): Relay {
  const questions = new Map<number, Question>()
  let last = 0

  function removePeer({ asked, finish }: Question, peer: Peer): void {
    if (asked.delete(peer) && asked.size === 0) finish()
  }

  return {
    ask(peers, what, facts) {
      const { promise, resolve } = Promise.withResolvers<ReadonlyMap<Peer, unknown>>()
      const id = ++last
      const answers = new Map<Peer, unknown>()
      const finish = () => {
        questions.delete(id)
        clearTimeout(timer)
        resolve(answers)
      }
      const timer = setTimeout(finish, PATIENCE_MS)
      const waiting = new Set(peers)
      questions.set(id, { answers, asked: waiting, finish })
      for (const peer of waiting) peer.send({ kind: 'asked', id, what, facts })
      if (waiting.size === 0) finish()
      return promise
    },
    answered(peer, { id, facts }) {
      const question = questions.get(id)
      if (question?.asked.has(peer) !== true) return
      if (facts !== null) question.answers.set(peer, facts)
      removePeer(question, peer)
    },
    gone(peer) {
      for (const question of questions.values()) removePeer(question, peer)
    },
  }
}
