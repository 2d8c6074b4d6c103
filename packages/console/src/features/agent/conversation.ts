/** The conversation with the agent in this visit: each wish with what the agent says and calls, as the gateway tells it. */
import { runAgent, type AgentEvent } from '@toolway/contract/admin'
import { follow } from '../../data/call.ts'
import { Problem } from '../../data/problem.ts'

export interface AgentCall {
  readonly kind: 'call'
  readonly id: string
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** Undefined while it runs. */
  readonly result: { readonly failed: boolean; readonly text: string; readonly link: string | null } | undefined
}

export type AgentStep = AgentCall | { readonly kind: 'text'; readonly text: string }

export interface Turn {
  readonly id: number
  readonly organization: string
  readonly wish: string
  readonly steps: readonly AgentStep[]
  readonly state: 'running' | 'done' | 'stopped' | 'failed'
  /** Its place among the runs that wait; undefined once it has begun. */
  readonly position: number | undefined
  /** It made as many steps as it may, and may go on. */
  readonly cut: boolean
  readonly failure: Problem | undefined
}

type Message = { role: 'user' | 'assistant'; content: string }

/** Adds an event to the steps of a turn. */
export function withEvent(steps: readonly AgentStep[], event: AgentEvent): readonly AgentStep[] {
  if (event.type === 'waiting') return steps
  if (event.type === 'text') return [...steps, { kind: 'text', text: event.text }]
  if (event.type === 'call') {
    const { id, tool, arguments: input } = event
    return [...steps, { kind: 'call', id, tool, arguments: input, result: undefined }]
  }
  const { failed, text, link } = event
  return steps.map((step) =>
    step.kind === 'call' && step.id === event.id ? { ...step, result: { failed, text, link } } : step,
  )
}

const BEGUN = { state: 'running', position: undefined, cut: false, failure: undefined } as const

const changeBy = (steps: readonly AgentStep[], event: AgentEvent): Pick<Turn, 'steps' | 'position'> => ({
  steps: withEvent(steps, event),
  position: event.type === 'waiting' ? event.position : undefined,
})

/** The part of earlier turns that the model reads: requests, and its own words. */
export const messagesOf = (turns: readonly Turn[]): Message[] =>
  turns.flatMap(({ wish, steps }) => {
    const text = steps.flatMap((step) => (step.kind === 'text' ? [step.text] : [])).join('\n\n')
    const message: Message = { role: 'user', content: wish }
    return text === '' ? [message] : [message, { role: 'assistant', content: text }]
  })

export class Conversation {
  #turns: readonly Turn[] = []
  #last = 0
  #running: AbortController | undefined
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
  readonly turns = (): readonly Turn[] => this.#turns

  stop(): void {
    this.#running?.abort()
  }

  clear(): void {
    this.stop()
    this.#keep([])
  }

  async wish(organization: string, wish: string): Promise<void> {
    const id = ++this.#last
    const before = this.#turns.filter((turn) => turn.organization === organization)
    const turn: Turn = { id, organization, wish, steps: [], ...BEGUN }
    this.#keep([...this.#turns, turn])
    const running = new AbortController()
    this.#running = running
    try {
      const messages = [...messagesOf(before), { role: 'user' as const, content: wish }].slice(-100)
      const input = { path: { organization }, body: { messages }, signal: running.signal }
      const { ended } = await follow(runAgent, input, (event) =>
        this.#change(id, ({ steps }) => changeBy(steps, event as AgentEvent)),
      )
      this.#change(id, () => ({ state: 'done', cut: ended === 'steps' }))
    } catch (thrown) {
      const change = running.signal.aborted
        ? ({ state: 'stopped' } as const)
        : ({ state: 'failed', failure: Problem.of(thrown) } as const)
      this.#change(id, () => change)
    }
  }

  #change(id: number, change: (turn: Turn) => Partial<Turn>): void {
    this.#keep(this.#turns.map((turn) => (turn.id === id ? { ...turn, ...change(turn) } : turn)))
  }

  #keep(turns: readonly Turn[]): void {
    this.#turns = turns
    for (const listener of this.#listeners) listener()
  }
}
