/** Calls of an organization over a span of time, of which records say how they ended: by step, and whose they were. */
import { z } from 'zod'
import { inOrganization, operation, pageOf, Paging } from '../../admin/operation.ts'
import { Uncounted } from './uncounted.ts'

export const MOST_USAGE_DAYS = 31
const DAY_MS = 86_400_000

const Calls = {
  calls: z.int(),
  /** Ended with an error, of the gateway's, the server's or the tool's, or nobody knows how. */
  failed: z.int(),
  refused: z.int(),
}
const Milliseconds = z.number().nullable()

export const Usage = z.strictObject({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  step: z.enum(['hour', 'day']),
  uncounted: Uncounted,
  total: z.strictObject({ ...Calls, median_ms: Milliseconds, p95_ms: Milliseconds }),
  /** Every step of the span, those without a call too, the earliest first. */
  steps: z.array(z.strictObject({ at: z.iso.datetime(), ...Calls, median_ms: Milliseconds, p95_ms: Milliseconds })),
  /** The most used, by the name that they had then. */
  connections: z.array(z.strictObject({ name: z.string(), ...Calls })),
  /** Null, as what follows: not for whoever may not see records. */
  tools: z
    .array(
      z.strictObject({
        connection: z.string().nullable(),
        name: z.string(),
        ...Calls,
        p95_ms: Milliseconds,
        /** Calls in each step of the span. */
        steps: z.array(z.int()),
      }),
    )
    .nullable(),
  callers: z.array(z.strictObject({ id: z.string(), name: z.string().nullable(), ...Calls })).nullable(),
  /** By the name and version that a client reports. */
  clients: z.array(z.strictObject({ name: z.string(), ...Calls })).nullable(),
  /** Why calls were refused or failed: codes of faults, the most frequent first. */
  reasons: z.array(z.strictObject({ code: z.string(), calls: z.int() })).nullable(),
})
export type Usage = z.output<typeof Usage>

const Moment = z.iso.datetime({ offset: true }).optional()

const Span = {
  from: Moment,
  to: Moment,
  /** The alias of a connection. */
  connection: z.string().min(1).max(200).optional(),
}
const SPAN_MESSAGE = `\`to\` must be after \`from\`, and no more than ${MOST_USAGE_DAYS} days after it`

export const findUsage = operation({
  id: 'findUsage',
  at: 'GET /api/v1/organizations/{organization}/usage',
  summary: `Get the number of calls over time, starting at \`from\` (default: a day ago) and before \`to\` (default: now), ${MOST_USAGE_DAYS} days at most. Steps are counted from \`from\`, which is moved back to a full hour in a span of more than two days by the hour. Times of past hours are correct to 2 %. Callers who may view records also receive tools, callers, clients and the reasons why calls failed, and may filter by a single caller.`,
  needs: inOrganization('stats_view_own'),
  query: z
    .strictObject({
      ...Span,
      step: z.enum(['hour', 'day']).default('hour'),
      /** The id of a key or a user. */
      caller: z.string().min(1).max(200).optional(),
    })
    .refine(({ from, to }) => isSpan(from, to), { message: SPAN_MESSAGE, path: ['from'] }),
  answer: Usage,
})

export const UsageCaller = z.strictObject({
  /** Of a key or a user. */
  id: z.string(),
  /** Null: the key or the user has been removed. */
  name: z.string().nullable(),
  ...Calls,
})
export type UsageCaller = z.output<typeof UsageCaller>

export const listUsageCallers = operation({
  id: 'listUsageCallers',
  at: 'GET /api/v1/organizations/{organization}/usage/callers',
  summary: `List every key and user that called in a span of time, the one with the most calls first. The span is that of \`findUsage\`; to read several pages, specify \`to\`.`,
  needs: inOrganization('audit_view_own'),
  query: Paging.extend(Span).refine(({ from, to }) => isSpan(from, to), { message: SPAN_MESSAGE, path: ['from'] }),
  /** `uncounted` is that of `findUsage`. */
  answer: pageOf(UsageCaller).extend({ uncounted: Uncounted }),
})

function isSpan(from: string | undefined, to: string | undefined): boolean {
  const end = to === undefined ? Date.now() : Date.parse(to)
  const length = end - (from === undefined ? end - DAY_MS : Date.parse(from))
  return length > 0 && length <= MOST_USAGE_DAYS * DAY_MS
}
