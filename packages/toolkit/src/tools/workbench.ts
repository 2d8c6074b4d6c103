/** `workbench_upload` and `workbench_download`: files between this machine and a remote workbench (ledger S4-TK-06 to S4-TK-10). */
import { z } from 'zod'
import type { Connected } from '../workbench/connect.ts'
import { tool, type Tool } from './tool.ts'

/** Made by the first call, so that a toolkit without a workbench needs none of it. */
export type Connect = () => Promise<Connected>

const LocalPath = z
  .string()
  .min(1)
  .describe('On this machine: relative to the workspace of the session, or absolute within it.')
const RemotePath = z.string().min(1).describe('On the workbench: absolute, below /home/user.')
const SessionId = z
  .string()
  .max(200)
  .regex(/^\w[\w.:-]*$/, 'is not a Composio session')
  .optional()
  .describe('An existing Composio session, such as trs_…. If omitted, this toolkit’s session is used.')

const Transferred = z.strictObject({
  local_path: z.string().describe('Absolute.'),
  remote_path: z.string(),
  size: z.int().describe('Bytes.'),
  sha256: z.string().describe('Hexadecimal.'),
  resumed_at: z.int().describe('Bytes that were already there from an earlier call that was interrupted.'),
  session_id: z.string().nullable(),
})

export function createWorkbenchTools(connect: Connect): readonly Tool[] {
  const upload = tool({
    name: 'workbench_upload',
    title: 'Upload to workbench',
    description:
      'Copies a file from this machine to the remote workbench, in parts, and creates the folders that it needs. Size and hash are checked on the workbench before success is reported. After a failure, repeating the call continues where it stopped.',
    input: z.strictObject({ local_path: LocalPath, remote_path: RemotePath, session_id: SessionId }),
    output: Transferred,
    examples: [{ local_path: 'work_products/report.html', remote_path: '/home/user/report.html' }],
    readOnly: false,
    destructive: true,
    idempotent: true,
    openWorld: true,
    failure: 'Error',
    async run(
      { local_path: localPath, remote_path: remotePath, session_id: sessionId },
      { workspace, signal, progress },
    ) {
      const { bridge } = await connect()
      const done = await bridge.upload({ workspace, localPath, remotePath, sessionId, signal, progress })
      return { text: `Successfully uploaded ${done.localPath} to ${done.remotePath}.`, structured: shownTransfer(done) }
    },
  })

  const download = tool({
    name: 'workbench_download',
    title: 'Download from workbench',
    description:
      'Copies a file from the remote workbench to this machine, either completely or not at all. Size and hash are compared with those on the workbench. After a failure, repeating the call continues where it stopped.',
    input: z.strictObject({ remote_path: RemotePath, local_path: LocalPath, session_id: SessionId }),
    output: Transferred.extend({
      verified: z.boolean().describe('False if the workbench did not report size and hash.'),
    }),
    examples: [{ remote_path: '/home/user/output.csv', local_path: 'downloads/output.csv' }],
    readOnly: false,
    destructive: true,
    idempotent: true,
    openWorld: true,
    failure: 'Error',
    async run(
      { local_path: localPath, remote_path: remotePath, session_id: sessionId },
      { workspace, signal, progress },
    ) {
      const { bridge } = await connect()
      const done = await bridge.download({ workspace, localPath, remotePath, sessionId, signal, progress })
      return {
        text: `Successfully downloaded ${done.remotePath} to ${done.localPath}. Local path: ${done.localPath}`,
        structured: { ...shownTransfer(done), verified: done.verified },
      }
    },
  })
  return [upload, download]
}

interface Done {
  readonly localPath: string
  readonly remotePath: string
  readonly size: number
  readonly sha256: string
  readonly resumedAt: number
  readonly sessionId: string | undefined
}

const shownTransfer = ({ localPath, remotePath, size, sha256, resumedAt, sessionId }: Done) => ({
  local_path: localPath,
  remote_path: remotePath,
  size,
  sha256,
  resumed_at: resumedAt,
  session_id: sessionId ?? null,
})
