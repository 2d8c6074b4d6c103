/** The fields of each kind of destination, and what a form's words become: a destination, its secrets, and what is wrong with them. */
import { destinationKind, StreamDestination, StreamSecrets, type RecordStream } from '@toolway/contract/admin'
import type { ZodType } from 'zod'
import { texts } from '../../texts/texts.ts'

const t = texts.recordStreams

export type StreamKind = StreamDestination['kind']

/** The text that stands in a field at first: what its setting is where nothing is entered. */
export function firstOf(kind: StreamKind, field: string): string {
  const setting = destinationKind(kind).settings.shape[field as 'kind'] as ZodType | undefined
  const first = setting?.safeParse(undefined)
  return first?.success === true && first.data !== undefined ? String(first.data) : ''
}

export interface StreamWords {
  readonly name: string
  readonly kind: StreamKind
  readonly fields: Readonly<Record<string, string>>
  /** The destination as it is; undefined: the stream is new. */
  readonly stored: StreamDestination | undefined
  readonly secret: string
  readonly alerts: boolean
  readonly private: boolean
  readonly from: 'now' | 'start'
  /** Of a stream that is there: whether its destination is said anew, with the secrets. */
  readonly anew: boolean
}

export const wordsOf = (stream: RecordStream | undefined): StreamWords => ({
  name: stream?.name ?? '',
  kind: stream?.destination.kind ?? 'webhook',
  fields: Object.fromEntries(Object.entries(stream?.destination ?? {}).map(([name, value]) => [name, String(value)])),
  stored: stream?.destination,
  secret: '',
  alerts: stream?.alerts ?? true,
  private: stream?.private ?? false,
  from: 'now',
  anew: stream === undefined,
})

const HEADER = /^([\w-]+):\s*(\S.*)$/

/** By field; empty where it can be saved. */
export function faultsOf(words: StreamWords): Readonly<Record<string, string>> {
  const faults: Record<string, string> = words.name.trim() === '' ? { name: t.nameWrong } : {}
  if (!words.anew) return faults
  const parsed = StreamDestination.safeParse(enteredDestination(words))
  for (const { path } of parsed.error?.issues ?? []) faults[String(path[0])] = t.wrong
  const { secret } = destinationKind(words.kind).form
  if (secret?.control === 'headers' && !linesOf(words.secret).every((line) => HEADER.test(line)))
    faults[secret.name] = t.headersWrong
  return faults
}

/** Throws where `faultsOf` has something to say. */
export const destinationOf = (words: StreamWords): StreamDestination =>
  StreamDestination.parse(enteredDestination(words))

export function secretsOf({ kind, secret: text }: StreamWords): StreamSecrets {
  const { secret } = destinationKind(kind).form
  if (secret === undefined || text.trim() === '') return {}
  const value: unknown =
    secret.control === 'headers'
      ? Object.fromEntries(linesOf(text).map((line) => HEADER.exec(line)?.slice(1, 3) ?? []))
      : text.trim()
  return StreamSecrets.parse({ [secret.name]: value })
}

/** The fields that were filled in; what the form does not ask for stays as it is. */
function enteredDestination({ kind, fields, stored }: StreamWords): unknown {
  const { form } = destinationKind(kind)
  const entered = form.fields.flatMap(({ name, control }) => {
    const text = (fields[name] ?? firstOf(kind, name)).trim()
    return text === '' ? [] : [[name, control === 'number' ? Number(text) : text] as const]
  })
  const inForm = new Set(form.fields.map(({ name }) => name))
  const others = Object.entries(stored?.kind === kind ? stored : {}).filter(([name]) => !inForm.has(name))
  return { ...Object.fromEntries(others), kind, ...Object.fromEntries(entered) }
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
