/** The figures that are shown as one CSV table (RFC 4180): a line for each step, connection, tool, caller, client and reason. */
import { csvLine } from '@toolway/contract'
import type { Usage } from '@toolway/contract/admin'

const COLUMNS = ['kind', 'name', 'connection', 'at', 'calls', 'failed', 'refused', 'median_ms', 'p95_ms'] as const
type Line = Partial<Record<(typeof COLUMNS)[number], string | number | null>>

export function usageCsv({ uncounted, steps, connections, tools, callers, clients, reasons }: Usage): string {
  const lines: Line[] = [
    ...steps.map((step) => ({ kind: 'step', ...step })),
    ...connections.map((connection) => ({ kind: 'connection', ...connection })),
    ...(tools ?? []).map(({ steps: _, ...row }) => ({ kind: 'tool', ...row })),
    ...(callers ?? []).map(({ id, name, ...row }) => ({ kind: 'caller', name: name ?? id, ...row })),
    ...(clients ?? []).map((client) => ({ kind: 'client', ...client })),
    ...(reasons ?? []).map(({ code, calls }) => ({ kind: 'reason', name: code, calls })),
    // Whoever reads the file is not to take its figures for complete.
    ...(uncounted > 0 ? [{ kind: 'uncounted', calls: uncounted }] : []),
  ]
  return csvLine(COLUMNS) + lines.map((line) => csvLine(COLUMNS.map((column) => line[column] ?? null))).join('')
}
