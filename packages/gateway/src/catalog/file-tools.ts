/**
 * The gateway's own tools for files, where an endpoint has a tool that takes files or its toolset asks for them: an address to send
 * content to, and one to fetch it from. The content itself passes through no model.
 */
import { reaches, type Limit } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'

/** Their names at one endpoint; undefined where they are not listed. */
export interface FileTools {
  readonly upload: string | undefined
  readonly download: string | undefined
}

/** The first of these that no server's tool is called. */
const UPLOAD_NAMES = ['upload_file', 'toolway_upload_file', 'toolway_upload_stored_file'] as const
const DOWNLOAD_NAMES = ['download_file', 'toolway_download_file', 'toolway_download_stored_file'] as const

const NONE: FileTools = { upload: undefined, download: undefined }

/** `requested`: the toolset's own word; undefined leaves it to the tools, and false hides them. */
export function fileToolsOf(
  tools: ReadonlyMap<string, { readonly target: { readonly filePlaces?: unknown } }>,
  requested: boolean | undefined,
  limit: Limit,
): FileTools {
  const listed = requested ?? Array.from(tools.values()).some(({ target }) => target.filePlaces !== undefined)
  if (!listed) return NONE
  const firstFreeName = (names: readonly string[]) => names.find((name) => !tools.has(name))
  return {
    upload: reaches(limit, 'write') ? firstFreeName(UPLOAD_NAMES) : undefined,
    download: firstFreeName(DOWNLOAD_NAMES),
  }
}

export const fileToolDefinitions = ({ upload, download }: FileTools): JsonObject[] => [
  ...(upload === undefined ? [] : [uploadTool(upload)]),
  ...(download === undefined ? [] : [downloadTool(download)]),
]

const LINK: JsonObject = {
  type: 'object',
  properties: { url: { type: 'string' }, expires_at: { type: 'string' } },
  required: ['url', 'expires_at'],
}

export const uploadTool = (name: string): JsonObject => ({
  name,
  title: 'Upload a file',
  description:
    'Returns a URL to upload the content of a file to, and the reference toolway://files/… that tools accept as a file. Send the bytes with PATCH, Upload-Offset: 0 and Content-Type: application/offset+octet-stream (tus 1.0); no key is needed. The file can be used once all of it has arrived.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 255, description: 'e.g. report.pdf' },
      media_type: { type: 'string', maxLength: 200, description: 'e.g. application/pdf' },
      size: { type: 'integer', minimum: 0, description: 'Bytes' },
      sha256: { type: 'string', pattern: '^[0-9a-fA-F]{64}$', description: 'Of the content, in hexadecimal' },
    },
    required: ['name', 'size'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: { file: { type: 'string' }, upload: LINK },
    required: ['file', 'upload'],
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
})

export const downloadTool = (name: string): JsonObject => ({
  name,
  title: 'Download a file',
  description:
    'Returns a URL for one download of one of your stored files, with GET and without a key. To continue an interrupted download, get another URL and use Range.',
  inputSchema: {
    type: 'object',
    properties: {
      file: { type: 'string', pattern: '^(toolway://files/)?file_[0-9a-z]{26}$', description: 'toolway://files/…' },
    },
    required: ['file'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: { file: { type: 'string' }, download: LINK },
    required: ['file', 'download'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
})
