/**
 * Scripts that a sandbox runs for one operation on a file. A script is fixed text: paths and bytes are put in as base64 literals only, so
 * that no path can become code. It answers with one line, `@@toolway:<nonce>:<JSON in base64>:<bytes in base64>@@`.
 */
import { createHash, randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import type { RemotePath } from '../../files/paths.ts'
import { RemoteFailure } from '../remote-failure.ts'

export type Language = 'python' | 'javascript' | 'shell'
export const LANGUAGES = ['python', 'javascript', 'shell'] as const

export type Operation =
  | { readonly name: 'stat'; readonly target: 'path' | 'part' }
  | { readonly name: 'write'; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly name: 'finish'; readonly size: number; readonly sha256: string }
  | { readonly name: 'read'; readonly offset: number; readonly size: number }

/** Inputs of a script; each value is safe in any language once it is in base64 or a number. */
export interface Given {
  readonly nonce: string
  readonly path: string
  readonly folder: string
  /** Of the hidden part beside the file. */
  readonly part: string
  readonly operation: Operation
}

export interface ScriptAnswer {
  readonly said: Readonly<Record<string, unknown>>
  readonly bytes: Uint8Array
}

/** @param home where the sandbox keeps what is called `/home/user` elsewhere. */
export function givenOf(path: RemotePath, home: string, operation: Operation): Given {
  const there = home + path.slice('/home/user'.length)
  const folder = posix.dirname(there)
  const key = createHash('sha256').update(posix.basename(there)).digest('hex').slice(0, 24)
  return {
    nonce: randomBytes(9).toString('hex'),
    path: there,
    folder,
    part: `${folder}/.toolway-part-${key}`,
    operation,
  }
}

export const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString('base64')

/** Finds the answer in whatever a tool returned: plain text, JSON, or JSON in JSON. Throws a `RemoteFailure`. */
export function answerIn(value: unknown, nonce: string): ScriptAnswer {
  const text = textWith(value, `@@toolway:${nonce}:`)
  if (text === undefined)
    throw new RemoteFailure('The workbench ran the script and did not return its answer.', {
      details: { data: excerptOf(value) },
    })
  const [, answer, bytes] = new RegExp(`@@toolway:${nonce}:([A-Za-z0-9+/=]*):([A-Za-z0-9+/=]*)@@`).exec(text) ?? []
  if (answer === undefined || bytes === undefined)
    throw new RemoteFailure('The workbench cut off the script’s answer.', { kind: 'too-large' })
  return {
    said: objectIn(Buffer.from(answer, 'base64').toString()),
    bytes: Buffer.from(bytes, 'base64'),
  }
}

function objectIn(text: string): ScriptAnswer['said'] {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as ScriptAnswer['said']
  } catch {
    // No JSON.
  }
  throw new RemoteFailure('The workbench returned an answer in an unexpected format.')
}

const DEEPEST = 8
function textWith(value: unknown, mark: string, depth = 0): string | undefined {
  if (typeof value === 'string') return value.includes(mark) ? value : undefined
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return undefined
  for (const item of Object.values(value)) {
    const found = textWith(item, mark, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

const MOST_WORDS = 2_000
const excerptOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > MOST_WORDS ? `${text.slice(0, MOST_WORDS)}…` : text
}
