/**
 * Composio's REST interface, version 3.1 (https://docs.composio.dev, `/api/v3.1`): tools of a session of the tool router, tools of a user,
 * and requests for uploads. A tool's failure is answered with 200 and an error, a failure of the platform with another status.
 */
import { z } from 'zod'
import { RemoteFailure } from '../remote-failure.ts'
import type { Doing } from '../workbench.ts'
import { askJson, type Remote } from './http.ts'
import { dataOf } from './normal-form.ts'
import type { RemoteTools } from './remote-tools.ts'
import type { SessionMemory } from './session-memory.ts'

export const COMPOSIO_URL = 'https://backend.composio.dev'
const VERSION = '/api/v3.1'
const MEGABYTE = 1024 * 1024

/** Tools of a session itself, which have an endpoint of their own. */
const META = new Set([
  'COMPOSIO_GET_TOOL_SCHEMAS',
  'COMPOSIO_SEARCH_TOOLS',
  'COMPOSIO_MULTI_EXECUTE_TOOL',
  'COMPOSIO_MANAGE_CONNECTIONS',
  'COMPOSIO_WAIT_FOR_CONNECTIONS',
  'COMPOSIO_REMOTE_WORKBENCH',
  'COMPOSIO_REMOTE_BASH_TOOL',
])

const Session = z.object({ session_id: z.string().min(1) })
const Metadata = z.object({ storage_backend: z.string().optional() }).optional()
/** Version 3.1 describes `new` only; the older one has files that are there already, and files that are replaced. */
const UploadTarget = z
  .object({
    id: z.string(),
    key: z.string().min(1),
    type: z.enum(['new', 'existing', 'update']).optional(),
    new_presigned_url: z.string().optional(),
    newPresignedUrl: z.string().optional(),
    update_presigned_url: z.string().optional(),
    existing_url: z.string().optional(),
    metadata: Metadata,
  })
  .transform((input) => ({
    key: input.key,
    /** Undefined: the storage has these bytes already. */
    putAt:
      input.type === 'existing'
        ? undefined
        : (input.new_presigned_url ?? input.newPresignedUrl ?? input.update_presigned_url),
    isThere: input.type === 'existing',
    existingUrl: input.existing_url,
    isAzure: input.metadata?.storage_backend === 'azure_blob_storage',
  }))
export type UploadTarget = z.output<typeof UploadTarget>

export interface NewUpload {
  readonly toolkit_slug: string
  readonly tool_slug: string
  readonly filename: string
  readonly mimetype: string
  readonly md5: string
}

export interface ComposioRestParts {
  readonly key: string
  readonly url: string
  readonly memory: SessionMemory
}

export class ComposioRest implements RemoteTools {
  /** Small enough for little memory: a part is in memory as bytes, base64, script and request. */
  readonly parts = { write: MEGABYTE, read: MEGABYTE }
  readonly #parts: ComposioRestParts
  readonly #remote: Remote

  constructor(parts: ComposioRestParts) {
    this.#parts = parts
    const { key } = parts
    this.#remote = { name: 'Composio', headers: { 'x-api-key': key }, secret: key, keyVariable: 'COMPOSIO_API_KEY' }
  }

  async openSession(user: string | undefined, { signal }: Doing): Promise<string> {
    if (user === undefined)
      throw new RemoteFailure('No Composio user is specified: set DEFAULT_USER_ID, or give a session_id.')
    const known = await this.#parts.memory.find(this.#nameOf(user))
    if (known !== undefined) return known
    const parsed = Session.safeParse(await this.#post('/tool_router/session', { user_id: user }, signal))
    if (!parsed.success) throw new RemoteFailure('Composio did not open a session: its response has no session_id.')
    await this.#parts.memory.keep(this.#nameOf(user), parsed.data.session_id)
    return parsed.data.session_id
  }

  async forgetSession(user: string | undefined, session: string): Promise<void> {
    if (user !== undefined) await this.#parts.memory.forget(this.#nameOf(user), session)
  }

  async call(
    slug: string,
    input: Readonly<Record<string, unknown>>,
    { user, session, signal }: Parameters<RemoteTools['call']>[2],
  ): Promise<unknown> {
    const at = session === undefined ? undefined : `/tool_router/session/${encodeURIComponent(session)}`
    if (at !== undefined && META.has(slug))
      return dataOf(await this.#post(`${at}/execute_meta`, { slug, arguments: input }, signal, true), slug)
    if (at !== undefined)
      return dataOf(await this.#post(`${at}/execute`, { tool_slug: slug, arguments: input }, signal, true), slug)
    if (user === undefined) throw new RemoteFailure('No Composio user is specified: set DEFAULT_USER_ID.')
    const body = { user_id: user, arguments: input }
    return dataOf(await this.#post(`/tools/execute/${encodeURIComponent(slug)}`, body, signal), slug)
  }

  async requestUpload(upload: NewUpload, { signal }: Doing): Promise<UploadTarget> {
    const target = UploadTarget.safeParse(await this.#post('/files/upload/request', upload, signal))
    if (!target.success) throw new RemoteFailure('Composio returned no address for the upload.')
    return target.data
  }

  #post(path: string, body: unknown, signal: AbortSignal, inSession = false): Promise<unknown> {
    const url = `${this.#parts.url.replace(/\/+$/, '')}${VERSION}${path}`
    return askJson(this.#remote, { method: 'POST', url, body, signal, inSession })
  }

  #nameOf(user: string): string[] {
    return [this.#parts.url, this.#parts.key, user]
  }
}
