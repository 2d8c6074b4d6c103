/** An exported file held against its own proof: local by nature, without a gateway, a database or a data directory. */
import type { ChainVerdict } from '@toolway/contract/admin'
import { createProgress } from '../../records/chain/progress.ts'
import { verify, type KeptElsewhere, type Trust, type Verdict } from '../../records/chain/verify.ts'
import { readExport } from '../../records/exports/read-export.ts'
import { CommandFault } from '../terminal/output.ts'
import { createStatusLine } from '../terminal/status-line.ts'

/** Trust data stored outside the file. */
export interface Trusted extends Trust {
  readonly checkpoints: readonly Pick<KeptElsewhere, 'seq' | 'hash'>[]
}

export interface Checked extends Omit<ChainVerdict, 'tenant_id'> {
  readonly organization_id: string
}

/** Throws CommandFault. */
export async function verifyFile(file: string, trust: Trusted): Promise<Checked[]> {
  const line = createStatusLine()
  const onRecord = createProgress(undefined, ({ records }) =>
    line.show(`${records.toLocaleString('en')} records checked`),
  )
  const verdicts = await verify(readExport(file), trust, onRecord)
    .catch((thrown: unknown) => {
      throw wordVerifyFailure(file, thrown)
    })
    .finally(() => line.clear())
  if (verdicts.length === 0) throw new CommandFault(`${file} is empty, so it proves nothing.`)
  return verdicts.map(checkedOf)
}

function wordVerifyFailure(file: string, thrown: unknown): unknown {
  if (thrown instanceof SyntaxError)
    return new CommandFault(
      `${file} is not an export that can be verified: create one with \`toolway records export\`.`,
    )
  const { syscall, code } = thrown as NodeJS.ErrnoException
  return syscall === undefined ? thrown : new CommandFault(`${file} cannot be read (${code}): check its path.`)
}

const checkedOf = ({ first, last, proven, problem, fingerprints, warnings, ...verdict }: Verdict): Checked => ({
  ...verdict,
  ...{ first: first ?? null, last: last ?? null, proven: proven ?? null },
  problem: problem === undefined ? null : { ...problem, seq: problem.seq ?? null, id: problem.id ?? null },
  ...{ fingerprints: [...fingerprints], warnings: [...warnings] },
})
