/**
 * Calls of the gateway's own tools for files. They are operations of the administration with the rights of the caller, so that an
 * address is made, limited and recorded in one way.
 */
import { Fault } from '@toolway/contract'
import { adaptResult, isObject, type JsonObject } from '@toolway/protocol'
import { downloadTool, uploadTool } from '../../catalog/file-tools.ts'
import { FILE_URI, isFileId, uriOfFile } from '../../snapshot/ports/file-store.ts'
import { schemaRead } from '../../lib/json-schema/schemas-read.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { CallParts } from '../call-parts.ts'
import type { ClientRequest } from '../request.ts'
import { sentenceOf } from '../steps/argument-schema.ts'

type FileTool = 'upload' | 'download'

/** The tool for files that a name means at the endpoint. */
export function fileToolOf({ requestContext: { toolListing } }: ClientRequest, name: string): FileTool | undefined {
  const { upload, download } = toolListing.fileTools
  if (name === upload) return 'upload'
  return name === download ? 'download' : undefined
}

/** Throws `arguments.invalid` and `file.*`. */
export async function callFileTool(request: ClientRequest, parts: CallParts, tool: FileTool): Promise<Answer> {
  const { mcpRequest } = request
  const given = isObject(mcpRequest.params['arguments']) ? mcpRequest.params['arguments'] : {}
  check(tool, String(mcpRequest.params['name']), given)
  const structured = await (tool === 'upload' ? upload(request, parts, given) : download(request, parts, given))
  const result: JsonObject = {
    content: [{ type: 'text', text: JSON.stringify(structured) }],
    structuredContent: structured,
  }
  const { revision } = mcpRequest.caller
  return { result: adaptResult('tools/call', result, { from: revision, to: revision }) }
}

const SCHEMAS = { upload: uploadTool('')['inputSchema'], download: downloadTool('')['inputSchema'] } as Readonly<
  Record<FileTool, JsonObject>
>

function check(tool: FileTool, name: string, value: JsonObject): void {
  const { problems, count } = schemaRead(SCHEMAS[tool]).check(value)
  if (count === 0) return
  const facts = { tool: name, problems: sentenceOf(problems, count) }
  throw new Fault('arguments.invalid', facts, { data: { errors: problems } })
}

async function upload(request: ClientRequest, parts: CallParts, value: JsonObject): Promise<JsonObject> {
  const made = await operate(request, parts, 'addFile', value)
  request.audit.note({ madeFiles: [declared(made, value)] })
  return { file: made['uri'] ?? null, upload: made['upload'] ?? null }
}

async function download(request: ClientRequest, parts: CallParts, value: JsonObject): Promise<JsonObject> {
  const text = String(value['file'])
  const id = text.startsWith(FILE_URI) ? text.slice(FILE_URI.length) : text
  if (!isFileId(id)) throw new Fault('file.unknown', { file: text.slice(0, 100) })
  const link = await operate(request, parts, 'addDownloadLink', { file: id })
  return { file: uriOfFile(id), download: link }
}

async function operate(
  { requestContext, audit, channel }: ClientRequest,
  { operate: run }: CallParts,
  operation: string,
  input: JsonObject,
): Promise<JsonObject> {
  if (run === undefined) throw new Fault('file.off')
  const { principal, organization } = requestContext
  const { correlationId, from } = audit
  const answer = await run({
    operation,
    given: input,
    principal,
    organization,
    correlationId,
    from,
    signal: channel.signal,
  })
  // Through JSON, as it would be sent: moments become texts.
  const value: unknown = JSON.parse(JSON.stringify(answer ?? {}))
  return isObject(value) ? value : {}
}

/** A file whose content is still to come: what the caller says of it. */
const declared = ({ id }: JsonObject, { name, media_type: type, size, sha256 }: JsonObject) => ({
  file: String(id),
  name: String(name),
  media_type: typeof type === 'string' ? type : 'application/octet-stream',
  size: Number(size),
  sha256: typeof sha256 === 'string' ? sha256 : '',
})
