/**
 * Sends the draft to the gateway. A connection that was already created is changed where possible; one of another kind replaces
 * it. Throws a `Problem`.
 */
import {
  addAccountKey,
  addConnection,
  addOpenApi,
  changeConnection,
  getConnection,
  importConnections,
  removeConnection,
  syncTools,
  type Connection,
} from '@toolway/contract/admin'
import { aliasOf } from '@toolway/contract'
import { call } from '../../../data/call.ts'
import { Problem } from '../../../data/problem.ts'
import { authOf, connectorOf, withValues, namesPrivate, nameOf, WAYS, wordsOf, type Draft } from './draft.ts'

/** The owner of the account or key. */
export type Owner = 'organization' | 'member'

export interface Keeping {
  readonly organization: string
  readonly made: Connection | undefined
  readonly draft: Draft
  readonly owner: Owner
  /** Whether who asks may reach private networks. */
  readonly isPlatform: boolean
  /** It is there, and its key is not yet. */
  onPut?(stored: Connection): void
}

export async function keepDraft(keeping: Keeping): Promise<Connection> {
  const { organization, owner } = keeping
  const draft = withValues(keeping.draft)
  const stored = await put(keeping)
  keeping.onPut?.(stored)
  // A contract backend takes its key as a header; an OpenAPI document may say that there is none.
  if (draft.auth === 'api_key' && stored.auth?.kind === 'key' && draft.key !== '')
    await call(addAccountKey, {
      path: { organization, connection: stored.alias },
      // The servers of the other kinds are asked as soon as it is kept (`testOf`).
      body: { key: draft.key.trim(), owner, check: draft.kind === 'native' },
    })
  return stored
}

async function put({ organization, made, draft: typed, isPlatform }: Keeping): Promise<Connection> {
  const draft = withValues(typed)
  const { ofDocument } = WAYS[draft.kind]
  const connector = connectorOf(draft)
  if (made !== undefined) {
    const path = { organization, connection: made.alias }
    if (made.connector === connector && !ofDocument) {
      const { connector: _, ...words } = wordsOf(draft)
      return call(changeConnection, { path, body: words })
    }
    await call(removeConnection, { path })
  }
  if (!ofDocument && draft.tools !== undefined) return addLimited(organization, draft)
  if (!ofDocument) return call(addConnection, { path: { organization }, body: wordsOf(draft) })
  return call(addOpenApi, { path: { organization }, body: openApiWords(draft, isPlatform) })
}

/** With its limit on tools from the first moment, as an import makes it. */
async function addLimited(organization: string, draft: Draft): Promise<Connection> {
  const words = { ...wordsOf(draft), alias: aliasOf(nameOf(draft)) }
  const body = { source: nameOf(draft), connections: [{ ...words, tools: draft.tools }] }
  const { items } = await call(importConnections, { path: { organization }, body })
  return call(getConnection, { path: { organization, connection: items[0]?.alias ?? words.alias } })
}

function sourceOf({ document, archive, url }: Draft) {
  if (archive !== undefined) return { document_zip: archive.base64 }
  return document === '' ? { document_url: url.trim() } : { document }
}

/** Returns the document fields of a request, for the preview and for the creation. */
export const documentOf = (draft: Draft, isPlatform: boolean) => ({
  ...sourceOf(draft),
  ...(draft.base === '' ? {} : { url: draft.base.trim() }),
  ...(isPlatform && namesPrivate(draft) ? { private: true } : {}),
})

const openApiWords = (draft: Draft, isPlatform: boolean) => ({
  ...documentOf(draft, isPlatform),
  ...(nameOf(draft) === '' ? {} : { title: nameOf(draft).slice(0, 100) }),
  ...(draft.tags.length === 0 ? {} : { select: { include: draft.tags.map((tag) => `tag:${tag}`) } }),
  ...(draft.documented && draft.auth !== 'none' ? {} : { auth: authOf(draft) }),
})

/** Asks its server now; the failure says at which step. Throws the reason of a signal that ends the wait. */
export async function testOf(organization: string, connection: string, signal?: AbortSignal) {
  const path = { organization, connection }
  const { failure, tools } = await call(syncTools, { path, signal })
  if (failure === null) return { failure: undefined, tools }
  // The state says the same, and for who looks after the connection what its program said too.
  const { status_reason: reason } = await call(getConnection, { path, signal })
  const message = reason?.startsWith(failure.problem) === true ? reason : failure.problem
  return { failure: new Problem({ ...failure, message, asked: 'testing the connection' }), tools }
}
