/** Calls over time. Tools, callers and failure reasons are shown only to users who may view records. */
import { permits } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import {
  countSteps,
  countToolSteps,
  countUsed,
  listCallers,
  namesOf,
  openSpan,
  timeTools,
  type StepRow,
  type ToolStepRow,
  type ToolTimeRow,
  type UsedRow,
} from './usage.rows.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'
import { roleForbidden } from '../../lib/role-forbidden.ts'

const { serveOrganization } = operationServers<OperationBase>()

const SECONDS = { hour: 3_600, day: 86_400 } as const
/** Rows of each list. */
const MOST = 10
const NONE: Omit<StepRow, 'step'> = { calls: 0, failed: 0, refused: 0, median_us: null, p95_us: null }

const milliseconds = (microseconds: number | null) => (microseconds === null ? null : microseconds / 1000)
const stepFigures = ({ calls, failed, refused, median_us: median, p95_us: p95 }: Omit<StepRow, 'step'>) => ({
  ...{ calls, failed, refused, median_ms: milliseconds(median), p95_ms: milliseconds(p95) },
})
const callFigures = ({ calls, failed, refused }: UsedRow) => ({ calls, failed, refused })

function stepsOf({ connection, name }: UsedRow, rows: readonly ToolStepRow[], steps: number): number[] {
  const calls = Array.from({ length: steps }, () => 0)
  for (const row of rows) if (row.connection === connection && row.name === name) calls[row.step] = row.calls
  return calls
}

const timeOf = ({ connection, name }: UsedRow, rows: readonly ToolTimeRow[]): number | null =>
  milliseconds(rows.find((row) => row.connection === connection && row.name === name)?.p95_us ?? null)

/** Hours of a long span are those of the clock, which are counted already. */
const MOST_ODD_HOURS = 48

function startOf(from: number, to: Date, seconds: number): Date {
  const isLong = to.getTime() - from > MOST_ODD_HOURS * SECONDS.hour * 1000
  return new Date(seconds === SECONDS.hour && isLong ? from - (from % (SECONDS.hour * 1000)) : from)
}

export const usageOperations: readonly Served<OperationBase>[] = [
  serveOrganization(shapes.findUsage, async ({ query, role, readSnapshot }) => {
    const to = query.to === undefined ? new Date() : new Date(query.to)
    const seconds = SECONDS[query.step]
    const from = startOf(
      query.from === undefined ? to.getTime() - SECONDS.day * 1000 : Date.parse(query.from),
      to,
      seconds,
    )
    const isShown = permits(role, 'audit_view_own')
    if (query.caller !== undefined && !isShown) throw roleForbidden(role, 'audit_view_own')
    const span = { from, to, connection: query.connection ?? null, caller: query.caller ?? null }
    const { source, rows, used, names, toolSteps, toolTimes } = await readSnapshot(async (sql) => {
      const source = await openSpan(sql, span, seconds)
      const rows = await countSteps(sql, source, span, seconds)
      const used = await countUsed(sql, source, span, MOST)
      const ids = used.flatMap(({ by, name }) => (by === 'caller' ? [name] : []))
      const found = isShown ? await namesOf(sql, ids) : []
      const tools = used.filter(({ by }) => by === 'tool')
      const toolSteps = isShown && tools.length > 0 ? await countToolSteps(sql, source, span, { seconds, tools }) : []
      const toolTimes = isShown && tools.length > 0 ? await timeTools(sql, source, span, tools) : []
      return { source, rows, used, toolSteps, toolTimes, names: new Map(found.map(({ id, name }) => [id, name])) }
    })
    const byStep = new Map(rows.map((row) => [row.step, row]))
    const steps = Math.ceil((to.getTime() - from.getTime()) / 1000 / seconds)
    const of = (by: UsedRow['by']) => used.filter((row) => row.by === by)
    return {
      from: from.toISOString(),
      to: to.toISOString(),
      step: query.step,
      uncounted: source.uncounted,
      total: stepFigures(byStep.get(null) ?? NONE),
      steps: Array.from({ length: steps }, (_, step) => ({
        at: new Date(from.getTime() + step * seconds * 1000).toISOString(),
        ...stepFigures(byStep.get(step) ?? NONE),
      })),
      connections: of('connection').map((row) => ({ name: row.name, ...callFigures(row) })),
      tools: isShown
        ? of('tool').map((row) => ({
            ...{ connection: row.connection, name: row.name, ...callFigures(row) },
            p95_ms: timeOf(row, toolTimes),
            steps: stepsOf(row, toolSteps, steps),
          }))
        : null,
      callers: isShown
        ? of('caller').map((row) => ({ id: row.name, name: names.get(row.name) ?? null, ...callFigures(row) }))
        : null,
      clients: isShown ? of('client').map((row) => ({ name: row.name, ...callFigures(row) })) : null,
      reasons: isShown ? of('reason').map(({ name, calls }) => ({ code: name, calls })) : null,
    }
  }),
  serveOrganization(shapes.listUsageCallers, async ({ query: { limit, offset, ...query }, readSnapshot }) => {
    const to = query.to === undefined ? new Date() : new Date(query.to)
    const from = query.from === undefined ? new Date(to.getTime() - SECONDS.day * 1000) : new Date(query.from)
    const span = { from, to, connection: query.connection ?? null, caller: null }
    const { rows, total, uncounted } = await readSnapshot(async (sql) => {
      const source = await openSpan(sql, span, SECONDS.day)
      const rows = await listCallers(sql, source, span, { limit, offset })
      // A page behind the last one has no row that says how many there are.
      const [first] =
        rows.length > 0 || offset === 0 ? rows : await listCallers(sql, source, span, { limit: 1, offset: 0 })
      return { rows, total: first?.total ?? 0, uncounted: source.uncounted }
    })
    return { items: rows.map(({ total: _, ...row }) => row), total, limit, offset, uncounted }
  }),
]
