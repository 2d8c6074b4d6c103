/**
 * Files as inputs of tools: a reference to a stored file of the caller, or a small file that comes with the call. A connector never
 * holds the content of a reference. It asks for the facts of the file and says where the content stands in a request; the executor
 * sends it.
 */
import { z } from 'zod'
import { refusal } from './failure.ts'
import { textOf } from './base64.ts'
import { get, has, prose, str } from './shape.ts'
import type { FileSource, Piece, Run } from './tool.ts'

/** The mark in an input schema by which the gateway knows that a file is taken there. */
export const FILE_MARK = 'x-toolway-file'
/** Characters of base64 that may come with a call: 1 MiB of bytes. */
const MOST_DATA = 1_398_104

const REFERENCE = /^toolway:\/\/files\/file_[0-9a-z]{26}$/

export const file = (says: string) =>
  z
    .union([
      z.string().regex(REFERENCE, 'must be toolway://files/file_…'),
      z.strictObject({ name: z.string().min(1), media_type: z.string().min(1), data: z.base64().max(MOST_DATA) }),
    ])
    .describe(`${says}: toolway://files/…, or a small file in base64`)
    .meta({ [FILE_MARK]: true })

export type FileInput = z.output<ReturnType<typeof file>>

/** A file that can stand in a request. */
export interface GivenFile {
  readonly name: string
  readonly type: string
  /** Bytes. */
  readonly size: number
  readonly source: FileSource
}

/** The facts of a file. The call ends where the caller has no such file. */
export function* givenFile(input: FileInput): Run<GivenFile> {
  if (typeof input !== 'string') {
    const { name, media_type: type, data } = input
    return { name, type, size: sizeOf(data), source: { data } }
  }
  const { body } = yield { kind: 'file', file: input }
  const [name, type, size] = ['name', 'media_type', 'size'].map((member) => get(body, member))
  if (typeof name !== 'string' || typeof type !== 'string' || typeof size !== 'number')
    throw refusal('NOT_FOUND', `The file ${input} does not exist.`)
  return { name, type, size, source: { reference: input } }
}

/** All of them, in their order. Throws ToolFailure where they have more than so many bytes together. */
export function* givenFiles(inputs: readonly FileInput[], most: number): Run<readonly GivenFile[]> {
  const files: GivenFile[] = []
  for (const input of inputs) files.push(yield* givenFile(input))
  const size = files.reduce((sum, item) => sum + item.size, 0)
  if (size > most)
    throw refusal('PAYLOAD_TOO_LARGE', `The files are ${size} bytes in total, but the vendor accepts at most ${most}.`)
  return files
}

export const bytesOf = ({ source }: GivenFile): Piece => ({ file: source, as: 'bytes' })
/** A part of it: `to` is not included. */
export const rangeOf = ({ source }: GivenFile, from: number, to: number): Piece => ({
  ...{ file: source, as: 'bytes' },
  ...{ from, to },
})
export const base64LinesOf = ({ source }: GivenFile): Piece => ({ file: source, as: 'base64' })
export const base64TextOf = ({ source }: GivenFile): Piece => ({ file: source, as: 'base64-text' })

/** Characters of a file that comes as a text; a longer one comes as a file. */
const MOST_TEXT = 100_000
/** The members of an output that has the content of a file; `readable` fills them. */
export const FILE_CONTENT = { text: prose('text', MOST_TEXT), data: str(), is_base64: has('data') }

/** The content of a file: as text where it is one and not long, else as base64, which the gateway stores where it is large. */
export function readable(base64: unknown, type: unknown): { readonly text: string } | { readonly data?: string } {
  if (typeof base64 !== 'string') return {}
  const isText = /^text\/|json|xml/.test(String(type))
  const text = isText && base64.length < 6 * MOST_TEXT ? textOf(base64) : undefined
  if (text !== undefined && text.length <= MOST_TEXT) return { text }
  const bare = base64.replaceAll('-', '+').replaceAll('_', '/').replaceAll(/[\s=]/g, '')
  return { data: bare.padEnd(Math.ceil(bare.length / 4) * 4, '=') }
}

const sizeOf = (base64: string): number => Math.floor((base64.replace(/=+$/, '').length * 3) / 4)
