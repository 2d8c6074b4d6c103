/**
 * Finds the id of a line that is too long or broken by reading both of its ends, where clients write the id, so that the sender
 * gets an error instead of waiting forever.
 *
 * Only members of the message itself count: those that follow its first brace or precede its last one with nothing nested in
 * between. If the two ends disagree, the id is unknown, because two messages may have run into one line.
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
  const [firstId, other] = [idOf(first), idOf(last)]
  const known = first['method'] !== undefined || last['method'] !== undefined
  const answers = !known && found !== null && OUTCOME.test(start.slice(found[0].length))
  const id = firstId === undefined || other === undefined || firstId === other ? (firstId ?? other) : undefined
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
