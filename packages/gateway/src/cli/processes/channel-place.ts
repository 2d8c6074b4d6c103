/** The other processes of a gateway process, reached through the first process. */
import type { ProcessPlace } from '../../compose/process-place.ts'
import type { FromProcess, ToProcess } from './process-messages.ts'

type Send = (message: FromProcess) => void

export interface ChannelPlace extends ProcessPlace {
  /** Whether the message was one of its own. */
  hear(message: ToProcess): boolean
}

export function createChannelPlace(send: Send): ChannelPlace {
  const waiting = new Map<number, (all: readonly unknown[]) => void>()
  const answers = new Map<string, (facts: unknown) => unknown>()
  let last = 0

  /** Who asks is not told why there is no answer, and goes on without one. */
  async function reply(id: number, what: string, facts: unknown): Promise<void> {
    const answering = async () => answers.get(what)?.(facts)
    const answer = await answering().catch(() => null)
    send({ kind: 'answer', id, facts: answer ?? null })
  }

  return {
    ask(what, facts) {
      const id = ++last
      return new Promise((resolve) => {
        waiting.set(id, resolve)
        send({ kind: 'ask', id, what, facts })
      })
    },
    answer: (what, how) => void answers.set(what, how),
    hear(message) {
      if (message.kind === 'asked') {
        void reply(message.id, message.what, message.facts)
        return true
      }
      if (message.kind !== 'answers') return false
      waiting.get(message.id)?.(message.all)
      waiting.delete(message.id)
      return true
    },
  }
}
