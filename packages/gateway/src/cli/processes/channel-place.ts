/** The other processes of a gateway process, reached through the first process. */
import type { ProcessPlace } from '../../lib/process-place.ts'
import type { FromProcess, ToProcess } from './process-messages.ts'

type Send = (message: FromProcess) => void
type Answers = Extract<ToProcess, { kind: 'answers' }>

export interface ChannelPlace extends ProcessPlace {
  /** Whether the message was one of its own. */
  hear(message: ToProcess): boolean
}

export function createChannelPlace(send: Send): ChannelPlace {
  const waiting = new Map<number, (answers: Answers) => void>()
  const answers = new Map<string, (facts: unknown) => unknown>()
  let last = 0

  /** Who asks is not told why there is no answer, and goes on without one. */
  async function reply(id: number, what: string, facts: unknown): Promise<void> {
    const answerQuestion = async () => answers.get(what)?.(facts)
    const answer = await answerQuestion().catch(() => null)
    send({ kind: 'answer', id, facts: answer ?? null })
  }

  function ask(what: string, facts: unknown): Promise<Answers> {
    const id = ++last
    return new Promise((resolve) => {
      waiting.set(id, resolve)
      send({ kind: 'ask', id, what, facts })
    })
  }

  return {
    ask: async (what, facts) => (await ask(what, facts)).all,
    async reach(what, facts) {
      const { all, asked } = await ask(what, facts)
      return asked - all.length
    },
    answer: (what, how) => void answers.set(what, how),
    hear(message) {
      if (message.kind === 'asked') {
        void reply(message.id, message.what, message.facts)
        return true
      }
      if (message.kind !== 'answers') return false
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
      return true
    },
  }
}
