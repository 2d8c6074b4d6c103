/**
 * The operations on the log: its last lines, and those to come as a stream of events.
 *
 * A reader of the stream has a bound of its own: one that does not keep up is told how many lines it missed, and ended.
 */
import { LEVELS_OF_LOG, type LogLine } from '@toolway/contract/admin'
import * as shapes from '@toolway/contract/admin'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import { servePlatform, type AdminParts, type Served } from '../serve.ts'

interface LogFilter {
  readonly level?: (typeof LEVELS_OF_LOG)[number] | undefined
  readonly tenant_slug?: string | undefined
  readonly connector_id?: string | undefined
}

export type Snapshots = AdminParts['snapshots']

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Returns the owner of a log line, as far as the line names it: calls name organization and alias, other lines an id. */
function ownerOf(snapshots: Snapshots, facts: Record<string, unknown>) {
  const organizationId = textOf(facts['org_id']) ?? textOf(facts['organizationId'])
  // A process is named by alias, id and owner.
  const connectionId = textOf(facts['connectionId']) ?? textOf(facts['child'])?.split('.')[1]
  const snapshot: Snapshot | undefined =
    organizationId !== undefined
      ? snapshots.find({ id: organizationId })
      : connectionId === undefined
        ? undefined
        : snapshots.all().find(({ connections }) => connections.some(({ id }) => id === connectionId))
  const named = textOf(facts['connection'])
  const connection = snapshot?.connections.find(({ id, alias }) => id === (connectionId ?? named) || alias === named)
  return {
    tenant_slug: textOf(facts['organization']) ?? snapshot?.organization.slug ?? null,
    connector_id: connection?.id ?? connectionId ?? null,
  }
}

export function readLine(snapshots: Snapshots, line: string): LogLine {
  const { timestamp, level, message, request_id, duration_ms, ...facts } = JSON.parse(line) as Record<string, unknown>
  return {
    timestamp: String(timestamp),
    level: String(level),
    message: String(message),
    ...ownerOf(snapshots, facts),
    request_id: textOf(request_id) ?? null,
    duration_ms: typeof duration_ms === 'number' ? duration_ms : null,
    facts,
  }
}

const severity = (level: string): number => (LEVELS_OF_LOG as readonly string[]).indexOf(level)

const isWanted = (line: LogLine, { level, tenant_slug: slug, connector_id: connector }: LogFilter): boolean =>
  (level === undefined || severity(line.level) >= severity(level)) &&
  (slug === undefined || line.tenant_slug === slug) &&
  (connector === undefined || line.connector_id === connector)

/** Frames that wait for a slow reader. */
const MOST_WAITING = 1_000
/** Proxies cut streams that are silent for a minute. Milliseconds. */
const BEAT = 15_000

const eventOf = (event: string, value: unknown) => `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`

/** @param follow has every line told, until the function that it returns is called */
export function streamOfLines(
  follow: (hear: (line: object) => void) => () => void,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let stop = () => {}
  return new ReadableStream(
    {
      start(controller) {
        const say = (text: string) => controller.enqueue(encoder.encode(text))
        const end = () => {
          stop()
          controller.close()
        }
        const hear = (line: object) => {
          if ((controller.desiredSize ?? 0) > 0) return say(eventOf('log', line))
          say(
            eventOf('dropped', {
              problem: `more than ${MOST_WAITING} lines are waiting to be read: send the request again`,
            }),
          )
          end()
        }
        const leave = follow(hear)
        const beat = setInterval(() => (controller.desiredSize ?? 0) > 0 && say(': \n\n'), BEAT)
        beat.unref()
        stop = () => {
          leave()
          clearInterval(beat)
          signal.removeEventListener('abort', end)
        }
        say(': open\n\n')
        if (signal.aborted) end()
        else signal.addEventListener('abort', end)
      },
      cancel: () => stop(),
    },
    { highWaterMark: MOST_WAITING },
  )
}

export const STREAM_HEAD = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

const followed =
  ({ snapshots, runtime }: AdminParts, wanted: LogFilter) =>
  (hear: (line: object) => void) =>
    runtime.logs.follow((text) => {
      const line = readLine(snapshots, text)
      if (isWanted(line, wanted)) hear(line)
    })

export const logOperations: readonly Served[] = [
  servePlatform(shapes.listRecentLogs, ({ parts: { snapshots, runtime }, query: { count, ...wanted } }) => {
    const lines = runtime.logs.recent().map((line) => readLine(snapshots, line))
    return { items: lines.filter((line) => isWanted(line, wanted)).slice(-count) }
  }),
  servePlatform(
    shapes.followLogs,
    ({ parts, query, signal }) => new Response(streamOfLines(followed(parts, query), signal), { headers: STREAM_HEAD }),
  ),
]
