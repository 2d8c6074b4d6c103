/**
 * The operations of the agent: its model, and runs. A run calls tools with a key that may what its caller may and no more: its calls
 * are in the audit log under that key.
 */
import { Fault, type UserId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { AGENT_KEY, agentKeyFor, type AgentKey } from '../../identity/keys/agent-keys.ts'
import {
  findAgentModel,
  putAgentModel,
  removeAgentModel,
  type AgentModelRow,
} from '../../organizations/agent-models.ts'
import type { Snapshot } from '../../call/snapshot.ts'
import { agentModelRow } from '../../vault/sealed-columns.ts'
import { serveOrganization, type OrganizationRequest, type Served } from '../serve.ts'
import { createAgentTrace } from './agent-trace.ts'
import { languageModelOf } from './language-model.ts'
import { runAgent } from './run-agent.ts'
import { startUruChild } from './uru-child.ts'

const shown = ({ provider, url, model, sealed, updated_at }: AgentModelRow): shapes.AgentModel => ({
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
      const held = await findAgentModel(sql)
      // A key is never sent to another place than the one that it was given for.
      const stays = held !== undefined && held.provider === provider && held.url === url
      const kept = key === undefined && stays ? held.sealed : null
      const sealed = typeof key === 'string' ? parts.vault.seal(key, agentModelRow(organization.id)) : kept
      return putAgentModel(sql, organization.id, { provider, url, model, sealed })
    },
  )
  return { model: shown(row) }
})

type RunRequest = OrganizationRequest<typeof shapes.runAgent>

/** Throws `agent.member` for a caller who is no member: an agent works for a person, with the rights of that person here. */
function memberOf({ principal }: RunRequest, { members }: Snapshot): UserId {
  const { userId } = principal
  if (userId === undefined || !members.has(userId)) throw new Fault('agent.member')
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

/** Runs of one member that go on at once: each is a process, and pays for a model. */
const MOST_RUNS = 4
const running = new Map<UserId, number>()

/** Throws `agent.busy`. Disposed when the run ends. */
function enter(userId: UserId): Disposable {
  const runs = running.get(userId) ?? 0
  if (runs >= MOST_RUNS) throw new Fault('agent.busy', { limit: MOST_RUNS })
  running.set(userId, runs + 1)
  return {
    [Symbol.dispose]() {
      const left = (running.get(userId) ?? 1) - 1
      if (left === 0) running.delete(userId)
      else running.set(userId, left)
    },
  }
}

const run = serveOrganization(shapes.runAgent, async (asked) => {
  const { parts, organization, principal, look, body, signal, progress } = asked
  const snapshot = parts.snapshots.find({ id: organization.id })
  if (snapshot === undefined) throw new Fault('place.unknown')
  const userId = memberOf(asked, snapshot)
  const row = await look(findAgentModel)
  if (row === undefined) throw new Fault('agent.unset')
  using _ = enter(userId)
  const key =
    row.sealed === null
      ? undefined
      : await parts.agent.reveal(organization.id, parts.vault.open(row.sealed, agentModelRow(organization.id)))
  const model = await languageModelOf({ row, key, exceptions: snapshot.exceptions })
  const { id, key: token } = await keyFor(asked, userId)
  const proxy = `${parts.agent.proxyUrl()}/o/${organization.slug}/t/${principal.toolset ?? 'default'}`
  await using child = await startUruChild({ upstreams: parts.agent.upstreams, key: token, proxy, signal })
  const { messages, steps } = body
  const trace = createAgentTrace(parts.agent.tracer, row)
  return { ...(await runAgent({ model, key, child, messages, steps, signal, trace, tell: progress })), key_id: id }
})

export const agentOperations: readonly Served[] = [
  serveOrganization(shapes.getAgentModel, async ({ look }) => {
    const row = await look(findAgentModel)
    return { model: row === undefined ? null : shown(row) }
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
