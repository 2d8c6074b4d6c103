/** `toolway watch`: tool calls as they end, one line each, until Ctrl C. */
import { setTimeout as sleep } from 'node:timers/promises'
import { visibleJson } from '@toolway/contract'
import { listOrganizationAudit, type AuditEvent } from '@toolway/contract/admin'
import { Option } from 'commander'
import { describeCommand } from '../../cli/command.ts'
import { harmless, type Output } from '../../cli/terminal/output.ts'
import { paint, type Colour } from '../../cli/terminal/paint.ts'
import type { Transport } from '../../cli/transport/transport.ts'
import { createActorNames } from './actor-names.command.ts'
import type { OfChain } from './of-chain.command.ts'

interface Watching extends OfChain {
  readonly failed?: boolean
  readonly tool?: string
  readonly connection?: string
}

/** Milliseconds between two looks at the audit log. */
const INTERVAL_MS = 1_000
const PAGE = 200

const COLOURS: Readonly<Record<AuditEvent['outcome'], Colour>> = {
  ok: 'green',
  tool_error: 'red',
  failed: 'red',
  unknown: 'red',
  refused: 'yellow',
  cancelled: 'dim',
}

async function watchRecords(transport: Transport, words: Watching, output: Output): Promise<void> {
  const ended = new AbortController()
  const end = () => ended.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  // An organization that does not exist, or a missing permission, ends the command here.
  const [newest] = (await pageOf(transport, words, { limit: 1 })).items
  let seen = newest?.seq ?? -1
  let away = false
  const names = createActorNames(transport, words)
  output.progress('Watching calls. Press Ctrl+C to stop.')
  while (!ended.signal.aborted) {
    await sleep(INTERVAL_MS, undefined, { signal: ended.signal }).catch(() => {})
    const fresh = await since(transport, words, seen).catch((thrown: unknown) => {
      // A restart of the gateway or a database that is away ends no watch; nothing is missed meanwhile.
      if (!away) output.progress(`The audit log cannot be read; trying again: ${messageOf(thrown)}`)
      return undefined
    })
    away = fresh === undefined
    if (fresh === undefined) continue
    seen = Math.max(seen, ...fresh.map(({ seq }) => seq))
    const events = fresh.toReversed().filter((event) => isWanted(event, words))
    if (!output.json) await names.lookUp(events.map(({ actor_id: id }) => id)).catch(() => undefined)
    for (const event of events) print(event, names.nameOf(event.actor_id), output)
  }
  process.off('SIGINT', end).off('SIGTERM', end)
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

/** All calls after that number of the chain, the newest first. */
async function since(transport: Transport, words: Watching, seen: number): Promise<AuditEvent[]> {
  const fresh: AuditEvent[] = []
  let cursor: string | undefined
  for (;;) {
    const page = await pageOf(transport, words, { limit: PAGE, cursor })
    const later = page.items.filter(({ seq }) => seq > seen)
    fresh.push(...later)
    cursor = page.next_cursor
    if (later.length < PAGE || cursor === undefined) return fresh
  }
}

function pageOf(
  { call }: Transport,
  { organization, tool, connection }: Watching,
  paging: { limit: number; cursor?: string | undefined },
) {
  const query = { action: 'tools/call', tool, connection, ...paging }
  return call(listOrganizationAudit, { params: { organization }, query })
}

const isWanted = ({ outcome }: AuditEvent, { failed = false }: Watching): boolean =>
  !failed || (outcome !== 'ok' && outcome !== 'cancelled')

function print(event: AuditEvent, caller: string, { json }: Output): void {
  const { timestamp, outcome, resource_id: tool, code, details } = event
  if (json) return void process.stdout.write(`${visibleJson(JSON.stringify(event))}\n`)
  const took = typeof details['duration_ms'] === 'number' ? `${Math.round(details['duration_ms'])} ms` : ''
  const cells = [
    paint('dim', timestamp.slice(11, 19)),
    paint(COLOURS[outcome], outcome.padEnd(10)),
    took.padStart(9),
    paint('bold', harmless(tool ?? '')),
    paint('dim', harmless(caller)),
    code === null ? '' : paint(COLOURS[outcome], harmless(code)),
  ]
  process.stdout.write(`${cells.join('  ').trimEnd()}\n`)
}

export const watchCommand = describeCommand({
  name: 'watch',
  about: 'follow tool calls as they finish',
  options: [
    new Option('--failed', 'only calls that failed or were refused'),
    new Option('--tool <name>', 'only calls to this tool, by the name that the client uses'),
    new Option('--connection <alias>', 'only calls through this connection'),
  ],
  examples: ['toolway watch', 'toolway watch --failed', 'toolway watch --connection docs --json'],
  call: watchRecords,
  print: () => ({ value: undefined, lines: [] }),
})
