/** The fields of each kind of destination, and what a form's words become: a destination, its secrets, and what is wrong with them. */
import { StreamDestination, type RecordStream, type StreamSecrets } from '@toolway/contract/admin'
import { texts } from '../../texts/texts.ts'

const t = texts.recordStreams

export type StreamKind = StreamDestination['kind']
interface KindFields {
  readonly fields: readonly string[]
  readonly secret: keyof StreamSecrets | undefined
  /** The text that stands there at first. */
  readonly unsaid: Readonly<Record<string, string>>
}

export const KINDS: Readonly<Record<StreamKind, KindFields>> = {
  webhook: { fields: ['url'], secret: undefined, unsaid: {} },
  syslog: { fields: ['host', 'port', 'ca', 'certificate'], secret: 'private_key', unsaid: { port: '6514' } },
  otlp: { fields: ['url'], secret: 'headers', unsaid: {} },
  s3: {
    fields: ['endpoint', 'region', 'bucket', 'prefix', 'format', 'access_key_id'],
    secret: 'secret_access_key',
    unsaid: { region: 'us-east-1', format: 'jsonl' },
  },
  clickhouse: {
    fields: ['url', 'database', 'table', 'user'],
    secret: 'password',
    unsaid: { database: 'default', table: 'toolway_records', user: 'default' },
  },
}

/** Fields of several lines. */
export const isLong = (field: string): boolean => /^(?:ca|certificate|private_key|headers)$/.test(field)

export interface StreamWords {
  readonly name: string
  readonly kind: StreamKind
  readonly fields: Readonly<Record<string, string>>
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
  const parsed = StreamDestination.safeParse(saidDestination(words))
  for (const { path } of parsed.error?.issues ?? []) faults[String(path[0])] = t.wrong
  if (words.kind === 'otlp' && !linesOf(words.secret).every((line) => HEADER.test(line)))
    faults['headers'] = t.headersWrong
  return faults
}

/** Throws where `faultsOf` has something to say. */
export const destinationOf = (words: StreamWords): StreamDestination => StreamDestination.parse(saidDestination(words))

export function secretsOf({ kind, secret }: StreamWords): StreamSecrets {
  const { secret: name } = KINDS[kind]
  if (name === undefined || secret.trim() === '') return {}
  if (name !== 'headers') return { [name]: secret.trim() }
  return {
    headers: Object.fromEntries(linesOf(secret).map((line) => HEADER.exec(line)?.slice(1, 3) ?? [])) as Record<
      string,
      string
    >,
  }
}

function saidDestination({ kind, fields }: StreamWords): unknown {
  const { fields: names, unsaid } = KINDS[kind]
  const said = names.map((name) => [name, (fields[name] ?? unsaid[name] ?? '').trim()] as const)
  const given = said
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name, name === 'port' ? Number(value) : value])
  // Not asked for in the form, and kept as it is.
  const kept = kind === 'clickhouse' && fields['token'] === 'false' ? { token: false } : {}
  return { kind, ...Object.fromEntries(given), ...kept }
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

export function placeOf(destination: StreamDestination): string {
  switch (destination.kind) {
    case 'syslog':
      return `${destination.host}:${destination.port}`
    case 's3':
      return `${destination.bucket}/${destination.prefix}`
    default:
      return destination.url
  }
}
