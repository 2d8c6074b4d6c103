/** `toolway records verify`: checks the chain of an installation, or an exported file where there is no Toolway. */
import { countWithNoun } from '../../lib/count-with-noun.ts'
import { verifyAudit, verifyOrganizationAudit, type ChainVerdict, type VerifyProgress } from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { describeCommand } from '../../cli/command.ts'
import { CommandFault, EXIT } from '../../cli/terminal/output.ts'
import { createStatusLine } from '../../cli/terminal/status-line.ts'
import type { Transport } from '../../cli/transport/transport.ts'
import { isPlatform, PLATFORM, type OfChain } from './of-chain.command.ts'
import type { Checked, Trusted } from '../../cli/records/verify-file.ts'

interface Verifying extends OfChain {
  readonly file?: string
  readonly fingerprint: readonly string[]
  readonly checkpoint: readonly string[]
}

const many = (flags: string, about: string) =>
  new Option(flags, about).argParser((value: string, before: string[]) => [...before, value]).default([])

export const verify = describeCommand({
  name: 'verify',
  about: 'verify that no record was changed, removed, inserted or moved, in the database or in an exported file',
  arguments: [new Argument('[file]', 'an exported file, which can be verified without a database or a data directory')],
  options: [
    many('--fingerprint <hex>', 'fingerprint of the signing key; can be repeated'),
    many('--checkpoint <seq:hash>', 'a checkpoint that was stored elsewhere; can be repeated'),
  ],
  examples: ['toolway records verify', 'toolway records verify records.jsonl --fingerprint 5e1f…'],
  async call(transport, words: Verifying) {
    if (words.file === undefined) return verifyLive(transport, words)
    const { verifyFile } = await import('../../cli/records/verify-file.ts')
    return verifyFile(words.file, trustOf(words))
  },
  print: (verdicts) => ({
    value: verdicts,
    lines: verdicts.flatMap(linesOf),
    code: verdicts.every(({ good }) => good) ? EXIT.ok : EXIT.failed,
  }),
})

/** Throws CommandFault. */
function trustOf({ fingerprint, checkpoint }: Verifying): Trusted {
  const strange = fingerprint.find((text) => !/^[0-9a-f]{64}$/i.test(text))
  if (strange !== undefined)
    throw new CommandFault(`"${strange}" is not a fingerprint: it must have 64 hexadecimal digits.`, EXIT.usage)
  return {
    fingerprints: fingerprint.map((text) => text.toLowerCase()),
    checkpoints: checkpoint.map((text) => {
      const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(text) ?? []
      if (seq === undefined || hash === undefined)
        throw new CommandFault(`"${text}" is not a checkpoint: use SEQ:HASH, as in the log.`, EXIT.usage)
      return { seq: Number(seq), hash: hash.toLowerCase() }
    }),
  }
}

const joinOrUndefined = (texts: readonly string[]) => (texts.length === 0 ? undefined : texts.join(','))

/** Says on a terminal how far it is. */
async function verifyLive({ call }: Transport, words: Verifying): Promise<Checked[]> {
  const { fingerprints, checkpoints } = trustOf(words)
  const query = {
    fingerprints: joinOrUndefined(fingerprints),
    checkpoints: joinOrUndefined(checkpoints.map(({ seq, hash }) => `${seq}:${hash}`)),
  }
  const line = createStatusLine()
  const onProgress = (message: unknown) => {
    const { records, of } = message as VerifyProgress
    line.show(`${records.toLocaleString('en')} of ${of.toLocaleString('en')} records checked`)
  }
  try {
    const { items } = isPlatform(words)
      ? await call(verifyAudit, { query: { ...query, tenant_id: PLATFORM }, onProgress })
      : await call(verifyOrganizationAudit, { params: { organization: words.organization }, query, onProgress })
    return items.map(checkedOf)
  } finally {
    line.clear()
  }
}

const checkedOf = ({ tenant_id: id, ...verdict }: ChainVerdict): Checked => ({
  organization_id: id ?? PLATFORM,
  ...verdict,
})

function linesOf(verdict: Checked): string[] {
  const { organization_id: organization, good, records, first, last, proven, problem, fingerprints, warnings } = verdict
  const range = first === null ? 'no records' : `${countWithNoun(records, 'record')}, ${first} to ${last}`
  const where = `${problem?.seq ?? '?'}${problem?.id === null ? '' : ` (${problem?.id})`}`
  return [
    good
      ? `Valid: ${organization}, ${range}, ${proven === null ? 'none proven' : `proven up to record ${proven}`}.`
      : `INVALID: ${organization}: ${problem?.says}.`,
    ...(good ? [] : [`  First problem (${problem?.kind}) at record ${where}; valid before it: ${range}.`]),
    ...fingerprints.map((fingerprint) => `  signed by ${fingerprint}`),
    ...warnings.map((warning) => `  Warning: ${warning}.`),
  ]
}
