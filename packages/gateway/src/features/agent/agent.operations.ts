/**
 * The operations of the agent: its model, and runs. A run calls tools with a key that may what its caller may and no more: its calls
 * are in the audit log under that key. Runs beyond the bounds wait (`agent-queue.ts`), and none goes on for ever.
 */
import { Fault, type OrganizationId, type UserId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { AGENT_KEY, agentKeyFor, type AgentKey } from './agent-keys.rows.ts'
import { findAgentModel, putAgentModel, removeAgentModel, type AgentModelRow } from './agent-models.rows.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import { agentModelSealContext } from '../../vault/sealed-columns.ts'
import { operationServers, type OperationBase, type OrganizationRequest, type Served } from '../../operations/serve.ts'
import type { Tracer } from '../../telemetry/tracing/tracer.ts'
import type { Upstreams } from '../../upstreams/upstreams.ts'
import type { AgentQueue } from './agent-queue.ts'
import { createAgentTrace } from './agent-trace.ts'
import { languageModelOf } from './language-model.ts'
import { runAgent } from './run-agent.ts'
import { startUruChild } from './uru-child.ts'

/** The parts of the operations of the agent, besides those of all. */
export interface AgentParts extends OperationBase {
  /** Makes this process ask the database anew for every key; other processes hear of a change from the database. */
  forgetKeys(): void
  readonly agent: {
    readonly queue: AgentQueue
    readonly upstreams: Pick<Upstreams, 'openApart'>
    /** The value of a secret that is kept as it is, or with a key service. */
    readonly reveal: (organizationId: OrganizationId, stored: string) => Promise<string>
    /** Where this gateway's own tools are reached from this machine. */
    proxyUrl(): string
    /** Undefined where no traces are exported. */
    readonly tracer: Tracer | undefined
  }
}

const { serveOrganization } = operationServers<AgentParts>()

const shownModel = ({ provider, url, model, sealed, updated_at }: AgentModelRow): shapes.AgentModel => ({
  ...{ provider, url, model, has_key: sealed !== null },
  updated_at: updated_at.toISOString(),
})

const set = serveOrganization(shapes.setAgentModel, async ({ parts, organization, change, body }) => {
  const { provider, url = shapes.AGENT_URLS[provider], model, key } = body
  const row = await change(
    () => ({
      ...{ action: 'agent.model', resource: 'organization', id: organization.id },
      detail: {
        provider,
        host: new URL(url).host,
        model,
        key: key === undefined ? 'kept' : key === null ? 'none' : 'new',
      },
    }),
    async (sql) => {
      const agentModel = await findAgentModel(sql)
      // A key is never sent to another place than the one that it was given for.
      const stays = agentModel !== undefined && agentModel.provider === provider && agentModel.url === url
      const current = key === undefined && stays ? agentModel.sealed : null
      const sealed = typeof key === 'string' ? parts.vault.seal(key, agentModelSealContext(organization.id)) : current
      return putAgentModel(sql, organization.id, { provider, url, model, sealed })
    },
  )
  return { model: shownModel(row) }
})

type RunRequest = OrganizationRequest<typeof shapes.runAgent, AgentParts>

/** Throws `place.unknown`, and `agent.member` for a caller who is no member: an agent works for a person, with the rights of that person here. */
function memberOf({ principal }: RunRequest, snapshot: Snapshot | undefined): UserId {
  if (snapshot === undefined) throw new Fault('place.unknown')
  const { userId } = principal
  if (userId === undefined || !snapshot.members.has(userId)) throw new Fault('agent.member')
  return userId
}

async function keyFor({ parts, organization, principal, role, change }: RunRequest, userId: UserId): Promise<AgentKey> {
  const key = await change(
    ({ id, made }: AgentKey) =>
      made ? { action: 'key.add', resource: 'key', id, detail: { name: AGENT_KEY, user: userId } } : [],
    (sql) =>
      agentKeyFor(sql, parts.vault, {
        ...{ organizationId: organization.id, userId, limit: principal.limit, toolset: principal.toolset },
        // A key of an organization is never the platform's.
        role: role === 'platform_admin' ? 'tenant_admin' : role,
      }),
  )
  if (key.made) parts.forgetKeys()
  return key
}

/** Milliseconds after which a run is stopped, so that its place is free again whatever its model does. */
const MOST_RUN_MS = 30 * 60_000

const run = serveOrganization(shapes.runAgent, async (request) => {
  const { parts, organization, read, signal, progress } = request
  const find = () => parts.snapshots.find({ id: organization.id })
  const userId = memberOf(request, find())
  if ((await read(findAgentModel)) === undefined) throw new Fault('agent.unset')
  using _ = await parts.agent.queue.enter({
    ...{ organizationId: organization.id, userId, signal },
    onPosition: (position) => progress({ type: 'waiting', position }),
  })
  // While it waited, the member may have been removed and the model changed.
  const snapshot = find()
  const row = await read(findAgentModel)
  if (snapshot === undefined) throw new Fault('place.unknown')
  if (row === undefined) throw new Fault('agent.unset')
  // Awaited here: the place is free again when the run has ended.
  return await begin(request, { snapshot, row, userId: memberOf(request, snapshot) })
})

interface Beginning {
  readonly snapshot: Snapshot
  readonly row: AgentModelRow
  readonly userId: UserId
}

async function begin(request: RunRequest, { snapshot, row, userId }: Beginning) {
  const { parts, organization, principal, body, progress } = request
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(new Fault('agent.time', { minutes: MOST_RUN_MS / 60_000 })), MOST_RUN_MS)
  const signal = AbortSignal.any([request.signal, timeout.signal])
  try {
    const key =
      row.sealed === null
        ? undefined
        : await parts.agent.reveal(
            organization.id,
            parts.vault.open(row.sealed, agentModelSealContext(organization.id)),
          )
    const model = await languageModelOf({ row, key, exceptions: snapshot.exceptions })
    const { id, key: token } = await keyFor(request, userId)
    const proxy = `${parts.agent.proxyUrl()}/o/${organization.slug}/t/${principal.toolset ?? 'default'}`
    await using child = await startUruChild({ upstreams: parts.agent.upstreams, key: token, proxy, signal })
    const { messages, steps } = body
    const trace = createAgentTrace(parts.agent.tracer, row)
    return { ...(await runAgent({ model, key, child, messages, steps, signal, trace, tell: progress })), key_id: id }
  } finally {
    clearTimeout(timer)
  }
}

export const agentOperations: readonly Served<AgentParts>[] = [
  serveOrganization(shapes.getAgentModel, async ({ read }) => {
    const row = await read(findAgentModel)
    return { model: row === undefined ? null : shownModel(row) }
  }),
  set,
  serveOrganization(shapes.removeAgentModel, ({ organization, change }) =>
    change(
      () => ({ action: 'agent.model', resource: 'organization', id: organization.id, detail: { removed: true } }),
      async (sql): Promise<undefined> => {
        if (!(await removeAgentModel(sql))) throw new Fault('thing.unknown', { thing: 'model' })
      },
    ),
  ),
  run,
]
