/**
 * Whose message is a line that cannot be read, being too long or broken? A look at both of its ends, where clients write
 * the id, so that the one who waits for an answer gets an error instead of waiting for ever.
 *
 * Only members of the message itself are believed: those that follow its first brace or precede its last one without
 * anything deeper between. Where the two ends disagree nothing is known, because two messages may have run into one line.
 */
import { isObject, type Id, type JsonObject } from '@toolway/protocol'

export interface Peek {
  readonly id: Id | undefined
  /** It is the client's answer to a question, so that its id is the server's. */
  readonly answers: boolean
}

const TEXT = String.raw`"(?:[^"\\]|\\.)*"`
const MEMBER = String.raw`"(?:jsonrpc|id|method)"\s*:\s*(?:${TEXT}|-?\d+)`
const HEAD = new RegExp(String.raw`^\s*\{\s*((?:${MEMBER}\s*(?:,\s*|(?=\})))*)`)
const TAIL = new RegExp(String.raw`((?:[,{]\s*${MEMBER}\s*)+)\}\s*$`)
const OUTCOME = /^"(?:result|error)"/

export function peek(head: Buffer, tail: Buffer): Peek {
  const [start, end] = [head.toString('latin1'), tail.toString('latin1')]
  const found = HEAD.exec(start)
  const first = membersOf(found?.[1]?.replace(/,\s*$/, ''))
  const last = membersOf(TAIL.exec(end)?.[1]?.slice(1))
  const [one, other] = [idOf(first), idOf(last)]
  const known = first['method'] !== undefined || last['method'] !== undefined
  const answers = !known && found !== null && OUTCOME.test(start.slice(found[0].length))
  const id = one === undefined || other === undefined || one === other ? (one ?? other) : undefined
  return { id: known || answers ? id : undefined, answers }
}

function membersOf(text: string | undefined): JsonObject {
  try {
    const value: unknown = JSON.parse(`{${text ?? ''}}`)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

const idOf = ({ id }: JsonObject): Id | undefined =>
  typeof id === 'string' || Number.isSafeInteger(id) ? (id as Id) : undefined
