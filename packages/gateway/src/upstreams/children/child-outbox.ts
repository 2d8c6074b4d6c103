/**
 * Backpressure for a child that reads slowly. Lines are sent at once and counted until the child's pipe has taken them: from one
 * MiB on, `send` makes its caller wait; over sixteen it refuses. It never holds the line itself and never makes one child wait
 * for another.
 */
import { ChildError } from './child-error.ts'
import { weightOf } from './frame.ts'

/** Weights, about bytes. */
export const OUTBOX_LIMIT = 16 * 1024 * 1024
export const OUTBOX_EASE = 1024 * 1024

const LINE_END = /[\r\n]/
const SENT = Promise.resolve()

export interface OutboxParts {
  name: string
  /** `line` ends with LF */
  write: (line: string) => void
}

export function createOutbox({ name, write }: OutboxParts) {
  let onTheWay = 0
  let over: ChildError | undefined
  let waiting: { resolve: () => void; reject: (why: ChildError) => void }[] = []

  const refuse = (line: string, weight: number): ChildError | undefined => {
    if (over) return over
    if (LINE_END.test(line)) return new ChildError('INVALID_LINE', `A line for ${name} contains a line end.`)
    if (onTheWay + weight <= OUTBOX_LIMIT) return undefined
    return new ChildError(
      'QUEUE_FULL',
      `${name} does not read what is sent to it: its queue of 16 MiB is full. Restart it.`,
    )
  }

  return {
    /** Resolves when the child may be sent more, rejects with a ChildError when the line was refused or it is gone. */
    send(line: string): Promise<void> {
      const weight = weightOf(Buffer.byteLength(line) + 1)
      const why = refuse(line, weight)
      if (why) return Promise.reject(why)
      onTheWay += weight
      write(`${line}\n`)
      if (onTheWay <= OUTBOX_EASE) return SENT
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
    },
    taken(weight: number): void {
      onTheWay -= weight
      if (onTheWay > OUTBOX_EASE) return
      for (const { resolve } of waiting) resolve()
      waiting = []
    },
    /** Nothing more can be sent; those who wait are told why. */
    end(why: ChildError): void {
      over ??= why
      for (const { reject } of waiting) reject(over)
      waiting = []
    },
  }
}
