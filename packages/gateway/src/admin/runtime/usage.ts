/** Calls over time. Tools, callers and failure reasons are shown only to users who may view records. */
import { Fault, permits } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import {
  countSteps,
  countToolSteps,
  countUsed,
  namesOf,
  timeTools,
  type StepRow,
  type ToolStepRow,
  type ToolTimeRow,
  type UsedRow,
} from '../../records/usage.ts'
import { serveOrganization, type Served } from '../serve.ts'

const SECONDS = { hour: 3_600, day: 86_400 } as const
/** Rows of each list. */
const MOST = 10
const NONE: Omit<StepRow, 'step'> = { calls: 0, failed: 0, refused: 0, median_us: null, p95_us: null }

const milliseconds = (microseconds: number | null) => (microseconds === null ? null : microseconds / 1000)
const timed = ({ calls, failed, refused, median_us: median, p95_us: p95 }: Omit<StepRow, 'step'>) => ({
  ...{ calls, failed, refused, median_ms: milliseconds(median), p95_ms: milliseconds(p95) },
})
const counted = ({ calls, failed, refused }: UsedRow) => ({ calls, failed, refused })

function stepsOf({ connection, name }: UsedRow, rows: readonly ToolStepRow[], steps: number): number[] {
  const calls = Array.from({ length: steps }, () => 0)
  for (const row of rows) if (row.connection === connection && row.name === name) calls[row.step] = row.calls
  return calls
}

const timeOf = ({ connection, name }: UsedRow, rows: readonly ToolTimeRow[]): number | null =>
  milliseconds(rows.find((row) => row.connection === connection && row.name === name)?.p95_us ?? null)

export const usageOperations: readonly Served[] = [
  serveOrganization(shapes.findUsage, async ({ query, role, look }) => {
    const to = query.to === undefined ? new Date() : new Date(query.to)
    const from = query.from === undefined ? new Date(to.getTime() - SECONDS.day * 1000) : new Date(query.from)
    const seconds = SECONDS[query.step]
    const isShown = permits(role, 'audit_view_own')
    if (query.caller !== undefined && !isShown)
      throw new Fault('role.forbidden', { role, permission: 'audit_view_own' })
    const span = { from, to, connection: query.connection ?? null, caller: query.caller ?? null }
    const { rows, used, names, toolSteps, toolTimes } = await look(async (sql) => {
      const rows = await countSteps(sql, span, seconds)
      const used = await countUsed(sql, span, MOST)
      const ids = used.flatMap(({ by, name }) => (by === 'caller' ? [name] : []))
      const found = isShown ? await namesOf(sql, ids) : []
      const tools = used.flatMap(({ by, name }) => (by === 'tool' ? [name] : []))
      const toolSteps = isShown && tools.length > 0 ? await countToolSteps(sql, span, seconds, tools) : []
      const toolTimes = isShown && tools.length > 0 ? await timeTools(sql, span, tools) : []
      return { rows, used, toolSteps, toolTimes, names: new Map(found.map(({ id, name }) => [id, name])) }
    })
    const byStep = new Map(rows.map((row) => [row.step, row]))
    const steps = Math.ceil((to.getTime() - from.getTime()) / 1000 / seconds)
    const of = (by: UsedRow['by']) => used.filter((row) => row.by === by)
    return {
      from: from.toISOString(),
      to: to.toISOString(),
      step: query.step,
      total: timed(byStep.get(null) ?? NONE),
      steps: Array.from({ length: steps }, (_, step) => ({
        at: new Date(from.getTime() + step * seconds * 1000).toISOString(),
        ...timed(byStep.get(step) ?? NONE),
      })),
      connections: of('connection').map((row) => ({ name: row.name, ...counted(row) })),
      tools: isShown
        ? of('tool').map((row) => ({
            ...{ connection: row.connection, name: row.name, ...counted(row) },
            p95_ms: timeOf(row, toolTimes),
            steps: stepsOf(row, toolSteps, steps),
          }))
        : null,
      callers: isShown
        ? of('caller').map((row) => ({ id: row.name, name: names.get(row.name) ?? null, ...counted(row) }))
        : null,
      clients: isShown ? of('client').map((row) => ({ name: row.name, ...counted(row) })) : null,
      reasons: isShown ? of('reason').map(({ name, calls }) => ({ code: name, calls })) : null,
    }
  }),
]
