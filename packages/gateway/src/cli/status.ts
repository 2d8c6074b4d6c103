/** `toolway` without a command, and `toolway status`: how the gateway is, and what to do next. */
import { findUsage, listApprovals, listConnections, type Connection, type Usage } from '@toolway/contract/admin'
import { VERSION } from '../call/introduce.ts'
import { openConfig } from './open-config.ts'
import { addressOf, isMade, isRunning } from './store.ts'
import { EXIT, harmless, type Output } from './terminal/output.ts'
import { paint } from './terminal/paint.ts'
import type { Transport } from './transport/transport.ts'
import { withTransport } from './transport/with-transport.ts'

interface Told {
  readonly connections: readonly Connection[]
  readonly pending: number
  readonly calls: Usage['total']
}

interface Status {
  readonly version: string
  readonly address: string
  readonly running: boolean
  /** Whether a gateway has ever been started on this data directory. */
  readonly made: boolean
  readonly told: Told | undefined
}

export async function status(organization: string, output: Output): Promise<number> {
  const found = await find(organization)
  const { told, ...rest } = found
  const value = {
    ...rest,
    connections: told?.connections.map(({ alias, status: state }) => ({ alias, status: state })) ?? null,
    pending_approvals: told?.pending ?? null,
    calls_24h: told?.calls ?? null,
  }
  if (output.json) output.result(value, [])
  else process.stdout.write(`${linesOf(found).join('\n')}\n`)
  return EXIT.ok
}

/** A gateway that does not run is not opened: its database would have to be started for it. */
async function find(organization: string): Promise<Status> {
  const loaded = await openConfig()
  const own = await addressOf(loaded)
  const [made, running] = await Promise.all([isMade(loaded), isRunning(own)])
  if (running) return withTransport(async (transport) => of(transport, own, await tell(transport, organization)))
  return { version: VERSION, address: own, running, made, told: undefined }
}

const of = ({ remote }: Transport, own: string, told: Told): Status => ({
  ...{ version: VERSION, address: remote ?? own, running: true, made: true, told },
})

async function tell({ call }: Transport, organization: string): Promise<Told> {
  const params = { organization }
  const [connections, approvals, usage] = await Promise.all([
    call(listConnections, { params, query: { limit: 200 } }),
    call(listApprovals, { params, query: { state: 'pending', limit: 1 } }),
    call(findUsage, { params }),
  ])
  return { connections: connections.items, pending: approvals.total, calls: usage.total }
}

const isDown = ({ enabled, status: state }: Connection) => enabled && state === 'error'
const needsAccount = ({ enabled, status: state }: Connection) => enabled && state === 'needs_auth'

function linesOf({ version, address, running, made, told }: Status): string[] {
  const state = running ? `${paint('green', 'running')} at ${address}` : paint('yellow', 'not running')
  return [
    '',
    `  ${paint('bold', 'Toolway')} ${version}`,
    '',
    `  Gateway      ${state}`,
    ...(told === undefined ? [] : factsOf(told)),
    '',
    '  Next steps',
    ...nextSteps(running, made, told).map(([command, about]) => `    ${command.padEnd(36)}  ${paint('dim', about)}`),
    '',
  ]
}

function factsOf({ connections, pending, calls }: Told): string[] {
  const down = connections.filter(isDown)
  const names = down.map(({ alias }) => harmless(alias)).join(', ')
  const { calls: all, failed, refused, p95_ms: p95 } = calls
  const ended =
    all === 0 ? '' : `, ${failed} failed, ${refused} refused${p95 === null ? '' : `, p95 ${Math.round(p95)} ms`}`
  return [
    `  Connections  ${connections.length}${down.length === 0 ? '' : `, ${paint('red', `${down.length} down: ${names}`)}`}`,
    `  Approvals    ${pending === 0 ? 'none pending' : paint('yellow', `${pending} pending`)}`,
    `  Calls        ${all} in the last 24 hours${ended}`,
  ]
}

function nextSteps(running: boolean, made: boolean, told: Told | undefined): (readonly [string, string])[] {
  if (!running)
    return [
      ['toolway start', made ? 'start the gateway' : 'start for the first time'],
      ['toolway doctor', 'check the setup'],
      HELP,
    ]
  const [down, unsigned] = [told?.connections.find(isDown), told?.connections.find(needsAccount)]
  return [
    ...(told?.connections.length === 0 ? [['toolway connection add --help', 'add the first connection'] as const] : []),
    ...(down === undefined
      ? []
      : [[`toolway connection test ${harmless(down.alias)}`, 'find out why it is down'] as const]),
    ...(unsigned === undefined
      ? []
      : [[`toolway connection login ${harmless(unsigned.alias)}`, 'connect an account'] as const]),
    ...(told === undefined || told.pending === 0
      ? []
      : [['toolway approval list', 'review pending approvals'] as const]),
    ['toolway watch', 'follow calls as they happen'],
    ['toolway tools', 'list the tools that a key can see'],
    HELP,
  ]
}
const HELP = ['toolway --help', 'list all commands'] as const
