/**
 * The payload of a call, request and answer, stored where an administrator of the connection wants that: secrets masked, bounded,
 * sealed, and with a hash for the record.
 *
 * The hash is salted, so that it reveals nothing once the payload is removed. While many records wait for the database no payload
 * is stored: memory and the outbox are for records.
 */
import { createHash, randomBytes } from 'node:crypto'
import { isObject, withDigits, type JsonObject } from '@toolway/protocol'
import { z } from 'zod'
import { maskedJson } from '../lib/masked-json.ts'

/** Characters. */
const MOST = { arguments: 8_192, result: 24_576 }
/** Records in memory from which on payloads are not kept. */
const MOST_WAITING = 500

/** Of a call under way. `params` is what is sent, which rules may change on the way. */
export interface Payload {
  readonly params: JsonObject
  readonly result?: unknown
}

export interface KeptPayload {
  /** Base64. */
  readonly sealed: string
  /** SHA-256 of what is sealed, in hexadecimal. */
  readonly hash: string
}

const Kept = z.object({
  salt: z.string(),
  arguments: z.unknown(),
  /** Absent while the call is under way, and for good where its gateway ended before the answer. */
  result: z.unknown().optional(),
  cut: z.boolean(),
})

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

export interface KeepPayloadParts {
  seal(text: string, id: string): Buffer
  /** Records that wait for the database. */
  waiting(): number
  onTrouble(thrown: unknown): void
}

/** Undefined where it is not kept; never throws, as the record is what counts. */
export const createKeepPayload =
  ({ seal, waiting, onTrouble }: KeepPayloadParts) =>
  ({ params, result }: Payload, id: string): KeptPayload | undefined => {
    if (waiting() > MOST_WAITING) return undefined
    try {
      const json = maskedJson(withDigits(params['arguments'] ?? {}), MOST.arguments)
      const came = result === undefined ? undefined : maskedJson(exactly(result), MOST.result)
      const text = JSON.stringify({
        salt: randomBytes(16).toString('hex'),
        arguments: json.value,
        result: came?.value,
        cut: json.cut || came?.cut === true,
      })
      return { sealed: seal(text, id).toString('base64'), hash: hashOf(text) }
    } catch (thrown) {
      onTrouble(thrown)
      return undefined
    }
  }

/** A result of a tool with the digits of its structured part. */
function exactly(result: unknown): unknown {
  if (!isObject(result)) return result
  const { structuredContent: structured } = result
  return structured === undefined ? result : { ...result, structuredContent: withDigits(structured) }
}

export interface OpenedPayload {
  readonly arguments: unknown
  readonly result: unknown
  readonly cut: boolean
  /** Whether it is what its record says. */
  readonly intact: boolean
}

export function openedPayload(text: string, hash: string | null): OpenedPayload {
  const { arguments: input, result = null, cut } = Kept.parse(JSON.parse(text))
  return { arguments: input, result, cut, intact: hash === hashOf(text) }
}
