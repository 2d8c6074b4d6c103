/** `toolway` without a command, and `toolway status`: how the gateway is, and what to do next. */
import { findUsage, listApprovals, listConnections, type Connection, type Usage } from '@toolway/contract/admin'
import { VERSION } from '../call/introduce.ts'
import { openConfig } from './open-config.ts'
import { databaseTrouble } from './opening-fault.ts'
import { isMade } from './store.ts'
import { EXIT, harmless, type Output } from './terminal/output.ts'
import { paint } from './terminal/paint.ts'
import { Refusal, type Transport } from './transport/transport.ts'
import { withTransport } from './transport/with-transport.ts'

interface Told {
  /** The first 200 of them. */
  readonly connections: readonly Connection[]
  readonly total: number
  readonly pending: number
  readonly calls: Usage['total']
}

interface Status {
  readonly version: string
  readonly address: string
  readonly running: boolean
  /** Whether a gateway has ever been started on this data directory. */
  readonly made: boolean
  /** Undefined where nobody can be asked: it does not run, it has no database, or its database cannot be used. */
  readonly told: Told | undefined
  /** Why its database cannot be used; undefined where it can. A gateway serves without it for a while. */
  readonly trouble: string | undefined
}

export async function status(organization: string, output: Output): Promise<number> {
  const found = await find(organization)
  const { told, trouble, ...rest } = found
  const value = {
    ...rest,
    problem: trouble ?? null,
    connections: told?.connections.map(({ alias, status: state }) => ({ alias, status: state })) ?? null,
    pending_approvals: told?.pending ?? null,
    calls_24h: told?.calls ?? null,
  }
  if (output.json) output.result(value, [])
  else process.stdout.write(`${linesOf(found).join('\n')}\n`)
  return found.trouble === undefined ? EXIT.ok : EXIT.failed
}

/** Of the gateway that `toolway login` named, else of this machine's. One that does not run is not opened: its database would be started. */
async function find(organization: string): Promise<Status> {
  const loaded = await openConfig()
  return withTransport(async (transport) => {
    const { remote, address } = transport
    const running = await transport.isServing()
    const made = remote !== undefined || (await isMade(loaded))
    const asks = running && (remote !== undefined || loaded.config.TOOLWAY_STORE !== 'none')
    const facts = asks ? await readFacts(transport, organization).catch(troubleOf) : undefined
    const rest = { version: VERSION, address, running, made }
    return typeof facts === 'string'
      ? { ...rest, told: undefined, trouble: facts }
      : { ...rest, told: facts, trouble: undefined }
  })
}

/** Throws what is no trouble of the database. */
function troubleOf(thrown: unknown): string {
  const isAway = thrown instanceof Refusal && thrown.is('database.unavailable', 'database.interrupted')
  const trouble = isAway ? thrown.message : databaseTrouble(thrown)
  if (trouble === undefined) throw thrown
  return trouble
}

async function readFacts({ call }: Transport, organization: string): Promise<Told> {
  const params = { organization }
  const [connections, approvals, usage] = await Promise.all([
    call(listConnections, { params, query: { limit: 200 } }),
    call(listApprovals, { params, query: { state: 'pending', limit: 1 } }),
    call(findUsage, { params }),
  ])
  const { items, total } = connections
  return { connections: items, total, pending: approvals.total, calls: usage.total }
}

const isDown = ({ enabled, status: state }: Connection) => enabled && state === 'error'
const needsAccount = ({ enabled, status: state }: Connection) => enabled && state === 'needs_auth'

function linesOf({ version, address, running, made, told, trouble }: Status): string[] {
  const state = running ? `${paint('green', 'running')} at ${address}` : paint('yellow', 'not running')
  return [
    '',
    `  ${paint('bold', 'Toolway')} ${version}`,
    '',
    `  Gateway      ${state}`,
    ...(told === undefined ? [] : factsOf(told)),
    ...(trouble === undefined ? [] : [`  Database     ${paint('red', harmless(trouble))}`]),
    '',
    '  Next steps',
    ...(trouble === undefined ? nextSteps(running, made, told) : [DOCTOR, HELP]).map(
      ([command, about]) => `    ${command.padEnd(36)}  ${paint('dim', about)}`,
    ),
    '',
  ]
}

function factsOf({ connections, total, pending, calls }: Told): string[] {
  const down = connections.filter(isDown)
  const names = down.map(({ alias }) => harmless(alias)).join(', ')
  const { calls: all, failed, refused, p95_ms: p95 } = calls
  const ended =
    all === 0 ? '' : `, ${failed} failed, ${refused} refused${p95 === null ? '' : `, p95 ${Math.round(p95)} ms`}`
  return [
    `  Connections  ${total}${down.length === 0 ? '' : `, ${paint('red', `${down.length} down: ${names}`)}`}`,
    `  Approvals    ${pending === 0 ? 'none pending' : paint('yellow', `${pending} pending`)}`,
    `  Calls        ${all} in the last 24 hours${ended}`,
  ]
}

function nextSteps(running: boolean, made: boolean, overview: Told | undefined): (readonly [string, string])[] {
  if (!running) return [['toolway start', made ? 'start the gateway' : 'start for the first time'], DOCTOR, HELP]
  const [down, unsigned] = [overview?.connections.find(isDown), overview?.connections.find(needsAccount)]
  return [
    ...(overview?.total === 0 ? [['toolway connection add --help', 'add the first connection'] as const] : []),
    ...(down === undefined
      ? []
      : [[`toolway connection test ${harmless(down.alias)}`, 'find out why it is down'] as const]),
    ...(unsigned === undefined
      ? []
      : [[`toolway connection login ${harmless(unsigned.alias)}`, 'connect an account'] as const]),
    ...(overview === undefined || overview.pending === 0
      ? []
      : [['toolway approval list', 'review pending approvals'] as const]),
    ...(overview === undefined ? [] : [['toolway watch', 'follow calls as they happen'] as const]),
    ['toolway tools', 'list the tools that a key can see'],
    HELP,
  ]
}
const DOCTOR = ['toolway doctor', 'check the setup'] as const
const HELP = ['toolway --help', 'list all commands'] as const
