/**
 * Verifies a chain: answers yes, or names the first record that was changed, and why.
 *
 * It needs nothing but the lines of an export: no database, no vault. Content, order, gaps and links are checked by the hashes;
 * signed checkpoints, of a key that the caller knows by its fingerprint, prove that the hashes were not all computed anew.
 */
import { fingerprintOf, isSigned, type Checkpoint } from './checkpoints.ts'
import { FORMAT, type ChainLine } from './chain-lines.ts'
import { REDACTABLE } from '@toolway/contract/admin'
import { hashOfField, leafOf, chainHash, REDACTED, startOf, type ProvenRecord } from './record-hash.ts'

export interface Verdict {
  readonly organization_id: string
  readonly good: boolean
  /** Records that were looked at and found good. */
  readonly records: number
  readonly first: number | undefined
  readonly last: number | undefined
  /** Up to this number a signature proves it. */
  readonly proven: number | undefined
  readonly problem: Problem | undefined
  readonly fingerprints: readonly string[]
  readonly warnings: readonly string[]
}

export interface Problem {
  readonly kind: 'content' | 'order' | 'gap' | 'link' | 'signature' | 'end' | 'shape'
  readonly seq: number | undefined
  readonly id: string | undefined
  readonly says: string
}

export interface Trust {
  /** Fingerprints of public keys; none: the keys that the lines name are believed, with a warning. */
  readonly fingerprints: readonly string[]
  /** Checkpoints as somebody else kept them. */
  readonly checkpoints: readonly KeptElsewhere[]
}

export interface KeptElsewhere {
  /** Unsaid: of whichever chain is looked at. */
  readonly organization?: string
  readonly seq: number
  readonly hash: string
}

/** A line that does not belong in an export, and its position. */
export interface Broken {
  readonly type: 'broken'
  readonly line: number
}
export type Lines = AsyncIterable<ChainLine | Broken> | Iterable<ChainLine | Broken>

/**
 * One verdict for each chain, in their order. Throws SyntaxError for lines that are no export. `onRecord` is called for each record
 * that was looked at.
 */
export async function verify(lines: Lines, trust: Trust, onRecord?: () => void): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  let chain: Chain | undefined
  for await (const line of lines) {
    if (line.type === 'chain') {
      if (chain !== undefined) verdicts.push(chain.close())
      chain = new Chain(line, trust)
    } else if (chain === undefined) throw new SyntaxError('the first line does not begin a chain')
    else chain.take(line)
    if (line.type === 'record') onRecord?.()
  }
  if (chain !== undefined) verdicts.push(chain.close())
  return verdicts
}

/** One chain while it is read: each line is held against what stood before it, and the first problem stays. */
class Chain {
  readonly #organization: string
  readonly #after: { readonly seq: number; readonly hash: string }
  readonly #fingerprints: readonly string[]
  /** Hashes that checkpoints kept elsewhere give, by number. */
  readonly #kept: ReadonlyMap<number, string>
  readonly #seen = new Set<string>()
  readonly #warnings = new Set<string>()
  #seq: number
  #hash: string
  #records = 0
  #first: number | undefined
  #provenTo: number | undefined
  #last: Pick<ProvenRecord, 'seq' | 'id'> | undefined
  #problem: Problem | undefined
  #ended = false

  constructor(head: Extract<ChainLine, { type: 'chain' }>, { fingerprints, checkpoints }: Trust) {
    const { organization_id: organization, after, format } = head
    const own = checkpoints.filter(
      (checkpoint) => checkpoint.organization === undefined || checkpoint.organization === organization,
    )
    this.#organization = organization
    this.#after = after
    this.#fingerprints = fingerprints
    this.#kept = new Map(own.map((item) => [item.seq, item.hash]))
    this.#seq = after.seq
    this.#hash = after.hash
    if (format !== FORMAT)
      this.#fail('shape', undefined, `its format is "${format}", but only "${FORMAT}" is supported`)
    if (after.seq === 0 && after.hash !== startOf(organization))
      this.#fail('link', 1, 'the chain does not begin where the chain of this organization begins')
    if ((this.#kept.get(after.seq) ?? after.hash) !== after.hash)
      this.#fail(
        'link',
        after.seq,
        `the chain begins after a different record ${after.seq} than the separately stored checkpoint states`,
      )
  }

  take(line: Exclude<ChainLine, { type: 'chain' }> | Broken): void {
    if (this.#problem !== undefined) return
    if (line.type === 'broken')
      this.#fail('shape', this.#seq + 1, `line ${line.line}, after record ${this.#seq}, is not a line of an export`)
    else if (this.#ended) this.#fail('shape', undefined, 'there is data after the end')
    else if (line.type === 'record') this.#record(line)
    else if (line.type === 'checkpoint') this.#checkpoint(line)
    else this.#end(line)
  }

  close(): Verdict {
    const seq = this.#seq
    if (!this.#ended) this.#fail('end', seq + 1, `the end is missing: nothing shows that ${seq} was the last record`)
    for (const [at] of this.#kept)
      if (at > seq)
        this.#fail(
          'end',
          seq + 1,
          `${rangeOf(seq + 1, at)} missing: a checkpoint that was stored elsewhere covers them`,
        )
    if (this.#fingerprints.length === 0 && this.#seen.size > 0)
      this.#warnings.add(
        'no fingerprint was given: the keys in the file are trusted, and a forger could have added their own',
      )
    if (this.#problem === undefined && seq > (this.#provenTo ?? 0))
      this.#warnings.add(`no signature covers the records after ${this.#provenTo ?? this.#after.seq}`)
    return {
      organization_id: this.#organization,
      good: this.#problem === undefined,
      records: this.#records,
      first: this.#first,
      last: this.#last?.seq,
      proven: this.#provenTo,
      problem: this.#problem,
      fingerprints: [...this.#seen],
      warnings: [...this.#warnings],
    }
  }

  #fail(kind: Problem['kind'], at: Pick<ProvenRecord, 'seq' | 'id'> | number | undefined, says: string): void {
    const location = typeof at === 'number' ? { seq: at, id: undefined } : { seq: at?.seq, id: at?.id }
    this.#problem ??= { kind, ...location, says }
  }

  #record(item: ProvenRecord): void {
    const seq = this.#seq
    const content = faultOf(item, this.#organization)
    if (item.seq > seq + 1)
      return this.#fail('gap', seq + 1, `${rangeOf(seq + 1, item.seq - 1)} missing before ${nameOf(item)}`)
    if (item.seq <= seq)
      return this.#fail('order', item, `${nameOf(item)} follows ${seq}: it was inserted, or the order was changed`)
    if (content !== undefined) return this.#fail('content', item, `${nameOf(item)}: ${content}`)
    if (chainHash(this.#hash, leafOf(item)) !== item.hash)
      return this.#fail(
        'content',
        item,
        `${nameOf(item)} does not match its hash: it or a record before it was changed`,
      )
    this.#seq = item.seq
    this.#hash = item.hash
    this.#last = item
    this.#first ??= item.seq
    this.#records++
    const elsewhere = this.#kept.get(item.seq)
    if (elsewhere !== undefined && elsewhere !== item.hash)
      this.#fail('link', item, `${nameOf(item)} has a different hash than the separately stored checkpoint`)
    if (elsewhere === item.hash) this.#provenTo = item.seq
  }

  #checkpoint(item: Checkpoint): void {
    const seq = this.#seq
    const at = this.#last?.seq === item.seq ? this.#last : item.seq
    const fingerprint = fingerprintOf(item.public_key)
    this.#seen.add(fingerprint)
    if (item.organization_id !== this.#organization || !isSigned(item))
      return this.#fail('signature', at, `the signature of the checkpoint at ${item.seq} is wrong`)
    if (this.#fingerprints.length > 0 && !this.#fingerprints.includes(fingerprint))
      return this.#fail('signature', at, `the checkpoint at ${item.seq} is signed with an unknown key (${fingerprint})`)
    if (item.seq > seq)
      return this.#fail('end', seq + 1, `${rangeOf(seq + 1, item.seq)} missing: a checkpoint covers them`)
    if (item.seq < seq) return this.#fail('order', item.seq, `the checkpoint at ${item.seq} follows record ${seq}`)
    if (item.hash !== this.#hash) {
      const from = (this.#provenTo ?? this.#after.seq) + 1
      return this.#fail('link', at, `the records up to ${item.seq}, from ${from} on, are not those that were signed`)
    }
    this.#provenTo = item.seq
  }

  #end({ seq: until, hash }: Extract<ChainLine, { type: 'end' }>): void {
    const seq = this.#seq
    this.#ended = true
    if (until > seq) this.#fail('end', seq + 1, `${rangeOf(seq + 1, until)} missing at the end`)
    else if (until < seq || hash !== this.#hash)
      this.#fail('end', this.#last ?? seq, 'the stated end is not the end of these records')
  }
}

export const nameOf = ({ seq, id }: Pick<ProvenRecord, 'seq' | 'id'>): string => `record ${seq} (${id})`
export const rangeOf = (from: number, to: number): string =>
  from === to ? `record ${from} is` : `records ${from} to ${to} are`

/** The part of a record that does not match its own hashes. */
export function faultOf(record: ProvenRecord, organization: string): string | undefined {
  if (record.organization_id !== organization) return 'it belongs to another organization'
  for (const name of REDACTABLE) {
    const [value, salt, hash] = [record[name], record.salts[name], record.hashes[name]]
    const isGone = record.redacted?.includes(name) === true
    if (isGone) {
      if (value !== (name === 'principal' ? REDACTED : null)) return `its field ${name} is redacted but has a value`
      if (hash === undefined) return `its field ${name} is redacted but has no hash`
    } else if (value === null ? hash !== undefined : hash !== hashOfField(salt ?? '', value))
      return `its field ${name} was changed`
  }
  return undefined
}
