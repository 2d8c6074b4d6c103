/**
 * Is a chain what it was? Says yes, or names the first record at which it is not, and why.
 *
 * It needs nothing but the lines of an export: no database, no vault. Content, order, gaps and links are checked by the hashes;
 * that they were not all made anew is proven by signed checkpoints, of a key that the caller knows by its fingerprint.
 */
import { fingerprintOf, isSigned, type Checkpoint } from './checkpoints.ts'
import { FORMAT, type ChainLine } from './chain-lines.ts'
import { hashOfField, leafOf, link, REDACTABLE, REDACTED, startOf, type ProvenRecord } from './leaf.ts'

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

/** What is no line of an export, and where it stands. */
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
      chain = createChain(line, trust)
    } else if (chain === undefined) throw new SyntaxError('the first line does not begin a chain')
    else chain.take(line)
    if (line.type === 'record') onRecord?.()
  }
  if (chain !== undefined) verdicts.push(chain.close())
  return verdicts
}

interface Chain {
  take(line: Exclude<ChainLine, { type: 'chain' }> | Broken): void
  close(): Verdict
}

function createChain(head: Extract<ChainLine, { type: 'chain' }>, { fingerprints, checkpoints }: Trust): Chain {
  const { organization_id: organization, after } = head
  const seen = new Set<string>()
  const warnings = new Set<string>()
  const own = checkpoints.filter((one) => one.organization === undefined || one.organization === organization)
  const kept = new Map(own.map((one) => [one.seq, one.hash]))
  let [seq, hash, records] = [after.seq, after.hash, 0]
  let first: number | undefined
  let provenTo: number | undefined
  let last: Pick<ProvenRecord, 'seq' | 'id'> | undefined
  let problem: Problem | undefined
  let ended = false

  const fail = (kind: Problem['kind'], at: Pick<ProvenRecord, 'seq' | 'id'> | number | undefined, says: string) => {
    const place = typeof at === 'number' ? { seq: at, id: undefined } : { seq: at?.seq, id: at?.id }
    problem ??= { kind, ...place, says }
  }

  if (head.format !== FORMAT) fail('shape', undefined, `its format is "${head.format}", and only "${FORMAT}" is known`)
  if (after.seq === 0 && after.hash !== startOf(organization))
    fail('link', 1, 'the chain does not begin where the chain of this organization begins')
  if ((kept.get(after.seq) ?? after.hash) !== after.hash)
    fail(
      'link',
      after.seq,
      `the chain begins behind another record ${after.seq} than the checkpoint that was kept elsewhere says`,
    )

  function record(one: ProvenRecord): void {
    const content = faultOf(one, organization)
    if (one.seq > seq + 1) return fail('gap', seq + 1, `${rangeOf(seq + 1, one.seq - 1)} missing before ${nameOf(one)}`)
    if (one.seq <= seq)
      return fail('order', one, `${nameOf(one)} stands behind ${seq}: it was put in, or the order was changed`)
    if (content !== undefined) return fail('content', one, `${nameOf(one)}: ${content}`)
    const own = link(hash, leafOf(one))
    if (own !== one.hash)
      return fail('content', one, `${nameOf(one)} does not fit its hash: it was changed, or what stood before it was`)
    ;[seq, hash, last] = [one.seq, one.hash, one]
    first ??= one.seq
    records++
    const elsewhere = kept.get(seq)
    if (elsewhere !== undefined && elsewhere !== hash)
      fail('link', one, `${nameOf(one)} has another hash than the checkpoint that was kept elsewhere`)
    if (elsewhere === hash) provenTo = seq
  }

  function checkpoint(one: Checkpoint): void {
    const at = last?.seq === one.seq ? last : one.seq
    const fingerprint = fingerprintOf(one.public_key)
    seen.add(fingerprint)
    if (one.organization_id !== organization || !isSigned(one))
      return fail('signature', at, `the signature of the checkpoint at ${one.seq} is wrong`)
    if (fingerprints.length > 0 && !fingerprints.includes(fingerprint))
      return fail('signature', at, `the checkpoint at ${one.seq} is signed with an unknown key (${fingerprint})`)
    if (one.seq > seq) return fail('end', seq + 1, `${rangeOf(seq + 1, one.seq)} missing: a checkpoint speaks of them`)
    if (one.seq < seq) return fail('order', one.seq, `the checkpoint at ${one.seq} stands behind record ${seq}`)
    if (one.hash !== hash)
      return fail(
        'link',
        at,
        `the records up to ${one.seq}, from ${(provenTo ?? after.seq) + 1} on, are not those that were signed`,
      )
    provenTo = one.seq
  }

  function end({ seq: until, hash: its }: Extract<ChainLine, { type: 'end' }>): void {
    ended = true
    if (until > seq) fail('end', seq + 1, `${rangeOf(seq + 1, until)} missing at the end`)
    else if (until < seq || its !== hash)
      fail('end', last ?? seq, 'the end that is named is not the end of these records')
  }

  return {
    take(line) {
      if (problem !== undefined) return
      if (line.type === 'broken')
        fail('shape', seq + 1, `line ${line.line}, behind record ${seq}, is no line of an export`)
      else if (ended) fail('shape', undefined, 'something stands behind the end')
      else if (line.type === 'record') record(line)
      else if (line.type === 'checkpoint') checkpoint(line)
      else end(line)
    },
    close() {
      if (!ended) fail('end', seq + 1, `the end is missing: nothing says that ${seq} was the last record`)
      for (const [at] of kept)
        if (at > seq)
          fail('end', seq + 1, `${rangeOf(seq + 1, at)} missing: a checkpoint that was kept elsewhere speaks of them`)
      if (fingerprints.length === 0 && seen.size > 0)
        warnings.add(
          'no fingerprint was given: the keys in it are believed, and whoever forged it could have put in their own',
        )
      if (problem === undefined && seq > (provenTo ?? 0))
        warnings.add(`no signature speaks of the records behind ${provenTo ?? after.seq}`)
      const found = { first, last: last?.seq, proven: provenTo, problem }
      return {
        organization_id: organization,
        good: problem === undefined,
        records,
        ...found,
        fingerprints: [...seen],
        warnings: [...warnings],
      }
    },
  }
}

const nameOf = ({ seq, id }: Pick<ProvenRecord, 'seq' | 'id'>): string => `record ${seq} (${id})`
const rangeOf = (from: number, to: number): string =>
  from === to ? `record ${from} is` : `records ${from} to ${to} are`

/** What of a record does not fit its own hashes. */
function faultOf(record: ProvenRecord, organization: string): string | undefined {
  if (record.organization_id !== organization) return 'it belongs to another organization'
  for (const name of REDACTABLE) {
    const [value, salt, hash] = [record[name], record.salts[name], record.hashes[name]]
    const isGone = record.redacted?.includes(name) === true
    if (isGone) {
      if (value !== (name === 'principal' ? REDACTED : null)) return `its field ${name} is redacted and has a value`
      if (hash === undefined) return `its field ${name} is redacted and has no hash`
    } else if (value === null ? hash !== undefined : hash !== hashOfField(salt ?? '', value))
      return `its field ${name} was changed`
  }
  return undefined
}
