/**
 * Verifies chains whose records come in any order, as the rows of a table do in a backup: the same hashes and signatures that
 * `verify.ts` holds against the lines of an export. A record is linked to its neighbours when they are there.
 *
 * Memory grows with the checkpoints (some 100 bytes each), and with the stretches of records that are not connected yet, one or a few
 * of each organization and month where rows lie as they were appended. Chains and checkpoints are taken before the records. Which keys may sign is not decided here.
 */
import { isSigned, type Checkpoint } from './checkpoints.ts'
import { leafOf, chainHash, withProofs, startOf, type ChainRow, type ProvenRecord } from './record-hash.ts'
import { faultOf, nameOf, rangeOf } from './verify.ts'

/** The row that says where a chain begins and ends; hashes in hexadecimal. */
export interface ChainEnds {
  readonly organization_id: string
  readonly seq: number
  readonly hash: string
  readonly anchor_seq: number
  readonly anchor_hash: string
}

export interface UnorderedVerdict {
  readonly organization_id: string
  readonly good: boolean
  /** Records that are linked to all before them. */
  readonly records: number
  /** Up to this number a signature covers them. */
  readonly signed: number | undefined
  /** Of the first record that is wrong. */
  readonly problem: string | undefined
}

/** Records that follow one another without a gap, the links between them verified. */
interface Stretch {
  readonly first: number
  readonly leaf: Buffer
  readonly firstHash: string
  last: number
  lastHash: string
}

export class UnorderedChains {
  readonly #chains = new Map<string, Chain>()

  begin(ends: ChainEnds): void {
    this.#of(ends.organization_id).begin(ends)
  }

  checkpoint(checkpoint: Checkpoint): void {
    this.#of(checkpoint.organization_id).checkpoint(checkpoint)
  }

  record(row: ChainRow): void {
    this.#of(row.organization_id).record(withProofs(row))
  }

  close(): UnorderedVerdict[] {
    return [...this.#chains.values()].map((chain) => chain.close())
  }

  #of(organization: string): Chain {
    const found = this.#chains.get(organization) ?? new Chain(organization)
    this.#chains.set(organization, found)
    return found
  }
}

class Chain {
  readonly #organization: string
  readonly #signed = new Map<number, string>()
  readonly #byFirst = new Map<number, Stretch>()
  readonly #byLast = new Map<number, Stretch>()
  #ends: ChainEnds | undefined
  #lastSigned = 0
  #records = 0
  #problem: { readonly seq: number; readonly says: string } | undefined

  constructor(organization: string) {
    this.#organization = organization
  }

  begin(ends: ChainEnds): void {
    this.#ends = ends
    if (ends.anchor_seq === 0 && ends.anchor_hash !== startOf(this.#organization))
      this.#fail(0, 'the chain does not begin where the chain of this organization begins')
  }

  checkpoint(checkpoint: Checkpoint): void {
    const { seq, hash } = checkpoint
    if (!isSigned(checkpoint)) return this.#fail(seq, `the signature of the checkpoint at ${seq} is wrong`)
    this.#signed.set(seq, hash)
    this.#lastSigned = Math.max(this.#lastSigned, seq)
    const anchor = this.#ends
    if (seq === anchor?.anchor_seq && hash !== anchor.anchor_hash)
      this.#fail(seq, `the chain begins after a different record ${seq} than the one that was signed`)
  }

  record(record: ProvenRecord): void {
    const { seq, hash } = record
    this.#records++
    const fault = faultOf(record, this.#organization)
    if (fault !== undefined) this.#fail(seq, `${nameOf(record)}: ${fault}`)
    if ((this.#signed.get(seq) ?? hash) !== hash) this.#fail(seq, `${nameOf(record)} is not the one that was signed`)
    this.#signed.delete(seq)
    if (this.#byFirst.has(seq) || this.#byLast.has(seq)) return this.#fail(seq, `${nameOf(record)} is there twice`)
    const leaf = leafOf(record)
    const before = this.#byLast.get(seq - 1)
    const stretch = before ?? { first: seq, leaf, firstHash: hash, last: seq, lastHash: hash }
    if (before === undefined) this.#byFirst.set(seq, stretch)
    else {
      this.#follow(before.lastHash, { first: seq, leaf, firstHash: hash })
      this.#byLast.delete(before.last)
      ;[before.last, before.lastHash] = [seq, hash]
    }
    const after = this.#byFirst.get(seq + 1)
    if (after === undefined) return void this.#byLast.set(seq, stretch)
    this.#follow(hash, after)
    this.#byFirst.delete(after.first)
    ;[stretch.last, stretch.lastHash] = [after.last, after.lastHash]
    this.#byLast.set(stretch.last, stretch)
  }

  close(): UnorderedVerdict {
    this.#end()
    const problem = this.#problem?.says
    return {
      ...{ organization_id: this.#organization, good: problem === undefined, records: this.#records, problem },
      signed: problem === undefined && this.#lastSigned > 0 ? this.#lastSigned : undefined,
    }
  }

  #end(): void {
    const ends = this.#ends
    if (ends === undefined) return this.#fail(1, 'its records belong to no chain')
    let { anchor_seq: seq, anchor_hash: hash } = ends
    for (const stretch of [...this.#byFirst.values()].toSorted((item, other) => item.first - other.first)) {
      if (stretch.first > seq + 1) return this.#fail(seq + 1, `${rangeOf(seq + 1, stretch.first - 1)} missing`)
      if (stretch.first <= seq) return this.#fail(stretch.first, `record ${stretch.first} follows ${seq}`)
      this.#follow(hash, stretch)
      ;[seq, hash] = [stretch.last, stretch.lastHash]
    }
    const end = Math.max(ends.seq, this.#lastSigned)
    if (end > seq) return this.#fail(seq + 1, `${rangeOf(seq + 1, end)} missing at the end`)
    if (ends.seq < seq || ends.hash !== hash) this.#fail(seq, 'the stated end is not the end of these records')
  }

  /** Whether a record is the one that follows this hash. */
  #follow(hash: string, { first, leaf, firstHash }: Pick<Stretch, 'first' | 'leaf' | 'firstHash'>): void {
    if (chainHash(hash, leaf) !== firstHash)
      this.#fail(first, `record ${first} does not match its hash: it or a record before it was changed`)
  }

  /** The problem that is told is the one of the first record. */
  #fail(seq: number, says: string): void {
    if (this.#problem === undefined || seq < this.#problem.seq) this.#problem = { seq, says }
  }
}
