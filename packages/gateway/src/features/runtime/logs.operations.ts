/** The operations on the log: its last lines, and those to come as a stream of events. */
import { LEVELS_OF_LOG, type LogLine } from '@toolway/contract/admin'
import * as shapes from '@toolway/contract/admin'
import { readLine } from '../../operations/log-lines.ts'
import { streamOfLines } from '../../operations/stream-of-lines.ts'
import { servePlatform, type RuntimeParts, type Served } from './serve.operations.ts'

interface LogFilter {
  readonly level?: (typeof LEVELS_OF_LOG)[number] | undefined
  readonly tenant_slug?: string | undefined
  readonly connector_id?: string | undefined
}

const severity = (level: string): number => (LEVELS_OF_LOG as readonly string[]).indexOf(level)

const isWanted = (line: LogLine, { level, tenant_slug: slug, connector_id: connector }: LogFilter): boolean =>
  (level === undefined || severity(line.level) >= severity(level)) &&
  (slug === undefined || line.tenant_slug === slug) &&
  (connector === undefined || line.connector_id === connector)

const followLogs =
  ({ snapshots, runtime }: RuntimeParts, filter: LogFilter) =>
  (onLine: (line: object) => void) =>
    runtime.logs.follow((text) => {
      const line = readLine(snapshots, text)
      if (isWanted(line, filter)) onLine(line)
    })

export const logOperations: readonly Served[] = [
  servePlatform(shapes.listRecentLogs, ({ parts: { snapshots, runtime }, query: { count, ...filter } }) => {
    const lines = runtime.logs.recent().map((line) => readLine(snapshots, line))
    return { items: lines.filter((line) => isWanted(line, filter)).slice(-count) }
  }),
  servePlatform(shapes.followLogs, ({ parts, query, signal }) => streamOfLines(followLogs(parts, query), signal)),
]
