/**
 * A file that an SDK on this machine has downloaded, by the path that a remote answer names. Because the answer comes from elsewhere, only
 * regular files of the temporary folder are read, so that no answer can point at another file of the user.
 */
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RemoteFailure } from './remote-failure.ts'
import type { Doing } from './workbench.ts'

const realpathOf = async (uri: string): Promise<string> => realpath(uri.startsWith('file:') ? fileURLToPath(uri) : uri)

export async function* readDownloaded(uri: string, { signal }: Doing): AsyncGenerator<Uint8Array, void, void> {
  const refusedDownload = () =>
    new RemoteFailure('The download that the response refers to is not a file in the temporary folder.')
  const real = await realpathOf(uri).catch(() => {
    throw refusedDownload()
  })
  if (!real.startsWith((await realpath(tmpdir())) + sep)) throw refusedDownload()
  await using file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => {
    throw refusedDownload()
  })
  if (!(await file.stat()).isFile()) throw refusedDownload()
  for await (const chunk of file.createReadStream({ signal, autoClose: false })) yield chunk as Uint8Array
}
