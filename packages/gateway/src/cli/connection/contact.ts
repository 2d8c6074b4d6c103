/** How a connection is reached, and the wait for the first contact of the running gateway with it. */
import { kindOf } from '@toolway/contract'
import { getConnection, type Connection } from '@toolway/contract/admin'
import { setTimeout as sleep } from 'node:timers/promises'
import { maskCommand } from '@toolway/contract/secret-marks'
import { countWithNoun } from '../../lib/count-with-noun.ts'
import type { Printed } from '../command.ts'
import { CommandFault, EXIT, type Output } from '../terminal/output.ts'
import { Refusal, type Transport } from '../transport/transport.ts'

export interface Addressed {
  readonly organization: string
  readonly alias: string
}

/** A refusal in the words of these commands. Throws CommandFault. */
export const unknownConnection = (alias: string) => (thrown: unknown) => {
  throw thrown instanceof Refusal && thrown.is('thing.unknown')
    ? new CommandFault(`There is no connection "${alias}"; \`toolway connection list\` lists the connections.`)
    : thrown
}

export const findConnection = ({ call }: Transport, { organization, alias }: Addressed): Promise<Connection> =>
  call(getConnection, { params: { organization, connection: alias } }).catch(unknownConnection(alias))

export const reachOf = ({ url, command, args }: Pick<Connection, 'url' | 'command' | 'args'>): string =>
  command === null ? (url ?? '') : [maskCommand(command), ...(args ?? [])].join(' ')

/** Whether people may connect accounts to it; a key of its own in a header is another matter. */
export const takesAccounts = ({ auth, url }: Connection): boolean =>
  auth !== null && auth.kind !== 'none' && /^https?:/.test(url ?? '')

/** The command that connects an account. */
export function loginHint({ alias, auth }: Connection): string {
  const owners: readonly string[] = auth?.owners ?? []
  const command = `toolway connection login ${alias}`
  if (!owners.includes('organization')) return `\`${command}\` connects your account.`
  return owners.includes('member')
    ? `\`${command}\` connects your account, or a shared one with --shared.`
    : `\`${command} --shared\` connects a shared account.`
}

/** Milliseconds. */
const WAIT_MS = 60_000
const LOOK_EVERY_MS = 300

export interface Awaited extends Addressed {
  readonly done: 'Added' | 'Changed' | 'Restarted' | 'Refreshed'
}

/** Waits until the running gateway has reached the connection, and says how it went. */
export async function awaitContact(
  transport: Transport,
  { organization, alias, done }: Awaited,
  output: Output,
): Promise<Printed> {
  if (!(await transport.isServing()))
    return {
      value: { alias, status: 'new' },
      lines: [`${done} ${alias}. No gateway is running. The connection opens when one starts.`],
    }
  output.progress(`${done} ${alias}. Connecting …`)
  const [connection] = await waitUntilContacted(transport, { organization, aliases: [alias] })
  if (connection !== undefined && isContacted(connection)) return outcomeOf(connection)
  return {
    value: { alias, status: 'new' },
    lines: [`${alias} is still connecting. \`toolway connection list\` shows the result.`],
  }
}

const NEEDS: Readonly<Record<NonNullable<Connection['needs']>, string>> = {
  app: 'needs app',
  account: 'needs account',
  credential: 'refused',
}

/** The state of a connection for whoever asks, in two words at most. */
export const stateWord = ({ status, needs }: Pick<Connection, 'status' | 'needs'>): string =>
  needs === null ? (status === 'new' ? 'not tried yet' : status) : NEEDS[needs]

/** The line about something that a connected server lacks. */
export const hintLine = (sentence: string): string => `Note: ${sentence}`

/**
 * The tools of native connectors and documents are known although no call has tried the account; those of others may be of the time
 * before a change.
 */
export const isContacted = ({ status, connector, auth, fetched_at: at }: Connection): boolean =>
  status !== 'new' ||
  (at !== null && kindOf(connector).toolsKnownUnasked === true && (auth?.kind === 'key' || auth?.kind === 'oauth'))

interface Settling {
  readonly organization: string
  readonly aliases: readonly string[]
  /** Whether the gateway is done with a connection; without it, when it was contacted once. */
  readonly isDone?: (connection: Connection) => boolean
  /** Milliseconds. */
  readonly wait?: number
}

/** The connections as they stand when the running gateway is done with all of them, or when the wait ends. */
export async function waitUntilContacted(
  transport: Transport,
  { organization, aliases, isDone = (item) => isContacted(item) || !item.enabled, wait = WAIT_MS }: Settling,
): Promise<Connection[]> {
  const until = Date.now() + wait
  for (;;) {
    const found: Connection[] = []
    for (const alias of aliases) found.push(await findConnection(transport, { organization, alias }))
    if (found.every(isDone) || Date.now() >= until) return found
    await sleep(LOOK_EVERY_MS)
  }
}

function outcomeOf(connection: Connection): Printed {
  const { alias, status, status_reason: reason, hints, tools, spoken_revision: revision } = connection
  if (status === 'connected')
    return {
      value: { alias, status, tools, revision, ...(hints.length === 0 ? {} : { hints }) },
      lines: [
        `${alias} is connected: ${countWithNoun(tools, 'tool')}${revision === null ? '' : `, protocol ${revision}`}.`,
        ...hints.map(hintLine),
      ],
    }
  if (status === 'new')
    return {
      value: { alias, status, tools },
      lines: [`${alias} is added: ${countWithNoun(tools, 'tool')}. No call was tried yet.`],
    }
  const line =
    status === 'needs_auth' && takesAccounts(connection)
      ? `${alias} is not connected yet. Its server requires an account: ${loginHint(connection)}`
      : `${alias} is not ready: ${reason ?? `${status}.`} \`toolway connection test ${alias}\` shows details.`
  return { value: { alias, status, reason }, lines: [line], code: EXIT.failed }
}
