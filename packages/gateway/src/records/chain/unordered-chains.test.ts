import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../../test/setup/form.ts'
import { signCheckpoint } from './checkpoints.ts'
import { leafOf, chainHash, withProofs, startOf, type ChainRow } from './record-hash.ts'
import { UnorderedChains, type ChainEnds } from './unordered-chains.ts'

const ORGANIZATION = 'org_1'
const KEY = { id: 'k1', ...generateKeyPairSync('ed25519') }

const rowAt = (seq: number): ChainRow => ({
  ...{ seq, id: `rec_${seq}`, organization_id: ORGANIZATION, at: '2026-11-20T10:00:00.123456Z', kind: 'call' },
  ...{ key_id: null, toolset: null, connection: 'web', method: 'tools/call', era_client: null, era_upstream: null },
  ...{ bytes_in: 1, bytes_out: 2, duration_us: 3, outcome: 'ok', code: null, decision: 'allow', correlation_id: 'c' },
  ...{ actor_type: 'api_key', resource_type: null, principal: 'key_1', client: null, target: `tool_${seq}` },
  ...{ resource_id: null, ip_address: null, user_agent: null, detail: '{"a": 1}', hash: '', salt: '00'.repeat(8) },
  redacted: null,
})

/** A chain from one number to another, as the database links it. */
function chainOf(from: number, to: number) {
  const anchor = from === 1 ? startOf(ORGANIZATION) : 'ab'.repeat(32)
  let hash = anchor
  const rows: ChainRow[] = []
  for (let seq = from; seq <= to; seq++) {
    const row = rowAt(seq)
    hash = chainHash(hash, leafOf(withProofs(row)))
    rows.push({ ...row, hash })
  }
  const ends: ChainEnds = {
    ...{ organization_id: ORGANIZATION, seq: to, hash, anchor_seq: from - 1, anchor_hash: anchor },
  }
  return { rows, ends }
}

function verdictOf(ends: ChainEnds, rows: readonly ChainRow[], signed: readonly { seq: number; hash: string }[] = []) {
  const chains = new UnorderedChains()
  chains.begin(ends)
  for (const head of signed)
    chains.checkpoint(signCheckpoint({ organization_id: ORGANIZATION, ...head }, KEY, new Date()))
  for (const row of rows) chains.record(row)
  return chains.close()[0]
}

const shuffled = (rows: readonly ChainRow[]) =>
  fc.shuffledSubarray([...rows], { minLength: rows.length, maxLength: rows.length })

test('a chain is valid in whatever order its records come, from its beginning or from where it was pruned', () => {
  for (const from of [1, 8]) {
    const { rows, ends } = chainOf(from, from + 11)
    const signed = rows.filter(({ seq }) => seq % 5 === 0)
    fc.assert(
      fc.property(shuffled(rows), (some) => {
        expect(verdictOf(ends, some, signed)).toEqual({
          ...{ organization_id: ORGANIZATION, good: true, records: 12, problem: undefined },
          signed: signed.at(-1)?.seq,
        })
      }),
      { numRuns: runs(200) },
    )
  }
  expect(verdictOf(chainOf(1, 0).ends, [])).toMatchObject({ good: true, records: 0 })
})

test('the first record that is wrong is named, in whatever order they come', () => {
  const { rows, ends } = chainOf(1, 12)
  const damages: readonly (readonly [ChainRow[], RegExp])[] = [
    [rows.map((row) => (row.seq === 7 ? { ...row, outcome: 'failed' } : row)), /^record 7 does not match its hash/],
    [rows.map((row) => (row.seq === 7 ? { ...row, target: 'x' } : row)), /^record 7 does not match its hash/],
    [rows.filter(({ seq }) => seq !== 7), /^record 7 is missing/],
    [rows.filter(({ seq }) => seq !== 1), /^record 1 is missing/],
    [rows.filter(({ seq }) => seq < 11), /^records 11 to 12 are missing at the end/],
    [[...rows, { ...rowAt(7), hash: 'ab'.repeat(32) }], /^record (7 \(rec_7\) is there twice|7 follows|[78] does not)/],
    [rows.map((row) => (row.seq === 7 ? { ...row, organization_id: 'org_1', id: 'rec_x' } : row)), /^record 7/],
  ]
  for (const [damaged, problem] of damages)
    fc.assert(
      fc.property(shuffled(damaged), (some) => {
        expect(verdictOf(ends, some)).toMatchObject({
          good: false,
          signed: undefined,
          problem: expect.stringMatching(problem),
        })
      }),
      { numRuns: runs(100) },
    )
})

test('signatures bind the chain: records that were all hashed anew, and an end that was cut off, are noticed', () => {
  const { rows, ends } = chainOf(1, 12)
  const other = chainOf(1, 12)
  const forged = other.rows.map((row) => (row.seq >= 5 ? { ...row, hash: 'cd'.repeat(32) } : row))
  const signed = [{ seq: 6, hash: rows[5]?.hash ?? '' }]
  expect(verdictOf(ends, forged, signed)).toMatchObject({ good: false })
  const short = chainOf(1, 4)
  expect(verdictOf(short.ends, short.rows, signed)?.problem).toBe('records 5 to 6 are missing at the end')
  const chains = new UnorderedChains()
  chains.begin(ends)
  const one = signCheckpoint({ organization_id: ORGANIZATION, seq: 6, hash: rows[5]?.hash ?? '' }, KEY, new Date())
  chains.checkpoint({ ...one, at: new Date(0).toISOString() })
  for (const row of rows) chains.record(row)
  expect(chains.close()[0]?.problem).toBe('the signature of the checkpoint at 6 is wrong')
  const lost = new UnorderedChains()
  for (const row of rows) lost.record(row)
  expect(lost.close()[0]?.problem).toBe('its records belong to no chain')
})
