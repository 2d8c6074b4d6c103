/** `toolway connection test`: asks the server now what it offers, and says at which step it fails and what mends it. */
import { countWithNoun } from '../../lib/count-with-noun.ts'
import { FAULTS, type FaultCode } from '@toolway/contract'
import { syncTools, type Connection } from '@toolway/contract/admin'
import { Argument } from 'commander'
import type { z } from 'zod'
import { describeCommand, type Printed } from '../../cli/command.ts'
import { EXIT } from '../../cli/terminal/output.ts'
import {
  findConnection,
  hintLine,
  loginHint,
  reachOf,
  takesAccounts,
  type Addressed,
} from '../../cli/connection/contact.ts'

type Synced = z.output<(typeof syncTools)['answer']>

interface Tested {
  readonly connection: Connection
  readonly synced: Synced
  readonly milliseconds: number
}

export const test = describeCommand({
  name: 'test',
  about: 'connect now, refresh the list of tools, and show which step fails',
  arguments: [new Argument('<alias>')],
  examples: ['toolway connection test docs'],
  async call(transport, words: Addressed, output): Promise<Tested> {
    const { organization, alias } = words
    output.progress(`Connecting to ${reachOf(await findConnection(transport, words))} …`)
    const began = performance.now()
    const synced = await transport.call(syncTools, { params: { organization, connection: alias } })
    const milliseconds = Math.round(performance.now() - began)
    return { connection: await findConnection(transport, words), synced, milliseconds }
  },
  print: (tested) => (tested.synced.failure === null ? works(tested) : fails(tested, tested.synced.failure)),
})

function works({ connection, synced, milliseconds }: Tested): Printed {
  const { alias, left_out: left, repaired, oauth_repaired: answers, hints, status_reason: failing } = connection
  const { revision, server, tools, resources, prompts } = synced
  const { name = alias, version = '' } = (server ?? {}) as { name?: string; version?: string }
  return {
    value: {
      ...{ alias, ok: failing === null, revision, server, tools, resources, prompts, milliseconds },
      ...(left.length === 0 ? {} : { left_out: left }),
      ...(repaired.length === 0 ? {} : { repaired }),
      ...(answers.length === 0 ? {} : { oauth_repaired: answers }),
      ...(hints.length === 0 ? {} : { hints }),
      ...(failing === null ? {} : { problem: failing }),
    },
    lines: [
      `${alias} ${failing === null ? 'works' : 'responds'}: ${name} ${version}, protocol ${revision}, ${milliseconds} ms.`,
      ...(failing === null
        ? []
        : [`Its calls fail: ${failing} The state changes when a call succeeds, or 15 minutes after the last one.`]),
      `${countWithNoun(tools, 'tool')}, ${countWithNoun(resources, 'resource')}, ${countWithNoun(prompts, 'prompt')}.`,
      ...left.map((item) => `Left out: ${item.name}, because ${item.reason}.`),
      ...[...repaired, ...answers].map(({ name, reason }) => `Repaired: ${name}: ${reason}.`),
      ...hints.map(hintLine),
    ],
    ...(failing === null ? {} : { code: EXIT.failed }),
  }
}

function fails({ connection, synced }: Tested, failure: NonNullable<Synced['failure']>): Printed {
  const { phase, code: fault, problem, cause } = failure
  const mend = mendOf(failure, connection)
  const word = fault in FAULTS ? FAULTS[fault as FaultCode].word : fault
  return {
    value: {
      ...{ alias: connection.alias, ok: false, phase, code: word, fault, problem },
      ...{ cause: cause ?? undefined, mend, revision: synced.revision ?? undefined },
    },
    lines: [
      `Failed at the step "${phase}": ${problem}`,
      ...(cause === null ? [] : [`Cause: ${cause}`]),
      `Next step: ${mend}`,
    ],
    code: EXIT.failed,
  }
}

/** The fault's own advice may be to run this very command. */
function mendOf({ code, mend }: NonNullable<Synced['failure']>, connection: Connection): string {
  if (code === 'upstream.needs-auth' && takesAccounts(connection)) return loginHint(connection)
  if (!mend.includes('connection test')) return mend
  return code === 'upstream.malformed'
    ? 'Check that the address or command belongs to an MCP server.'
    : 'Check that the server is running, and that the address or command is correct.'
}
