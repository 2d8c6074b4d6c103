/**
 * Files of a mail for Microsoft Graph. A small one stands in the JSON of a request; a large one goes to an upload session of a draft, in
 * parts. https://learn.microsoft.com/en-us/graph/outlook-large-attachments
 */
import {
  base64TextOf,
  get,
  rangeOf,
  refusal,
  rest,
  signed,
  type Content,
  type GivenFile,
  type Json,
  type Piece,
  type Run,
} from '../kit/index.ts'
import { graphFacts } from '../microsoft/graph.ts'

/** Bytes of all files of one mail: what Exchange Online accepts, unless an administrator allows more. */
export const MOST_ATTACHED = 35_000_000
/** Bytes of files in one request, whose JSON has at most 4 MB. From here on, an upload session takes a file. */
const MOST_INLINE = 3_000_000
/** Bytes of one part: below 4 MB, a multiple of 320 KiB. */
const PART = 12 * 320 * 1024

const { ask } = rest({ ...graphFacts, headers: { prefer: 'IdType="ImmutableId"' } })

/** Whether they may stand in the request that makes the mail. */
export const isSmall = (files: readonly GivenFile[]): boolean =>
  files.reduce((sum, file) => sum + file.size, 0) <= MOST_INLINE

const attachmentPieces = (file: GivenFile): readonly Piece[] => [
  JSON.stringify({ '@odata.type': '#microsoft.graph.fileAttachment', name: file.name, contentType: file.type }).replace(
    /\}$/,
    ',"contentBytes":"',
  ),
  base64TextOf(file),
  '"}',
]

/** A message with its files as JSON, within `around`. */
export function withFiles(message: Json, files: readonly GivenFile[], around: readonly [string, string]): Content {
  const attachments = files.flatMap((file, index) => [index === 0 ? '' : ',', ...attachmentPieces(file)])
  const head = JSON.stringify(message).replace(/\}$/, ',"attachments":[')
  return { type: 'application/json', pieces: [around[0] + head, ...attachments, `]}${around[1]}`] }
}

/** Adds the files to a draft, one after the other. */
export function* attach(draft: unknown, files: readonly GivenFile[]): Run<string> {
  const message_id = get(draft, 'id')
  if (typeof message_id !== 'string') throw refusal('EXECUTION_ERROR', 'Outlook returned no identifier of the draft.')
  for (const file of files) {
    if (file.size > MOST_INLINE) yield* upload(message_id, file)
    else {
      const content: Content = { type: 'application/json', pieces: attachmentPieces(file) }
      yield* ask('POST /me/messages/{message_id}/attachments', { message_id }, { content })
    }
  }
  return message_id
}

function* upload(message_id: string, file: GivenFile): Run<void> {
  const session = yield* ask('POST /me/messages/{message_id}/attachments/createUploadSession', {
    message_id,
    AttachmentItem: { attachmentType: 'file', name: file.name, size: file.size, contentType: file.type },
  })
  const refuse = (problem: string) =>
    refusal('EXECUTION_ERROR', `${file.name} was not attached: ${problem}. The draft was not sent.`)
  const address = get(session.body, 'uploadUrl')
  if (typeof address !== 'string') throw refuse('Outlook returned no URL for it')
  for (let from = 0; from < file.size; from += PART) {
    const to = Math.min(from + PART, file.size)
    const headers = { 'content-range': `bytes ${from}-${to - 1}/${file.size}` }
    const content: Content = { type: 'application/octet-stream', pieces: [rangeOf(file, from, to)] }
    yield* signed({ address, of: session, method: 'PUT', headers, content }, refuse)
  }
}
