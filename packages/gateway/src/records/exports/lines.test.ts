/** Tests that the lines of an export are, byte for byte, what is written from the rows as they are kept, whatever they hold. */
import { createHash } from 'node:crypto'
import type { OrganizationId } from '@toolway/contract'
import { REDACTABLE, type Redactable } from '@toolway/contract/admin'
import fc from 'fast-check'
import pg from 'pg'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import { describeEachPostgres } from '../../testing/database.ts'
import { testEntry } from '../../testing/record-entry.ts'
import { STAYING } from '../chain/record-hash.ts'
import { storeRecords, type Entry } from '../records.ts'
import { redactRecord } from '../redact.ts'
import { exportRecords } from './formats.ts'

const ORG = 'org_1' as OrganizationId
const OPERATOR = {
  ...{ id: 'usr_1', type: 'user' as const, keyId: undefined, correlationId: 'c-1' },
  ...{ address: '192.0.2.7', userAgent: 'a "test"\\' },
}
const SALT_BYTES = 9

const Kept = z.object({ row: z.record(z.string(), z.unknown()), hash: z.string(), salt: z.string().nullable() })

/** A line from a row as it is stored, by what docs/guides/records.md says of it, and nothing of the code that exports. */
function lineFrom({ row, hash, salt }: z.output<typeof Kept>): string {
  const kept = (row['redacted'] ?? {}) as Partial<Record<Redactable, { hash?: string; salt?: string }>>
  const all = salt === null ? '' : createHash('sha512').update(Buffer.from(salt, 'hex')).digest('hex')
  const [salts, hashes, redacted]: [Record<string, string>, Record<string, string>, string[]] = [{}, {}, []]
  for (const [at, name] of REDACTABLE.entries()) {
    const [own, value] = [kept[name], row[name]]
    if (own?.hash !== undefined) {
      redacted.push(name)
      hashes[name] = own.hash
    } else if (typeof value === 'string') {
      const bytes = own?.salt ?? all.slice(at * SALT_BYTES * 2, (at + 1) * SALT_BYTES * 2)
      salts[name] = bytes
      hashes[name] = createHash('sha256').update(Buffer.from(bytes, 'hex')).update(value).digest('hex')
    }
  }
  const members = Object.fromEntries([...STAYING, ...REDACTABLE].map((name) => [name, row[name]]))
  const gone = redacted.length === 0 ? {} : { redacted }
  return JSON.stringify({ type: 'record', ...members, hash, salts, hashes, ...gone })
}

const keptRows = (db: Db) =>
  db.system(
    (sql) => sql(Kept)`
      select to_jsonb(r) - 'hash' - 'salt'
             || jsonb_build_object('detail', detail::text,
                  'at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) as row,
             encode(hash, 'hex') as hash, encode(salt, 'hex') as salt
        from records r where organization_id = ${ORG} order by seq`,
  )

async function exportedLines(db: Db, filter = {}): Promise<string[]> {
  const chain = {
    look: <T>(work: Parameters<typeof db.system<T>>[0]) => db.system(work),
    organization: ORG,
    now: new Date(),
  }
  let text = ''
  for await (const part of exportRecords(chain, { format: 'jsonl', filter })) text += part
  return text.split('\n').filter((line) => line.startsWith('{"type":"record"'))
}

/** Every control character, what JSON escapes and what it does not, and texts made at random (seed 20261129). */
const ODD = [
  ...[
    '',
    ' ',
    '"',
    '\\',
    '\\"',
    '</script>',
    "'",
    'NULL',
    'null',
    '{"a": [1, null]}',
    '$1',
    '%s',
    '\u2028\u2029',
    '💧',
    '\u007f\u0085',
  ],
  Array.from({ length: 31 }, (_, at) => String.fromCharCode(at + 1)).join(''),
  'x'.repeat(10_000),
  ...fc
    .sample(fc.string({ unit: 'binary', maxLength: 60 }), { numRuns: 60, seed: 20_261_129 })
    .map((text) => text.replaceAll('\0', '')),
]

const oddEntry = (text: string, at: number): Partial<Entry> => ({
  ...{ principal: text, key_id: text, toolset: text, connection: text, method: text, tool_name: text, code: text },
  ...{ era_client: text, era_upstream: text, client: text, decision: text, request_id: text, resource_type: text },
  ...{ resource_id: text, ip_address: text, user_agent: text },
  ...{ bytes_in: 2_147_483_647, bytes_out: at, duration_ms: at * 1.001 },
  detail: at % 3 === 0 ? undefined : { [text]: text, deep: [1.5, 1e21, 1e-7, -0, true, null, { '': text }], n: at },
})
const BARE: Partial<Entry> = {
  ...{
    toolset: undefined,
    connection: undefined,
    tool_name: undefined,
    era_client: undefined,
    era_upstream: undefined,
  },
  ...{ client: undefined, org_id: ORG, kind: 'sign_in' as const },
}

describeEachPostgres('the lines of an export', (createDatabase) => {
  test('are what the kept rows say, byte for byte, whatever is in them and whatever was taken out', async () => {
    await using database = await createDatabase()
    const { db } = database
    const entries = [{}, BARE, ...ODD.map(oddEntry)].map((more) => testEntry({ org_id: ORG, ...more }))
    await db.system((sql) => storeRecords(sql, entries))
    const redact = (at: number, fields: readonly Redactable[]) =>
      db.system((sql) => redactRecord(sql, OPERATOR, ORG, { id: entries[at]?.id ?? '', fields, reason: '"why"' }))
    for (const [at, name] of REDACTABLE.entries()) await redact(at + 3, [name])
    await redact(20, REDACTABLE)
    await redact(21, ['target'])
    await redact(21, ['principal', 'detail'])
    await redact(1, ['principal'])

    const rows = await keptRows(db)
    const expected = rows.map(lineFrom)
    expect(expected.filter((line) => line.includes('"redacted":['))).toHaveLength(10)
    expect(await exportedLines(db)).toEqual(expected)

    // A filter leaves out other records, and changes none.
    for (const filter of [{ action: 'tools/call' }, { actor: '"' }, { code: '\\' }, { outcome: 'ok' }, { tool: '' }]) {
      const some = await exportedLines(db, filter)
      expect(some.length).toBeGreaterThan(0)
      expect(expected.filter((line) => some.includes(line))).toEqual(some)
    }
  })

  test('of a record without any salt, as only another hand leaves it, have an empty one', async () => {
    await using database = await createDatabase()
    await database.db.system((sql) => storeRecords(sql, [testEntry({ org_id: ORG })]))
    const client = new pg.Client(database.connection)
    await client.connect()
    await client.query('alter table records disable trigger user; update records set salt = null')
    await client.end()
    expect(await exportedLines(database.db)).toEqual((await keptRows(database.db)).map(lineFrom))
  })
})
