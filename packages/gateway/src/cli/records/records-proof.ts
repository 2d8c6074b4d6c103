/** `toolway records export|verify`: take the records away with their proof, and check it, here or where there is no Toolway. */
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { chainLines, type Look } from '../../records/chain/chain-lines.ts'
import { countChained, createProgress } from '../../records/chain/progress.ts'
import { verify as verifyLines, type Lines, type Trust, type Verdict } from '../../records/chain/verify.ts'
import { recordChange } from '../../records/change.ts'
import { PLATFORM } from '../../records/records.ts'
import { exported, type Format } from '../../records/exports/formats.ts'
import { readExport } from '../../records/exports/read-export.ts'
import { CommandFault, EXIT, type Output } from '../terminal/output.ts'
import { createStatusLine } from '../terminal/status-line.ts'
import { checkpointsOf, withChain } from './records.ts'
import { ownActor } from '../own-actor.ts'

export interface Exporting {
  readonly organization: string
  readonly format: Format
  readonly file?: string
  readonly after?: number
}

/** To a file that did not exist, or to standard output. */
export const exportRecords = ({ organization, format, file, after }: Exporting, output: Output): Promise<number> =>
  withChain(organization, async (opened) => {
    const { db, chain } = opened
    const leaving = { action: 'record.export', resource: 'record', id: chain, detail: { format } }
    const own = chain === PLATFORM ? undefined : opened.organization.id
    await db.system((sql) => recordChange(sql, ownActor(), own, leaving))
    const checkpoints = checkpointsOf(opened)
    await checkpoints.sign(chain)
    await checkpoints.close()
    const look: Look = (work) => db.system(work)
    const text = Readable.from(exported(chainLines({ look, organization: chain, now: new Date(), after }), format))
    if (file === undefined) {
      for await (const part of text) if (!process.stdout.write(String(part))) await once(process.stdout, 'drain')
    } else await pipeline(text, createWriteStream(file, { flags: 'wx', mode: 0o600 })).catch(wordFile(file))
    const [fingerprint] = await checkpoints.fingerprints()
    output.progress(`Signed by the key with the fingerprint ${fingerprint}: keep it elsewhere, to verify with.`)
    return EXIT.ok
  })

const wordFile = (file: string) => (thrown: NodeJS.ErrnoException) => {
  if (thrown.code === 'EEXIST') throw new CommandFault(`${file} is there already: name another file, or remove it.`)
  if (thrown.syscall === 'open') throw new CommandFault(`${file} cannot be used (${thrown.code}): check its path.`)
  throw thrown
}

export interface Verifying {
  readonly organization: string
  readonly fingerprints: readonly string[]
  readonly checkpoints: readonly string[]
}

/** Without a file: what is in the database now. */
export async function verify(file: string | undefined, asked: Verifying, output: Output): Promise<number> {
  const trust = trustOf(asked)
  const verdicts =
    file === undefined ? await verifyLive(asked.organization, trust) : await verifyFile(file, trust, readExport(file))
  if (verdicts.length === 0) throw new CommandFault(`${file} is empty, so nothing is proven by it.`)
  output.result(verdicts, verdicts.flatMap(linesOf))
  return verdicts.every(({ good }) => good) ? EXIT.ok : EXIT.failed
}

const verifyLive = (organization: string, trust: Trust): Promise<Verdict[]> =>
  withChain(organization, async (opened) => {
    const { db, chain } = opened
    const checkpoints = checkpointsOf(opened)
    await checkpoints.close()
    const look: Look = (work) => db.system(work)
    const own = await checkpoints.trust().catch((thrown: unknown) => {
      if (thrown instanceof SyntaxError)
        throw new CommandFault(`${thrown.message}: it was damaged; remove it to go on without it.`)
      throw thrown
    })
    const fingerprints = trust.fingerprints.length > 0 ? trust.fingerprints : own.fingerprints
    const kept = [...trust.checkpoints, ...own.checkpoints]
    const of = await look((sql) => countChained(sql, [chain]))
    const lines = chainLines({ look, organization: chain, now: new Date() })
    return verifyShown(lines, { fingerprints, checkpoints: kept }, of)
  })

/** Says on a terminal how far it is. */
async function verifyShown(lines: Lines, trust: Trust, total: number | undefined): Promise<Verdict[]> {
  const line = createStatusLine()
  const onRecord = createProgress(total, ({ records, of }) =>
    line.show(`${count(records)}${of === undefined ? '' : ` of ${count(of)}`} records checked`),
  )
  try {
    return await verifyLines(lines, trust, onRecord)
  } finally {
    line.clear()
  }
}

const count = (records: number): string => records.toLocaleString('en')

async function verifyFile(file: string, trust: Trust, lines: Lines): Promise<Verdict[]> {
  try {
    return await verifyShown(lines, trust, undefined)
  } catch (thrown) {
    if (thrown instanceof SyntaxError)
      throw new CommandFault(`${file} is no export that can be verified: make one with \`toolway records export\`.`)
    const { syscall, code } = thrown as NodeJS.ErrnoException
    if (syscall === undefined) throw thrown
    throw new CommandFault(`${file} cannot be read (${code}): check its path.`)
  }
}

function trustOf({ fingerprints, checkpoints }: Verifying): Trust {
  const strange = fingerprints.find((text) => !/^[0-9a-f]{64}$/i.test(text))
  if (strange !== undefined)
    throw new CommandFault(`"${strange}" is no fingerprint: it has 64 hexadecimal digits.`, EXIT.usage)
  return {
    fingerprints: fingerprints.map((text) => text.toLowerCase()),
    checkpoints: checkpoints.map((text) => {
      const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(text) ?? []
      if (seq === undefined || hash === undefined)
        throw new CommandFault(`"${text}" is no checkpoint: write SEQ:HASH as the log has it.`, EXIT.usage)
      return { seq: Number(seq), hash: hash.toLowerCase() }
    }),
  }
}

function linesOf(verdict: Verdict): string[] {
  const { organization_id: organization, good, records, first, last, proven, problem, fingerprints, warnings } = verdict
  const range = first === undefined ? 'no records' : `${records} records, ${first} to ${last}`
  return [
    good
      ? `Good: ${organization}, ${range}, proven up to ${proven ?? 'nothing'}.`
      : `WRONG: ${organization}: ${problem?.says}.`,
    ...(good
      ? []
      : [
          `  ${problem?.kind} at record ${problem?.seq ?? '?'}${problem?.id === undefined ? '' : ` (${problem.id})`}; ${range} before it are good.`,
        ]),
    ...fingerprints.map((fingerprint) => `  signed by ${fingerprint}`),
    ...warnings.map((warning) => `  Warning: ${warning}.`),
  ]
}
