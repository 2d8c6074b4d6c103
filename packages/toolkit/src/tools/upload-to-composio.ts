/** `upload_to_composio`: puts a file into Composio's storage and gives the key that tools take as an attachment (ledger S4-TK-11). */
import { z } from 'zod'
import { tool, type Tool } from './tool.ts'
import type { Connect } from './workbench.ts'

const Slug = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/)

export const createUploadToComposio = (connect: Connect): Tool =>
  tool({
    name: 'upload_to_composio',
    title: 'Upload to Composio',
    description:
      'Uploads a file from this machine to Composio’s storage. Pass the s3_key from the response to a tool that accepts a file, such as the attachment of GMAIL_SEND_EMAIL: { name, mimetype, s3key }.',
    input: z.strictObject({
      path: z.string().min(1).describe('Relative to the workspace of the session, or absolute within it.'),
      mime_type: z
        .string()
        .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w-]+=[\w.-]+)*$/)
        .max(255)
        .optional()
        .describe('If omitted, the file name extension determines it.'),
      toolkit: Slug.default('gmail').describe('The toolkit whose tool will receive the file.'),
      tool: Slug.default('GMAIL_SEND_EMAIL').describe('The tool that will receive the file.'),
    }),
    output: z.strictObject({
      s3_key: z.string().describe('For the argument of a tool.'),
      s3_url: z.string().nullable().describe('Where the file is stored; it cannot be opened without a signature.'),
      local_path: z.string().describe('Absolute.'),
      s3key: z.string().describe('The same as s3_key.'),
      mimetype: z.string(),
      remote_path: z.string().describe('The path in the storage, which is the key.'),
      name: z.string(),
      size: z.int().describe('Bytes.'),
    }),
    examples: [
      { path: 'work_products/report.pdf' },
      { path: 'notes.txt', toolkit: 'slack', tool: 'SLACK_UPLOAD_FILE' },
    ],
    readOnly: false,
    destructive: false,
    idempotent: true,
    openWorld: true,
    failure: 'Error uploading to Composio',
    async run({ path, mime_type: mediaType, toolkit, tool: slug }, { workspace, signal, progress }) {
      const [connected, { uploadToComposio }] = await Promise.all([
        connect(),
        import('../workbench/composio-upload.ts'),
      ])
      await using file = await workspace.open(path)
      const { key, url, mimetype, name } = await uploadToComposio(
        connected,
        { file, mediaType, toolkit, tool: slug },
        { signal, progress },
      )
      const structured = {
        s3_key: key,
        s3_url: url ?? null,
        local_path: file.path,
        s3key: key,
        mimetype,
        remote_path: key,
        name,
        size: file.size,
      }
      return { text: JSON.stringify(structured), structured }
    },
  })
