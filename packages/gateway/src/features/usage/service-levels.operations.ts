/** Service levels of connections, against the availability that the organization wants. */
import * as shapes from '@toolway/contract/admin'
import { getOwnOrganization } from '../../organizations/organizations.ts'
import { countLevels, type LevelRow } from './service-levels.rows.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'

const { serveOrganization } = operationServers<OperationBase>()

const NONE: LevelRow = {
  connection: null,
  ...{ hour: 0, hour_failed: 0, hour_p95: null },
  ...{ day: 0, day_failed: 0, day_p95: null },
  ...{ month: 0, month_failed: 0, month_p95: null },
}

/** To a thousandth: what is behind it is noise. */
const roundToThousandth = (value: number): number => Math.round(value * 1000) / 1000

/** @param target per cent of calls that are to be answered */
export function levelOf(calls: number, failed: number, p95: number | null, target: number): shapes.ServiceLevel {
  if (calls === 0) return { calls, failed, availability: null, p95_ms: null, budget_left: null }
  const allowed = (calls * (100 - target)) / 100
  return {
    calls,
    failed,
    availability: roundToThousandth(100 - (failed / calls) * 100),
    p95_ms: p95 === null ? null : p95 / 1000,
    budget_left: roundToThousandth(100 - (failed / allowed) * 100),
  }
}

/** Figures that lack records do not say how good a connection is. */
const withoutFigures = (level: shapes.ServiceLevel): shapes.ServiceLevel => ({
  ...{ ...level, availability: null, p95_ms: null, budget_left: null },
})

const allWindows = (row: LevelRow, target: number) => ({
  hour: levelOf(row.hour, row.hour_failed, row.hour_p95, target),
  day: levelOf(row.day, row.day_failed, row.day_p95, target),
  month: levelOf(row.month, row.month_failed, row.month_p95, target),
})

/** @param uncounted records that are not in the row yet */
export function windowsOf(row: LevelRow, target: number, uncounted: number) {
  const { hour, day, month } = allWindows(row, target)
  return uncounted === 0
    ? { hour, day, month }
    : { hour: withoutFigures(hour), day: withoutFigures(day), month: withoutFigures(month) }
}

export const serviceLevelOperations: readonly Served<OperationBase>[] = [
  serveOrganization(shapes.findServiceLevels, async ({ parts, organization, readSnapshot }) => {
    const at = new Date()
    const { rows, uncounted, target } = await readSnapshot(async (sql) => {
      const { settings } = await getOwnOrganization(sql, organization.id)
      return {
        ...(await countLevels(sql, at, shapes.MOST_LEVELS)),
        target: settings.availability_target ?? shapes.AVAILABILITY_TARGET,
      }
    })
    const called = rows.filter((row) => row.connection !== null)
    const names = new Set(called.map(({ connection }) => connection))
    const idle = (parts.snapshots.find({ id: organization.id })?.connections ?? []).filter(
      ({ enabled, alias }) => enabled && !names.has(alias),
    )
    const all = [...called, ...idle.map(({ alias }) => ({ ...NONE, connection: alias }))]
    return {
      at: at.toISOString(),
      target,
      uncounted,
      total: windowsOf(rows.find(({ connection }) => connection === null) ?? NONE, target, uncounted),
      connections: all
        .slice(0, shapes.MOST_LEVELS)
        .map((row) => ({ name: row.connection ?? '', windows: windowsOf(row, target, uncounted) })),
    }
  }),
]
