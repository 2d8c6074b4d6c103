/**
 * The hash of a record, computed here as the database computes it when it takes a record (migration 0009), so that an export can
 * be checked without the database.
 */
import { hash as digest } from 'node:crypto'
import { REDACTABLE, type Redactable } from '@toolway/contract/admin'
import { z } from 'zod'

/** Fields that always stay, in the order in which they are hashed together as one JSON array of texts. */
export const STAYING = [
  'seq',
  'id',
  'organization_id',
  'at',
  'kind',
  'key_id',
  'toolset',
  'connection',
  'method',
  'era_client',
  'era_upstream',
  'bytes_in',
  'bytes_out',
  'duration_us',
  'outcome',
  'code',
  'decision',
  'correlation_id',
  'actor_type',
  'resource_type',
] as const

/** Replaces a principal that was redacted; the other fields are absent then. */
export const REDACTED = '[redacted]'

const text = z.string()
const maybe = z.string().nullable()
/** One record as it is kept. Times are texts of microseconds in UTC, `detail` is the JSON text that was hashed. */
export const ChainRow = z.object({
  seq: z.number(),
  id: text,
  organization_id: text,
  at: text,
  kind: text,
  key_id: maybe,
  toolset: maybe,
  connection: maybe,
  method: text,
  era_client: maybe,
  era_upstream: maybe,
  bytes_in: z.number(),
  bytes_out: z.number(),
  duration_us: z.number(),
  outcome: text,
  code: maybe,
  decision: text,
  correlation_id: text,
  actor_type: text,
  resource_type: maybe,
  principal: maybe,
  client: maybe,
  target: maybe,
  resource_id: maybe,
  ip_address: maybe,
  user_agent: maybe,
  detail: maybe,
  hash: text,
  salt: maybe,
  redacted: z.record(z.string(), z.object({ hash: z.string().optional(), salt: z.string().optional() })).nullable(),
})
export type ChainRow = z.output<typeof ChainRow>

const hex = z.string().regex(/^([0-9a-f]{2})*$/)
/** A record with its proof: a salt for each field that is there, a hash for each that is or was. Hexadecimal. */
export const ProvenRecord = z.strictObject({
  ...ChainRow.omit({ salt: true, redacted: true }).shape,
  hash: hex,
  salts: z.partialRecord(z.enum(REDACTABLE), hex),
  hashes: z.partialRecord(z.enum(REDACTABLE), hex.length(64)),
  redacted: z.array(z.enum(REDACTABLE)).optional(),
})
export type ProvenRecord = z.output<typeof ProvenRecord>

const SALT_BYTES = 9
const ABSENT = Buffer.alloc(32)
const sha256 = (value: string | Uint8Array): Buffer => digest('sha256', value, 'buffer')

/** An export hashes seven fields of each record: short ones in one place, without a buffer for each. */
const SHORT = Buffer.allocUnsafeSlow(4_096)
const BYTES_OF_UNIT = 3

export function hashOfField(salt: string, value: string): string {
  if (salt.length / 2 + value.length * BYTES_OF_UNIT > SHORT.length)
    return digest('sha256', Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(value)]))
  const begin = SHORT.write(salt, 'hex')
  return digest('sha256', SHORT.subarray(0, begin + SHORT.write(value, begin)))
}

/** Give each field its own salt, as an export shows it. */
export function withProofs(stored: ChainRow): ProvenRecord {
  const salts: Partial<Record<Redactable, string>> = {}
  const hashes: Partial<Record<Redactable, string>> = {}
  const gone: Redactable[] = []
  prove(stored, (name, hash, own) => {
    hashes[name] = hash
    if (own === undefined) gone.push(name)
    else salts[name] = own
  })
  const { salt: _, redacted: __, ...row } = stored
  return { ...row, salts, hashes, ...(gone.length === 0 ? {} : { redacted: gone }) }
}

/** The line of `proven` in an export. Hexadecimal digits and names of fields need no escapes: they are put together as they are. */
export function recordLine(stored: ChainRow): string {
  let [salts, hashes, gone] = ['', '', '']
  prove(stored, (name, hash, own) => {
    hashes += `${hashes === '' ? '' : ','}"${name}":"${hash}"`
    if (own === undefined) gone += `${gone === '' ? '' : ','}"${name}"`
    else salts += `${salts === '' ? '' : ','}"${name}":"${own}"`
  })
  const { salt: _, redacted: __, ...row } = stored
  const members = JSON.stringify(row).slice(1, -1)
  const redacted = gone === '' ? '' : `,"redacted":[${gone}]`
  return `{"type":"record",${members},"salts":{${salts}},"hashes":{${hashes}}${redacted}}\n`
}

/** Calls `each` for each field that is or was there; `salt` is undefined for what was taken out. */
function prove(row: ChainRow, each: (name: Redactable, hash: string, salt: string | undefined) => void): void {
  const { salt, redacted } = row
  const all = salt === null ? undefined : digest('sha512', Buffer.from(salt, 'hex'), 'hex')
  for (const [index, name] of REDACTABLE.entries()) {
    const redaction = redacted?.[name]
    const value = row[name]
    if (redaction?.hash !== undefined) each(name, redaction.hash, undefined)
    else if (value !== null) {
      const own = redaction?.salt ?? all?.slice(index * SALT_BYTES * 2, (index + 1) * SALT_BYTES * 2) ?? ''
      each(name, hashOfField(own, value), own)
    }
  }
}

/** The content of a record, without its proof. */
export type Unproven = Omit<ProvenRecord, 'salts' | 'hashes'>

export function withoutProofs({ salt: _, redacted, ...row }: ChainRow): Unproven {
  const gone = redacted === null ? [] : REDACTABLE.filter((name) => redacted[name]?.hash !== undefined)
  return gone.length === 0 ? row : { ...row, redacted: gone }
}

export function leafOf(record: ProvenRecord): Buffer {
  const staying = STAYING.map((name) => {
    const value = record[name]
    return value === null ? null : String(value)
  })
  const hashes = REDACTABLE.map((name) => {
    const own = record.hashes[name]
    return own === undefined ? ABSENT : Buffer.from(own, 'hex')
  })
  return sha256(Buffer.concat([sha256(JSON.stringify(staying)), ...hashes]))
}

/** The hash of a record: of all before it, and of itself. */
export const chainHash = (before: string, leaf: Uint8Array): string =>
  digest('sha256', Buffer.concat([Buffer.from(before, 'hex'), leaf]))

/** The hash before an organization's first record. */
export const startOf = (organization: string): string => sha256(`toolway records ${organization}`).toString('hex')
