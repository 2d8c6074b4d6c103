/**
 * Reports of Copilot's use: GitHub answers addresses that it signed, each of a file with one JSON object a line (NDJSON). A report of
 * 28 days holds its days in `day_totals`. https://docs.github.com/en/copilot/reference/copilot-usage-metrics
 */
import {
  get,
  isJson,
  maybe,
  refusal,
  rest,
  signed,
  sumOf,
  textOf,
  type Json,
  type Run,
  type VendorAnswer,
} from '../kit/index.ts'
import { githubFacts } from '../github/api.ts'

const { ask } = rest(githubFacts)

const DAY = /^\d{4}-\d{2}-\d{2}$/
/** Files of one report that are read. */
const MOST_FILES = 20

export const days = {
  since: maybe('First day, e.g. 2026-11-01; if omitted, the latest 28 days'),
  until: maybe('Last day; for a single day in the past year, the same as since'),
}

interface Asked {
  readonly org: string
  readonly since?: string | undefined
  readonly until?: string | undefined
}

export interface Report {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly records: readonly Json[]
}

const LATEST = 'GET /orgs/{org}/copilot/metrics/reports/organization-28-day/latest'
/** Days of one call that are read one by one. */
const MOST_DAYS = 7

/** The days of an organization: a single day, or those of the latest 28 that were asked for. */
export function* organizationReport({ org, since, until }: Asked): Run<Report> {
  checked(since, until)
  if (since !== undefined && since === until) {
    const answer = yield* ask('GET /orgs/{org}/copilot/metrics/reports/organization-1-day', { org, day: since })
    return { from: since, to: since, records: yield* records(answer) }
  }
  const answer = yield* ask(LATEST, { org })
  const { body } = answer
  const first = textAt(body, 'report_start_day')
  if (first !== undefined && since !== undefined && since < first)
    throw refusal(
      'INVALID_ARGUMENT',
      `The report begins on ${first}. For an earlier day, set since and until to that day.`,
    )
  const all = yield* records(answer)
  const from = since ?? first
  const to = until ?? textAt(body, 'report_end_day')
  const within = ({ day }: Json) => typeof day !== 'string' || ((from ?? day) <= day && day <= (to ?? day))
  return { from, to, records: all.filter(within).toSorted((a, b) => order(a).localeCompare(order(b))) }
}

/** The records of an organization's users: of the days that were asked for, or of the latest day that has a report. */
export function* usersReport({ org, since, until }: Asked): Run<Report> {
  checked(since, until)
  const latest = since ?? until ?? textAt((yield* ask(LATEST, { org })).body, 'report_end_day')
  if (latest === undefined) return { from: undefined, to: undefined, records: [] }
  const days = daysFrom(since ?? latest, until ?? latest)
  const all: Json[] = []
  for (const day of days)
    all.push(...(yield* records(yield* ask('GET /orgs/{org}/copilot/metrics/reports/users-1-day', { org, day }))))
  return { from: days[0], to: days.at(-1), records: all }
}

function checked(since: string | undefined, until: string | undefined): void {
  for (const day of [since, until])
    if (day !== undefined && (!DAY.test(day) || Number.isNaN(Date.parse(day))))
      throw refusal('INVALID_ARGUMENT', 'since and until must be dates, e.g. 2026-11-01.')
  if (since !== undefined && until !== undefined && until < since)
    throw refusal('INVALID_ARGUMENT', 'until is before since.')
}

function daysFrom(since: string, until: string): readonly string[] {
  const length = (Date.parse(until) - Date.parse(since)) / 86_400_000 + 1
  if (length > MOST_DAYS) throw refusal('INVALID_ARGUMENT', `One call returns at most ${MOST_DAYS} days.`)
  return Array.from({ length }, (_, index) =>
    new Date(Date.parse(since) + index * 86_400_000).toISOString().slice(0, 10),
  )
}

const order = ({ day }: Json): string => (typeof day === 'string' ? day : '')

const textAt = (body: unknown, path: string): string | undefined => {
  const found = get(body, path)
  return typeof found === 'string' ? found : undefined
}

/** An organization without a report yet has no address. */
function* records(of: VendorAnswer): Run<readonly Json[]> {
  const links = get(of.body, 'download_links')
  const all: Json[] = []
  for (const address of (Array.isArray(links) ? links : []).slice(0, MOST_FILES)) {
    const answer = yield* signed({ address: String(address), of }, (problem) =>
      refusal('EXECUTION_ERROR', `GitHub's report could not be read: ${problem}.`),
    )
    const text = answer.bytes === undefined ? answer.body : textOf(answer.bytes)
    const lines = typeof text === 'string' ? text.split('\n').flatMap(parsed) : [text]
    all.push(...lines.filter(isJson).flatMap(daysOf))
  }
  return all
}

const daysOf = (record: Json): Json[] => {
  const totals = record['day_totals']
  return Array.isArray(totals) ? totals.filter(isJson) : [record]
}

/** A line that is cut off or empty is left out. */
function parsed(line: string): unknown[] {
  try {
    return line.trim() === '' ? [] : [JSON.parse(line) as unknown]
  } catch {
    return []
  }
}

/** The counts of a record, or of one of its parts. */
const COUNTS = {
  interactions: 'user_initiated_interaction_count',
  suggestions: 'code_generation_activity_count',
  acceptances: 'code_acceptance_activity_count',
  lines_suggested: 'loc_suggested_to_add_sum',
  lines_added: 'loc_added_sum',
  lines_deleted: 'loc_deleted_sum',
} as const

export const sumsOf = (records: readonly unknown[]): Json =>
  Object.fromEntries(
    Object.entries(COUNTS).map(([name, member]) => [name, sumOf(records, (record) => get(record, member) ?? 'none')]),
  )

/** The parts of records at a member, such as `totals_by_ide`. */
export const partsOf = (records: readonly Json[], member: string): readonly Json[] =>
  records.flatMap((record) => {
    const parts = record[member]
    return Array.isArray(parts) ? parts.filter(isJson) : []
  })

/** Sums by the value of a member, the most used first. */
export function sumsBy(parts: readonly Json[], member: string): readonly Json[] {
  const names = [...new Set(parts.map((part) => part[member]))].filter((name) => typeof name === 'string')
  const used = (item: Json) => Number(item['suggestions'] ?? 0) + Number(item['interactions'] ?? 0)
  return names
    .map((name): Json => ({ [member]: name, ...sumsOf(parts.filter((part) => part[member] === name)) }))
    .toSorted((a, b) => used(b) - used(a))
}
