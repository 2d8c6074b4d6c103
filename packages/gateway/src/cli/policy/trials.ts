/** `toolway policy shadow` and `replay`: what rules would have done with what was called. */
import type { PolicyDraft, ReplayReport } from '@toolway/contract/admin'
import { replayCalls } from '../../admin/policy/replay-calls.ts'
import { shadowsOf } from '../../admin/policy/shadows-of.ts'
import { countShadows } from '../../records/call-records.ts'
import { CommandFault, EXIT, table, type Output } from '../terminal/output.ts'
import { readDraft } from './draft-file.ts'
import { withPolicy } from './policy-store.ts'

export const shadow = (organization: string, days: number, output: Output): Promise<number> =>
  withPolicy(organization, async ({ db, organization: own, snapshot, callers }) => {
    const report = await shadowsOf(
      {
        ...{ snapshot, callers },
        count: (since, limit) => db.organization(own.id, (sql) => countShadows(sql, since, limit)),
      },
      days,
    )
    const { items, truncated } = report
    output.result(
      report,
      items.length === 0
        ? [`No rule in the shadow would have done anything in the last ${days} days.`]
        : [
            ...table(
              ['RULE', 'WOULD', 'TOOL', 'CALLER', 'CALLS', 'LAST', 'EXAMPLE'],
              items.map(({ rule, would, tool, caller, calls, last, example }) => [
                ...[rule, would, tool, caller, String(calls), last.slice(0, 16), example],
              ]),
            ),
            ...(truncated ? ['There are more; the rarest are left out.'] : []),
          ],
    )
    return EXIT.ok
  })

export interface ReplayWords {
  readonly organization: string
  readonly file: string | undefined
  readonly remove: readonly string[]
  readonly whole: boolean
  readonly days: number
}

export async function replay(
  { organization, file, remove, whole, days }: ReplayWords,
  output: Output,
): Promise<number> {
  if (file === undefined && remove.length === 0)
    throw new CommandFault('Say a file with the draft, or --remove with the name of a rule.', EXIT.usage)
  const written: PolicyDraft = file === undefined ? { rules: [], remove: [], as: 'change' } : await readDraft(file)
  const draft = { ...written, remove: [...written.remove, ...remove], as: whole ? ('whole' as const) : written.as }
  return withPolicy(organization, async ({ db, organization: own, snapshot, callers }) => {
    const report = await replayCalls(
      {
        ...{ snapshot, callers, now: Date.now() },
        look: (work) => db.organization(own.id, work),
      },
      draft,
      days,
    )
    output.result(report, linesOf(report))
    return EXIT.ok
  })
}

function linesOf({ days, read, same, different, differences, unjudged, truncated, problems }: ReplayReport): string[] {
  const open = unjudged.reduce((sum, { calls }) => sum + calls, 0)
  return [
    `${read} calls of the last ${days} days: ${same} as now, ${different} otherwise, ${open} cannot be judged.`,
    ...(differences.length === 0
      ? []
      : table(
          ['TOOL', 'CALLER', 'NOW', 'DRAFT', 'BY', 'CALLS', 'EXAMPLES'],
          differences.map(({ tool, caller, now, draft, by, calls, examples }) => [
            ...[tool, caller, now, draft, by.draft ?? by.now ?? '-', String(calls), examples.join(' ')],
          ]),
        )),
    ...(unjudged.length === 0
      ? []
      : [
          '',
          ...table(
            ['NOT JUDGED BECAUSE', 'CALLS', 'EXAMPLES'],
            unjudged.map(({ why, calls, examples }) => [why, String(calls), examples.join(' ')]),
          ),
        ]),
    ...(truncated ? ['', 'More was on record, or differs, than is shown.'] : []),
    ...problems.map(
      ({ rule, problem }) => `The rule "${rule}" cannot be read, and restricts wherever it could: ${problem}`,
    ),
  ]
}
