/**
 * Files to and from Composio's tools. An input that its schema marks `file_uploadable` takes a stored file: the content goes to
 * Composio's storage (`POST /files/upload/request`, then a PUT to the signed address) and the tool is sent `{name, mimetype, s3key}`.
 * An output with an `s3url` becomes a stored file of the caller, so that no signed address reaches a model.
 */
import { createHash } from 'node:crypto'
import { Fault } from '@toolway/contract'
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { filePlacesOf, replaceAt } from '../../lib/file-places.ts'
import { linkTo, type CallerFiles, type FileFacts } from '../caller-files.ts'
import type { Ask } from '../upstream.ts'
import type { ComposioApi } from './composio-api.ts'
import type { ComposioTool } from './composio-tools.ts'
import { normalFormOf, resultOf } from './normal-form.ts'
import type { SignedTransfer } from './signed-transfer.ts'

export const UPLOAD_FILE = 'COMPOSIO_UPLOAD_FILE'
const FILES = 'toolway://files/'
/** Files of one result. */
const MOST_FILES = 20
const DEEPEST = 12

/** The tool by which a program on the user's machine brings a stored file to Composio for a tool that it calls there. */
export const UPLOAD_TOOL: ComposioTool = {
  ...{ slug: UPLOAD_FILE, toolkit: 'composio', needsAccount: false, isSessionTool: false },
  definition: {
    name: UPLOAD_FILE,
    title: 'Upload a file to Composio',
    description:
      'Uploads a stored file to Composio’s storage for one of its tools. Returns {s3key, mimetype, name}, which the tool accepts as its file. Tools of this connection accept toolway://files/… directly.',
    inputSchema: {
      type: 'object',
      properties: {
        file: {
          type: 'string',
          pattern: '^toolway://files/file_',
          description: 'toolway://files/…',
          'x-toolway-file': true,
        },
        toolkit_slug: { type: 'string', minLength: 1, description: 'e.g. gmail' },
        tool_slug: { type: 'string', minLength: 1, description: 'e.g. GMAIL_SEND_EMAIL' },
        media_type: { type: 'string', description: 'If it differs from the file’s own type, e.g. application/pdf' },
      },
      required: ['file', 'toolkit_slug', 'tool_slug'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  },
}

export interface ComposioFiles {
  /** Carries out `COMPOSIO_UPLOAD_FILE`. Throws `file.*`, `upstream.*` and `connector.*`. */
  upload(request: Ask): Promise<JsonObject>
  /** The call with its files at Composio, in the form that its tools take. Throws as `upload` does. */
  send(tool: ComposioTool, request: Ask): Promise<Ask>
  /** The result with the files that it points to stored for the caller. */
  take(result: JsonObject, request: Ask): Promise<JsonObject>
}

export function createComposioFiles(api: ComposioApi, transfer: SignedTransfer): ComposioFiles {
  async function uploadFile(uri: string, of: UploadedFor, { files, signal, correlationId }: Ask): Promise<JsonObject> {
    if (files === undefined) throw new Fault('file.off')
    const file = await files.find(uri)
    const mimetype = of.mediaType ?? file.mediaType
    const body = {
      ...{ toolkit_slug: of.toolkit, tool_slug: of.tool, filename: file.name, mimetype },
      md5: await md5Of(await files.open(uri)),
    }
    const value = await api.upload(of.tool, body, { signal, correlationId })
    const { key, new_presigned_url: address, metadata, type } = value
    const reference = { name: file.name, mimetype, s3key: String(key) }
    // The storage has this content already.
    if (typeof key === 'string' && type === 'existing') return reference
    if (typeof key !== 'string' || typeof address !== 'string')
      throw new Fault('connector.failed', { vendor: 'Composio', tool: of.tool, problem: 'it does not accept a file' })
    const azure = isObject(metadata) && metadata['storage_backend'] === 'azure_blob_storage'
    await transfer.put(address, {
      ...{ content: await files.open(uri), size: file.size, signal },
      headers: { 'content-type': mimetype, ...(azure ? { 'x-ms-blob-type': 'BlockBlob' } : {}) },
    })
    return reference
  }

  async function fetch(input: Downloadable, put: Put, signal: AbortSignal): Promise<FileFacts> {
    const { content, mediaType, size, close } = await transfer.get(input.s3url, signal)
    const own = { name: input.name, mediaType: input.mimetype ?? mediaType ?? 'application/octet-stream', size }
    try {
      return await put(own, content)
    } finally {
      // A store that takes no more reads nothing of it.
      await close()
    }
  }

  return {
    async upload(request) {
      const { file, toolkit_slug: toolkit, tool_slug: tool, media_type: mediaType } = argumentsOf(request)
      const of = {
        toolkit: String(toolkit),
        tool: String(tool),
        mediaType: typeof mediaType === 'string' ? mediaType : undefined,
      }
      const value = await uploadFile(String(file), of, request)
      return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
    },
    async send(tool, request) {
      const places = filePlacesOf(tool.definition['inputSchema'])
      if (places === undefined) return request
      const of = { toolkit: tool.toolkit || toolkitOf(tool.slug), tool: tool.slug, mediaType: undefined }
      const sent = await replaceAt(argumentsOf(request), places, async (value) =>
        typeof value === 'string' && value.startsWith(FILES) ? uploadFile(value, of, request) : value,
      )
      return { ...request, params: { ...request.params, arguments: sent } }
    },
    async take(result, request) {
      const form = normalFormOf(result['structuredContent'])
      if (form === undefined || request.files === undefined || !pointsToFiles(form.data)) return result
      const { put } = request.files
      const taken: FileFacts[] = []
      let tried = 0
      const data = await withFiles(form.data, async (input) => {
        // The address would give what a rule takes out of the result.
        if (put === undefined) return 'A rule removes members of this result, so its files are not provided.'
        if (tried++ >= MOST_FILES) return `Only ${MOST_FILES} files of a result are stored.`
        try {
          const file = await fetch(input, put, request.signal)
          taken.push(file)
          return file
        } catch (thrown) {
          return Fault.of(thrown).message
        }
      })
      const made = resultOf({ ...form, data })
      return { ...made, content: [...(made['content'] as Json[]), ...taken.map(linkTo)] }
    },
  }
}

type Put = NonNullable<CallerFiles['put']>

interface UploadedFor {
  readonly toolkit: string
  readonly tool: string
  readonly mediaType: string | undefined
}

interface Downloadable {
  readonly name: string
  readonly mimetype: string | undefined
  readonly s3url: string
}

const argumentsOf = ({ params }: Ask): JsonObject => (isObject(params['arguments']) ? params['arguments'] : {})

/** GMAIL_SEND_EMAIL is of gmail. */
const toolkitOf = (slug: string): string => slug.split('_', 1)[0]?.toLowerCase() ?? ''

async function md5Of(content: Awaited<ReturnType<CallerFiles['open']>>): Promise<string> {
  const hash = createHash('md5')
  for await (const chunk of content) hash.update(chunk)
  return hash.digest('hex')
}

/** An output that the schema calls `file_downloadable`. */
function downloadableOf(value: JsonObject): Downloadable | undefined {
  const { s3url, mimetype, name } = value
  if (typeof s3url !== 'string') return undefined
  const last = URL.parse(s3url)?.pathname.split('/').at(-1) ?? ''
  return {
    s3url,
    name: typeof name === 'string' && name !== '' ? name : decodedOrSame(last) || 'file',
    mimetype: typeof mimetype === 'string' ? mimetype : undefined,
  }
}

function decodedOrSame(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const pointsToFiles = (value: Json, depth = 0): boolean => {
  if (depth > DEEPEST) return false
  if (Array.isArray(value)) return value.some((item) => pointsToFiles(item, depth + 1))
  if (!isObject(value)) return false
  return downloadableOf(value) !== undefined || Object.values(value).some((item) => pointsToFiles(item, depth + 1))
}

/** The data with files in the place of signed addresses, or with why there is none: the address itself is given to nobody. */
async function withFiles(
  value: Json,
  fetch: (input: Downloadable) => Promise<FileFacts | string>,
  depth = 0,
): Promise<Json> {
  if (depth > DEEPEST) return value
  if (Array.isArray(value)) {
    const items: Json[] = []
    for (const item of value) items.push(await withFiles(item, fetch, depth + 1))
    return items
  }
  if (!isObject(value)) return value
  const downloadable = downloadableOf(value)
  if (downloadable !== undefined) {
    const file = await fetch(downloadable)
    const { s3url: _, ...rest } = value
    if (typeof file === 'string') return { ...rest, file: null, problem: file }
    return { ...rest, name: file.name, mimetype: file.mediaType, size: file.size, file: file.uri }
  }
  const members: JsonObject = {}
  for (const [name, item] of Object.entries(value)) members[name] = await withFiles(item, fetch, depth + 1)
  return members
}
