/** `toolway watch`: tool calls as they end, one line each, until Ctrl C. */
import { setTimeout as sleep } from 'node:timers/promises'
import { listOrganizationAudit, type AuditEvent } from '@toolway/contract/admin'
import { Option } from 'commander'
import { described } from '../command.ts'
import { harmless, type Output } from '../terminal/output.ts'
import { paint, type Colour } from '../terminal/paint.ts'
import type { Transport } from '../transport/transport.ts'
import type { OfChain } from './of-chain.ts'

interface Watching extends OfChain {
  readonly failed?: boolean
  readonly tool?: string
  readonly connection?: string
}

/** Milliseconds between two looks at the audit log. */
const INTERVAL = 1_000
const MOST = 200

const COLOURS: Readonly<Record<AuditEvent['outcome'], Colour>> = {
  ok: 'green',
  tool_error: 'red',
  failed: 'red',
  unknown: 'red',
  refused: 'yellow',
  cancelled: 'dim',
}

async function watched(transport: Transport, words: Watching, output: Output): Promise<void> {
  const ended = new AbortController()
  const end = () => ended.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  const start = new Date().toISOString()
  let seen = -1
  if (!output.json) output.progress('Watching calls. Press Ctrl C to stop.')
  while (!ended.signal.aborted) {
    const fresh = (await newest(transport, words, start)).filter(({ seq }) => seq > seen)
    seen = Math.max(seen, ...fresh.map(({ seq }) => seq))
    for (const event of fresh.toReversed()) if (isWanted(event, words)) print(event, output)
    await sleep(INTERVAL, undefined, { signal: ended.signal }).catch(() => {})
  }
  process.off('SIGINT', end).off('SIGTERM', end)
}

/** The newest first. */
async function newest({ call }: Transport, { organization, tool, connection }: Watching, start: string) {
  const query = { action: 'tools/call', tool, connection, start, limit: MOST }
  return (await call(listOrganizationAudit, { params: { organization }, query })).items
}

const isWanted = ({ outcome }: AuditEvent, { failed = false }: Watching): boolean =>
  !failed || (outcome !== 'ok' && outcome !== 'cancelled')

function print(event: AuditEvent, { json }: Output): void {
  const { timestamp, outcome, resource_id: tool, actor_id: caller, code, details } = event
  if (json) return void process.stdout.write(`${JSON.stringify(event)}\n`)
  const took = typeof details['duration_ms'] === 'number' ? `${Math.round(details['duration_ms'])} ms` : ''
  const connection = typeof details['connection'] === 'string' ? details['connection'] : ''
  const cells = [
    paint('dim', timestamp.slice(11, 19)),
    paint(COLOURS[outcome], outcome.padEnd(10)),
    took.padStart(9),
    paint('bold', harmless([connection, tool ?? ''].filter((word) => word !== '').join(' '))),
    paint('dim', harmless(caller)),
    code === null ? '' : paint(COLOURS[outcome], harmless(code)),
  ]
  process.stdout.write(`${cells.join('  ').trimEnd()}\n`)
}

export const watchCommand = described({
  name: 'watch',
  about: 'follow tool calls as they end',
  options: [
    new Option('--failed', 'only calls that failed or were refused'),
    new Option('--tool <name>', 'only calls of this tool, as the client names it'),
    new Option('--connection <alias>', 'only calls of this connection'),
  ],
  examples: ['toolway watch', 'toolway watch --failed', 'toolway watch --connection docs --json'],
  call: watched,
  print: () => ({ value: undefined, lines: [] }),
})
