/** `toolway records show`: one record in full, why its call failed, and what was sent where that is kept. */
import { listAudit, listOrganizationAudit, showRecordPayload } from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { describeCommand } from '../../cli/command.ts'
import { CommandFault } from '../../cli/terminal/output.ts'
import { Refusal, type Transport } from '../../cli/transport/transport.ts'
import { isPlatform, PLATFORM, type OfChain } from './of-chain.command.ts'

interface Showing extends OfChain {
  readonly id: string
  readonly payload?: boolean
}

async function showRecord(transport: Transport, words: Showing) {
  const { organization, id, payload = false } = words
  const query = { id, limit: 1 }
  const { items } = isPlatform(words)
    ? await transport.call(listAudit, { query: { ...query, tenant_id: PLATFORM } })
    : await transport.call(listOrganizationAudit, { params: { organization }, query })
  const [record] = items
  if (record === undefined)
    throw new CommandFault(`There is no record ${id} in ${organization}: \`toolway records list\` lists the records.`)
  return { record, payload: payload ? await payloadOf(transport, words) : undefined }
}

async function payloadOf({ call }: Transport, words: Showing) {
  const { organization, id } = words
  const nothing = new CommandFault(
    `No payload is stored for ${id}: its connection does not keep payloads, or their retention period has ended.`,
  )
  if (isPlatform(words)) throw nothing
  const { id: _, ...payload } = await call(showRecordPayload, { params: { organization, record: id } }).catch(
    (thrown: unknown) => {
      throw thrown instanceof Refusal && thrown.is('thing.unknown') ? nothing : thrown
    },
  )
  return payload
}

/** One fact a line; those that are absent are left out. */
function linesOf(facts: Readonly<Record<string, unknown>>): string[] {
  const { error, ...others } = facts
  const why = Object.entries(typeof error === 'object' && error !== null ? error : {})
  const all = [...why.filter(([name]) => name !== 'by'), ...Object.entries(others)]
  return all.flatMap(([name, value]) => {
    if (value === null || value === undefined) return []
    return [`${name.padEnd(16)} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`]
  })
}

export const show = describeCommand({
  name: 'show',
  about: 'show one record: why the call failed, and what to do',
  arguments: [new Argument('<id>', 'ID of the record')],
  options: [
    new Option('--payload', 'also show the arguments and result, if the connection stores them; this access is logged'),
  ],
  examples: ['toolway records show rec_01jd…', 'toolway records show rec_01jd… --payload'],
  call: showRecord,
  print: ({ record: { details, ...event }, payload }) => ({
    value: { ...event, details, ...(payload === undefined ? {} : { payload }) },
    lines: [
      ...linesOf({ ...event, ...details }),
      ...(payload === undefined ? [] : ['', JSON.stringify(payload, undefined, 2)]),
    ],
  }),
})
