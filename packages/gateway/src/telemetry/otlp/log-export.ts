/**
 * Lines of the log as log records (opentelemetry/proto/logs/v1/logs.proto). The body of a record is the line as it is written, masked
 * as the log masks it; its time, severity and trace are read out of the line without parsing it.
 */
import type { ExportQueue } from './export-queue.ts'
import { MEDIUM, type ProtoWriter } from './proto-writer.ts'

export interface LogSource {
  /** The oldest first. */
  recent(): readonly string[]
  /** Until the returned function is called. */
  follow(onLine: (line: string) => void): () => void
}

/** Severity numbers (OpenTelemetry, logs data model). */
const SEVERITIES: Readonly<Record<string, number>> = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 }

/** Exports the lines that were kept and all that come, until the returned function is called. */
export function createLogExport(source: LogSource, queue: Pick<ExportQueue, 'add'>): () => void {
  for (const line of source.recent()) {
    const at = Date.parse(memberOf(line, 'timestamp') ?? '')
    exportLine(line, Number.isNaN(at) ? Date.now() : at, queue)
  }
  // A line is written at the moment at which it is heard.
  return source.follow((line) => exportLine(line, Date.now(), queue))
}

function exportLine(line: string, at: number, queue: Pick<ExportQueue, 'add'>): void {
  queue.add((to) => {
    const level = levelOf(line)
    to.nanoseconds(1, at)
    to.whole(2, SEVERITIES[level] ?? 9)
    to.text(3, level.toUpperCase())
    const body = to.open(5, MEDIUM)
    to.text(1, line.endsWith('\n') ? line.slice(0, -1) : line)
    to.close(body, MEDIUM)
    const trace = line.indexOf(TRACE)
    if (trace !== -1) writeTrace(to, line, trace + TRACE.length)
    to.nanoseconds(11, at)
  })
}

const LEVEL = '{"level":"'
const TRACE = '"trace_id":"'
/** Stands right behind the trace, where a line has both. */
const SPAN = '","span_id":"'

/** Every line begins with its level. */
const levelOf = (line: string): string =>
  line.startsWith(LEVEL) ? line.slice(LEVEL.length, line.indexOf('"', LEVEL.length)) : 'info'

function writeTrace(to: ProtoWriter, line: string, from: number): void {
  const traceId = line.slice(from, from + 32)
  if (!TRACE_ID.test(traceId)) return
  to.hex(9, traceId)
  if (!line.startsWith(SPAN, from + 32)) return
  const begin = from + 32 + SPAN.length
  const spanId = line.slice(begin, begin + 16)
  if (SPAN_ID.test(spanId)) to.hex(10, spanId)
}

const TRACE_ID = /^[0-9a-f]{32}$/
const SPAN_ID = /^[0-9a-f]{16}$/

/** The text of a member: quotes within a text are escaped, so that no text of others can look like a member. */
function memberOf(line: string, name: string): string | undefined {
  const found = line.indexOf(`"${name}":"`)
  if (found === -1) return undefined
  const from = found + name.length + 4
  return line.slice(from, line.indexOf('"', from))
}
