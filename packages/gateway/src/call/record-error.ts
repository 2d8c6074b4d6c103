/**
 * The error text of a record: the message of the tool or its server, or the sentence of the fault.
 *
 * Stored always, for failures alone: short, one line, and without anything that looks like a secret. The payload is stored only
 * where an administrator said so (`payload.ts`).
 */
import type { Fault } from '@toolway/contract'
import { isObject, type JsonObject } from '@toolway/protocol'
import { shortText } from '../lib/mask-text.ts'

/** Characters. */
const LONGEST = 300
/** Of what is looked at, before it is made short. */
const LOOKED_AT = 2_000

export interface RecordedError {
  /** The author of the text. */
  readonly by: 'tool' | 'gateway'
  readonly says: string
  /** The next step, where it is more than the fault's code says. */
  readonly mend?: string
}

/** The words of a result that is an error: its texts, in their order. */
export function wordsOfResult({ content }: JsonObject): string | undefined {
  if (!Array.isArray(content)) return undefined
  let words = ''
  for (const value of content) {
    if (words.length >= LOOKED_AT) break
    if (isObject(value) && typeof value['text'] === 'string') words += `${value['text'].slice(0, LOOKED_AT)} `
  }
  return words === '' ? undefined : words
}

/** Undefined where nobody said anything. */
export function recordedError(fault: Fault | undefined, toolWords: string | undefined): RecordedError | undefined {
  if (fault === undefined)
    return toolWords === undefined ? undefined : { by: 'tool', says: shortText(toolWords, LONGEST) }
  // A link is for the person who was sent it.
  const filled = /\{\w+\}/.test(fault.row.mend) && !('link' in fault.facts)
  return {
    by: 'gateway',
    says: shortText(fault.message, LONGEST),
    ...(filled ? { mend: shortText(fault.mend, LONGEST) } : {}),
  }
}
