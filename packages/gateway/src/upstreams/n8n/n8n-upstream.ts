/**
 * n8n as an upstream: its active workflows that carry a tag are the tools, found by its public API and run by their webhook or form
 * (ledger S0-PRX-08).
 *
 * The key of the API goes to the API alone; other headers of the connection go to webhooks, for those that ask for one: the target has
 * both apart. A run is sent once, whatever becomes of it.
 */
import { Fault } from '@toolway/contract'
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { createBreaker } from '../breaker.ts'
import { GRACE } from '../carrier.ts'
import { createJsonBackend, type JsonBackend } from '../listed/json-backend.ts'
import { createListedUpstream, type ToolList } from '../listed/listed-upstream.ts'
import type { LeftOut, N8nTarget, ReachOf, Upstream } from '../upstream.ts'
import { readWorkflow, type WorkflowTool } from './read-workflow.ts'
import { runWorkflow } from './run-workflow.ts'

export interface N8nUpstreamParts {
  readonly reach: ReachOf<N8nTarget>
  readonly now: () => number
  onNote(facts: Record<string, unknown>, message: string): void
  onStateChange(failure: Fault | undefined): void
}

const WORKFLOWS = '/api/v1/workflows'
/** Workflows for one request (n8n takes at most 250), and requests for one list. */
const PAGE = 100
const MOST_PAGES = 50
/** How long an old list serves where n8n cannot be asked. Milliseconds. */
const STALE_FOR = 60 * 60_000

export function createN8nUpstream({ reach, now, onNote, onStateChange }: N8nUpstreamParts): Upstream {
  const { alias, timeout, wire } = reach
  const breaker = createBreaker({ alias, patience: timeout * 1000, now, onStateChange })
  const asks = createJsonBackend(reach, breaker, 'backend.malformed')
  const runs = createJsonBackend({ ...reach, wire: wire.webhooks }, breaker, 'backend.malformed')
  const listed = createListedUpstream<WorkflowTool>({
    server: { name: 'n8n', title: 'n8n' },
    breaker,
    now,
    keptFor: wire.listedFor,
    staleFor: STALE_FOR,
    fetch: () => fetchTools(asks, wire.tag, alias),
    call: (tool, request) =>
      runWorkflow({ alias, asks, runs, timeout, onGone: () => void listed.refresh() }, tool, request),
    onStale: (age, thrown) =>
      onNote(
        { age_s: Math.round(age / 1000), problem: Fault.of(thrown).message },
        'the n8n workflows could not be fetched; the previous list is used',
      ),
    onLeftOut(leftOut) {
      for (const { name, reason } of leftOut) onNote({ workflow: name, reason }, 'a workflow is left out')
    },
    close: async () => void (await Promise.all([asks.close(GRACE), runs.close(GRACE)])),
  })
  return listed
}

async function fetchTools(asks: JsonBackend, tag: string, alias: string): Promise<ToolList<WorkflowTool>> {
  const tools = new Map<string, WorkflowTool>()
  const leftOut: LeftOut[] = []
  for (const workflow of await workflowsOf(asks, tag, alias)) {
    const read = readWorkflow(workflow, tag)
    const name = titleOf(workflow)
    if (read.problem !== undefined) leftOut.push({ name, reason: read.problem })
    for (const tool of read.tools) {
      if (tools.has(tool.name)) leftOut.push({ name, reason: 'an earlier workflow has the same name' })
      else tools.set(tool.name, tool)
    }
  }
  return { tools, leftOut }
}

const titleOf = (workflow: Json): string =>
  isObject(workflow) ? String(workflow['name'] ?? workflow['id'] ?? 'a workflow').slice(0, 200) : 'a workflow'

/** Active, tagged and not archived, in the order of their ids, so that the same one keeps a name that two have. */
async function workflowsOf(asks: JsonBackend, tag: string, alias: string): Promise<Json[]> {
  const all: Json[] = []
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { active: 'true', tags: tag, limit: String(PAGE), excludePinnedData: 'true' }
    const answer = await asks.read(WORKFLOWS, { ...query, ...(cursor === undefined ? {} : { cursor }) })
    const { data, nextCursor } = isObject(answer) ? answer : ({} as JsonObject)
    if (!Array.isArray(data))
      throw new Fault('backend.malformed', { connection: alias, problem: 'it returned no list of workflows' })
    all.push(...data.filter((value) => isMeant(value, tag)))
    cursor = typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined
    if (cursor === undefined) break
  }
  return all.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
}

const idOf = (workflow: Json): string => (isObject(workflow) ? String(workflow['id']) : '')

/** Said by n8n itself, too: a version that does not know a filter would give them all. */
function isMeant(workflow: Json, tag: string): boolean {
  if (!isObject(workflow) || workflow['active'] !== true || workflow['isArchived'] === true) return false
  const { tags } = workflow
  return Array.isArray(tags) && tags.some((value) => isObject(value) && value['name'] === tag)
}
