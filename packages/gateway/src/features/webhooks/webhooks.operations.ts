/** The operations on webhooks. A secret is in the answer that makes it, and never again. */
import { Fault, newId, type Role, type WebhookId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { OrgSql } from '../../db/db.ts'
import { previousWebhookSecretSealContext, webhookSecretSealContext } from '../../vault/sealed-columns.ts'
import { newWebhookSecret } from './signature.ts'
import {
  addWebhook,
  changeWebhook,
  listWebhooks,
  lockWebhook,
  removeWebhook,
  rotateSecret,
  type ListedWebhook,
  type WebhookRow,
} from './webhooks.rows.ts'
import { namesPrivate } from '../../kinds/remote.ts'
import { addressIn } from '../../lib/http-address.ts'
import type { SendWebhook } from './send-webhook.ts'
import { operationServers, type OperationBase, type OrganizationRequest, type Served } from '../../operations/serve.ts'
import type { Operation } from '@toolway/contract/admin'
import { eachOf } from '../../lib/unreadable-rows.ts'

/** The parts that these operations work with. */
export interface WebhookParts extends OperationBase {
  readonly sendWebhook: SendWebhook
}

const { serveOrganization } = operationServers<WebhookParts>()

const MOST = 10
/** Hours for which the secret before signs too. */
const OVERLAP = 24

const toWebhook = (row: ListedWebhook): shapes.Webhook => ({
  id: row.id,
  url: row.url,
  private: row.private,
  description: row.description,
  events: row.events,
  enabled: row.enabled,
  off_reason: row.off_reason,
  previous_secret_until: row.sealed_previous === null ? null : (row.previous_until?.toISOString() ?? null),
  delivered_at: row.delivered_at?.toISOString() ?? null,
  failed_at: row.failed_at?.toISOString() ?? null,
  last_problem: row.last_problem,
  waiting: row.waiting,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

type WebhookRequest = Pick<OrganizationRequest<Operation, WebhookParts>, 'read' | 'params'>

const idIn = ({ params }: WebhookRequest): string => params['webhook'] ?? ''
const unknownWebhook = () => new Fault('thing.unknown', { thing: 'webhook' })

async function shownWebhook({ read }: WebhookRequest, id: string): Promise<shapes.Webhook> {
  const row = (await read(listWebhooks)).find((item) => item.id === id)
  if (row === undefined) throw unknownWebhook()
  return toWebhook(row)
}

/** Throws `thing.unknown`, for another organization's too. */
async function lock(sql: OrgSql, id: string): Promise<WebhookRow> {
  const webhook = await lockWebhook(sql, id)
  if (webhook === undefined) throw unknownWebhook()
  return webhook
}

/**
 * Where messages may go: by https, and to private networks only where a platform administrator says so, as with connections. Throws
 * `url.malformed` and `private.forbidden`.
 */
function reachOf(role: Role, url: string, requested: boolean | undefined, before: boolean): boolean {
  const named = namesPrivate(url)
  const reach = requested ?? (before || named)
  if (reach && !before && role !== 'platform_admin') throw new Fault('private.forbidden')
  if (named && !reach) throw new Fault('private.forbidden')
  if (!reach && !url.startsWith('https://'))
    throw new Fault('url.malformed', { problem: 'does not start with https://' })
  return reach
}

const add = serveOrganization(shapes.addWebhook, async (request) => {
  const { change, organization, parts, body, role } = request
  const url = addressIn(body.url)
  const secret = newWebhookSecret()
  const words = {
    url,
    private: reachOf(role, url, body.private, false),
    description: body.description ?? null,
    events: body.events,
    enabled: body.enabled,
  }
  const id = await change(
    (added: WebhookId) => ({
      action: 'webhook.add',
      resource: 'webhook',
      id: added,
      detail: { host: new URL(url).host, events: words.events },
    }),
    async (sql) => {
      if ((await listWebhooks(sql)).length >= MOST) throw new Fault('webhook.limit', { limit: MOST })
      return addWebhook(sql, organization.id, words, (id) => parts.vault.seal(secret, webhookSecretSealContext(id)))
    },
  )
  return { ...(await shownWebhook(request, id)), secret }
})

const change = serveOrganization(shapes.changeWebhook, async (request) => {
  const { body, role } = request
  const id = idIn(request)
  await request.change(
    () => ({ action: 'webhook.change', resource: 'webhook', id, detail: { fields: Object.keys(body) } }),
    async (sql) => {
      const current = await lock(sql, id)
      const url = body.url === undefined ? current.url : addressIn(body.url)
      const stays = current.private && new URL(url).origin === new URL(current.url).origin
      await changeWebhook(sql, current, {
        url,
        private: reachOf(role, url, body.private, stays),
        description: body.description === undefined ? current.description : body.description,
        events: body.events ?? current.events,
        enabled: body.enabled ?? current.enabled,
      })
    },
  )
  return shownWebhook(request, id)
})

const remove = serveOrganization(shapes.removeWebhook, async (request) => {
  const id = idIn(request)
  await request.change(
    () => ({ action: 'webhook.remove', resource: 'webhook', id }),
    async (sql) => {
      if (!(await removeWebhook(sql, id))) throw unknownWebhook()
    },
  )
  return undefined
})

const test = serveOrganization(shapes.testWebhook, async (request) => {
  const { read, parts, organization, signal } = request
  const id = idIn(request)
  const row = (await read(listWebhooks)).find((item) => item.id === id)
  if (row === undefined) throw unknownWebhook()
  const timestamp = new Date().toISOString()
  const payload = { type: 'webhook.test', timestamp, data: { organization_id: organization.id } }
  const { status, problem } = await parts.sendWebhook({ ...row, webhookId: row.id, id: newId('msg'), payload }, signal)
  const delivered = problem === undefined
  await request.change(
    () => ({
      action: 'webhook.test',
      resource: 'webhook',
      id,
      outcome: delivered ? ('ok' as const) : ('failed' as const),
      detail: { status: status ?? null },
    }),
    () => Promise.resolve(),
  )
  return { delivered, status: status ?? null, problem: problem ?? null }
})

const rotate = serveOrganization(shapes.rotateWebhookSecret, async (request) => {
  const { vault } = request.parts
  const id = idIn(request)
  const secret = newWebhookSecret()
  await request.change(
    () => ({ action: 'webhook.rotate', resource: 'webhook', id }),
    async (sql) => {
      const current = await lock(sql, id)
      const before = vault.open(current.sealed_secret, webhookSecretSealContext(current.id))
      await rotateSecret(sql, current.id, {
        next: vault.seal(secret, webhookSecretSealContext(current.id)),
        previous: vault.seal(before, previousWebhookSecretSealContext(current.id)),
        hours: OVERLAP,
      })
    },
  )
  return { ...(await shownWebhook(request, id)), secret }
})

export const webhookOperations: readonly Served<WebhookParts>[] = [
  serveOrganization(shapes.listWebhooks, async ({ read }) => ({ items: eachOf(await read(listWebhooks), toWebhook) })),
  add,
  change,
  remove,
  test,
  rotate,
]
