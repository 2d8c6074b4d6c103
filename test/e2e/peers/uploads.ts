/** Sends content to the file plane of a gateway as a client does: by the tool `upload_file` and its address. */
import { createHash } from 'node:crypto'
import { callTool, type RawPeer } from './clients/raw-client.ts'

export const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Returns the reference. */
export async function uploadFile(peer: RawPeer, name: string, mediaType: string, bytes: Uint8Array): Promise<string> {
  const given = { name, media_type: mediaType, size: bytes.length, sha256: hashOf(bytes) }
  const { answer } = await callTool(peer, 'upload_file', given)
  const made = answer.result?.['structuredContent'] as { file: string; upload: { url: string } } | undefined
  if (made === undefined) throw new Error(JSON.stringify(answer))
  const sent = await fetch(made.upload.url, {
    method: 'PATCH',
    headers: { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: Buffer.from(bytes),
  })
  if (sent.status !== 204) throw new Error(`${sent.status}: ${await sent.text()}`)
  return made.file
}
