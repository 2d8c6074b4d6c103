/**
 * Composio's workbench (ledger S4-TK-07, S4-TK-09): scripts run by COMPOSIO_REMOTE_WORKBENCH in the sandbox of a session, small files read
 * by CODEINTERPRETER_GET_FILE_CMD, whose answer is the content, an address of it, or a file that an SDK has put on this machine.
 */
import { z } from 'zod'
import { REMOTE_HOME, type RemotePath } from '../files/paths.ts'
import { readDownloaded } from './downloaded-file.ts'
import { RemoteFailure } from './remote-failure.ts'
import type { FilePlane } from './file-plane.ts'
import type { Presigned } from './remote/presigned.ts'
import type { RemoteTools } from './remote/remote-tools.ts'
import { createScriptWorkbench } from './script-workbench.ts'
import type { Doing, WholeFile, Workbench, WorkbenchClient } from './workbench.ts'

const RUN = 'COMPOSIO_REMOTE_WORKBENCH'
const GET_FILE = 'CODEINTERPRETER_GET_FILE_CMD'

const Address = z.object({
  uri: z.string().optional(),
  s3url: z.string().optional(),
  s3_url: z.string().optional(),
  url: z.string().optional(),
  /** A gateway's answer in place of an address: the file that it stored, or why it did not. */
  file: z.string().nullable().optional(),
  problem: z.string().optional(),
  file_downloaded: z.boolean().optional(),
})
const GotFile = z.object({
  content: z.string().optional(),
  encoding: z.string().optional(),
  file: z.union([Address, z.string()]).optional(),
})

export interface ComposioWorkbenchParts {
  readonly tools: RemoteTools
  readonly presigned: Presigned
  /** The files of the gateway. Throws a `Refusal` where none is set. */
  filePlane(): Pick<FilePlane, 'read'>
}

export const createComposioWorkbenches = ({ tools, ...sources }: ComposioWorkbenchParts): WorkbenchClient => ({
  async open(user, named, doing): Promise<Workbench> {
    const session = named ?? (await tools.openSession(user, doing))
    const call = (slug: string, input: Readonly<Record<string, unknown>>, { signal }: Doing) =>
      tools.call(slug, input, { user, session, signal })
    return createScriptWorkbench({
      session,
      parts: tools.parts,
      language: 'python',
      home: REMOTE_HOME,
      run: (script, run) =>
        call(RUN, { code_to_execute: script, ...(session === undefined ? {} : { session_id: session }) }, run),
      fetchWhole: async (path, fetching) =>
        wholeOf(path, await call(GET_FILE, { file_path: path }, fetching), sources, fetching),
    })
  },
  forget: (user, session) => tools.forgetSession(user, session),
})

type Sources = Omit<ComposioWorkbenchParts, 'tools'>

async function wholeOf(
  path: RemotePath,
  data: unknown,
  { presigned, filePlane }: Sources,
  doing: Doing,
): Promise<WholeFile> {
  const got = GotFile.safeParse(data)
  const { content, encoding, file } = got.data ?? {}
  if (content !== undefined) return { kind: 'content', candidates: readingsOf(content, encoding) }
  const address = typeof file === 'string' ? { uri: file } : file
  if (typeof address?.file === 'string') return { kind: 'stream', bytes: filePlane().read(address.file, doing) }
  if (address?.problem !== undefined)
    throw new RemoteFailure(`The gateway did not provide a file for ${path}: ${address.problem}`)
  const url = address?.s3url ?? address?.s3_url ?? address?.url ?? address?.uri
  if (url === undefined)
    throw new RemoteFailure(`${GET_FILE} returned neither content nor an address for ${path}.`, { details: { data } })
  if (/^https?:/i.test(url)) return { kind: 'stream', bytes: presigned.get(url, doing) }
  if (address?.file_downloaded === true) return { kind: 'stream', bytes: readDownloaded(url, doing) }
  throw new RemoteFailure(`${GET_FILE} returned an address for ${path} that is not a download address.`)
}

/** A text may be the content or its base64; where that is not said, both are readings, and the file's hash decides. */
function readingsOf(content: string, encoding: string | undefined): Uint8Array[] {
  const decoded = Buffer.from(content, 'base64')
  if (encoding === 'base64') return [decoded]
  const text = Buffer.from(content)
  const isBase64 = content.length > 0 && decoded.toString('base64') === content.replace(/\s/g, '')
  return isBase64 ? [text, decoded] : [text]
}
