/** `upload_file` and `download_file`: files of this machine as references of a gateway, `toolway://files/…`. */
import { z } from 'zod'
import { tool, type Tool } from './tool.ts'
import type { Connect } from './workbench.ts'

const LocalPath = z.string().min(1).describe('Relative to the workspace of the session, or absolute within it.')
const Reference = z.string().describe('The reference, toolway://files/….')

const Stored = z.strictObject({
  uri: Reference,
  local_path: z.string().describe('Absolute.'),
  name: z.string(),
  media_type: z.string(),
  size: z.int().describe('Bytes.'),
  sha256: z.string().describe('Hexadecimal.'),
  expires_at: z.string(),
})

export function createGatewayFileTools(connect: Connect): readonly Tool[] {
  const upload = tool({
    name: 'upload_file',
    title: 'Upload file to gateway',
    description:
      'Uploads a file from this machine to the gateway and returns a reference to it, which the gateway’s tools accept in place of a file. The content does not pass through the model.',
    input: z.strictObject({
      path: LocalPath,
      media_type: z.string().max(255).optional().describe('If omitted, the file name extension determines it.'),
      expires_in: z.int().min(60).optional().describe('Seconds after which the gateway removes the file.'),
    }),
    output: Stored,
    examples: [{ path: 'work_products/report.pdf' }],
    readOnly: false,
    destructive: false,
    idempotent: false,
    openWorld: true,
    failure: 'Error uploading file',
    async run({ path, media_type: input, expires_in: expiresIn }, { workspace, signal, progress }) {
      const [connected, { mediaTypeOf }] = await Promise.all([connect(), import('../workbench/media-types.ts')])
      await using file = await workspace.open(path)
      const mediaType = input ?? mediaTypeOf(file.path)
      const stored = await connected.filePlane().upload(file, { mediaType, expiresIn }, { signal, progress })
      return {
        text: `Successfully uploaded ${file.path} to ${stored.uri}.`,
        structured: shownFile(stored, file.path),
      }
    },
  })

  const download = tool({
    name: 'download_file',
    title: 'Download file from gateway',
    description:
      'Downloads a file from the gateway to this machine by its reference, either completely or not at all. The content does not pass through the model.',
    input: z.strictObject({ uri: Reference, local_path: LocalPath }),
    output: Stored,
    examples: [{ uri: 'toolway://files/file_01k0000000000000000000000a', local_path: 'downloads/report.pdf' }],
    readOnly: false,
    destructive: true,
    idempotent: true,
    openWorld: true,
    failure: 'Error downloading file',
    async run({ uri, local_path: local }, { workspace, signal, progress }) {
      const connected = await connect()
      const stored = await connected.filePlane().download(uri, { workspace, local }, { signal, progress })
      return {
        text: `Successfully downloaded ${uri} to ${stored.path}. Local path: ${stored.path}`,
        structured: shownFile(stored, stored.path),
      }
    },
  })
  return [upload, download]
}

interface Kept {
  readonly uri: string
  readonly name: string
  readonly media_type: string
  readonly size: number
  readonly sha256: string
  readonly expires_at: string
}

const shownFile = ({ uri, name, media_type, size, sha256, expires_at }: Kept, local_path: string) => ({
  ...{ uri, local_path, name, media_type, size, sha256, expires_at },
})
