/**
 * `batch_tool_execute`: several calls of this toolkit's tools in one (ledger S4-FUT-01). The tools are those of the list that it is made
 * with, by name, and never itself. Each call is checked, counted against the budgets and stopped by its own time like a call of the client.
 */
import { z } from 'zod'
import type { Fault } from '../fault.ts'
import { LIMITS } from '../limits.ts'
import { Refusal } from '../refusal.ts'
import { tool, type Outcome, type Tool, type ToolCall } from './tool.ts'

const { calls: MOST, atOnce: AT_ONCE, characters: CHARACTERS } = LIMITS.batch

const Result = z.strictObject({
  index: z.int(),
  tool: z.string(),
  success: z.boolean(),
  result: z.string().describe(`The text of the result, ${CHARACTERS} characters at most.`),
  characters: z.int().describe('Characters in the whole text.'),
  truncated: z.boolean(),
  error: z
    .looseObject({ code: z.string(), message: z.string(), retryable: z.boolean() })
    .optional()
    .describe('Why the call failed; `blocked_by` identifies a budget that is used up.'),
})

export interface BatchParts {
  /** The tools that may be called. */
  readonly tools: readonly Tool[]
  /** Milliseconds of each call. */
  readonly timeout?: number
}

export function createBatchToolExecute({ tools, timeout = LIMITS.batch.milliseconds }: BatchParts): Tool {
  const byName = new Map(tools.map((item) => [item.name, item]))
  const Call = z.strictObject({
    tool: z.enum([...byName.keys()]),
    arguments: z.record(z.string(), z.unknown()).default({}),
  })
  return tool({
    name: 'batch_tool_execute',
    title: 'Execute tools in a batch',
    description: `Makes up to ${MOST} calls to other tools on this server, ${AT_ONCE} at a time and each for ${timeout / 1_000} seconds at most, and returns the first ${CHARACTERS} characters of each result. The order in which they run is not fixed, so a call must not depend on the result of another. A call that fails does not affect the others.`,
    input: z.strictObject({ calls: z.array(Call).min(1).max(MOST) }),
    output: z.strictObject({ total: z.int(), successful: z.int(), failed: z.int(), results: z.array(Result) }),
    examples: [
      {
        calls: [
          { tool: 'list_directory', arguments: { path: 'search_results' } },
          { tool: 'write_local_file', arguments: { path: 'notes.md', content: 'Read the results.\n' } },
        ],
      },
    ],
    readOnly: false,
    destructive: true,
    idempotent: false,
    openWorld: tools.some(({ openWorld }) => openWorld),
    failure: 'Error executing batch',
    async run({ calls }, call) {
      let done = 0
      const results = await mapAtOnce(calls, AT_ONCE, async (item, index) => {
        call.signal.throwIfAborted()
        const outcome = await carriedOut(byName.get(item.tool), item.arguments, call, timeout)
        call.progress(++done, calls.length, `${item.tool} ${outcome.fault === undefined ? 'done' : 'failed'}`)
        return shownOutcome(index, item.tool, outcome)
      })
      call.signal.throwIfAborted()
      const successful = results.filter(({ success }) => success).length
      const structured = { total: results.length, successful, failed: results.length - successful, results }
      return { text: JSON.stringify(structured), structured }
    },
  })
}

async function carriedOut(item: Tool | undefined, input: unknown, call: ToolCall, timeout: number): Promise<Outcome> {
  if (item === undefined) throw new Refusal('A call does not specify a tool.', 'TOOL_NOT_FOUND')
  const timer = AbortSignal.timeout(timeout)
  const signal = AbortSignal.any([call.signal, timer])
  const ended = new Promise<Outcome>((resolve) => {
    // A tool that is slow to stop holds up nobody.
    const end = () => resolve({ text: `${item.failure}: ${STOPPED.message}`, fault: STOPPED })
    timer.addEventListener('abort', () => setTimeout(end, 1_000), { once: true })
  })
  return Promise.race([call.callTool(item, input, { signal, progress: () => {} }), ended])
}

const STOPPED: Fault = { code: 'TIMEOUT', message: 'it took too long and was stopped.', retryable: true }

function shownOutcome(index: number, name: string, { text, fault }: Outcome) {
  const truncated = text.length > CHARACTERS
  return {
    ...{ index, tool: name, success: fault === undefined, result: text.slice(0, CHARACTERS) },
    ...{ characters: text.length, truncated },
    ...(fault === undefined ? {} : { error: { ...fault } }),
  }
}

/** In the order of the list; `most` of them are worked on at a time. */
async function mapAtOnce<T, R>(list: readonly T[], most: number, work: (item: T, index: number) => Promise<R>) {
  const results: R[] = []
  const waiting = list.entries()
  const worker = async () => {
    for (const [index, value] of waiting) results[index] = await work(value, index)
  }
  await Promise.all(Array.from({ length: Math.min(most, list.length) }, worker))
  return results
}
