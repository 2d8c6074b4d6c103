/**
 * Carries a file of a workbench to this machine (ledger S4-TK-06, S4-TK-07): a small one at once where the driver has a way for that,
 * another one in parts. Nothing takes the place of the local file before size and hash are those that the workbench says. What an earlier
 * download left behind is continued while the remote file is the same.
 */
import type { LocalPath, LocalText, RemotePath } from '../files/paths.ts'
import type { FileWriter } from '../files/file-writer.ts'
import type { Workspace } from '../files/workspace.ts'
import { Refusal } from '../refusal.ts'
import { retryPassing } from './retry-passing.ts'
import { isFailure, RemoteFailure } from './remote-failure.ts'
import { LEAST_PART_BYTES, type Carried, type Carrying } from './upload.ts'
import type { RemoteFile, WholeFile, Workbench } from './workbench.ts'

/** Bytes up to which a file is asked for at once. */
const MOST_AT_ONCE_BYTES = 4 * 1024 * 1024

export interface Downloaded extends Carried {
  /** Of the local file; absolute. */
  readonly path: LocalPath
  /** False: the workbench could not say size and hash, so that they were not compared. */
  readonly verified: boolean
}

export interface DownloadParts {
  readonly bench: Workbench
  readonly workspace: Workspace
  readonly remote: RemotePath
  readonly local: LocalText
}

export async function carryDown(parts: DownloadParts, carrying: Carrying): Promise<Downloaded> {
  const { bench, workspace, remote, local } = parts
  const { signal } = carrying
  const found = await retryPassing(signal, () => bench.stat(remote, { signal }))
  if (found === undefined) return carryUnseen(parts, carrying)
  await using writer = await workspace.createFile(local, { signal, resume: `workbench ${remote} ${found.sha256}` })
  if (writer.size > found.size) await writer.restart()
  const resumedAt = writer.size
  const atOnce = resumedAt === 0 && found.size <= MOST_AT_ONCE_BYTES
  if (!atOnce || !(await writeWhole(bench, writer, { remote, found }, carrying)))
    await writeParts(bench, writer, { remote, found }, carrying)
  if (writer.size !== found.size || writer.sha256() !== found.sha256) {
    await writer.abort()
    throw new RemoteFailure(`${remote} changed while it was downloaded: download it again.`)
  }
  const { path } = await writer.commit()
  return { path, ...found, resumedAt, verified: true }
}

interface Wanted {
  readonly remote: RemotePath
  readonly found: RemoteFile
}

/** False: the driver has no such way, or what it gave is not the file. */
async function writeWhole(
  bench: Workbench,
  writer: FileWriter,
  { remote, found }: Wanted,
  { signal, progress }: Carrying,
): Promise<boolean> {
  if (bench.fetchWhole === undefined) return false
  try {
    const whole = await retryPassing(signal, async () => bench.fetchWhole?.(remote, { signal }))
    for (const attempt of attemptsIn(whole)) {
      await writer.restart()
      for await (const bytes of attempt) {
        if (writer.size + bytes.byteLength > found.size) break
        await writer.append(bytes)
      }
      if (writer.size !== found.size || writer.sha256() !== found.sha256) continue
      progress(found.size, found.size, `all ${found.size} bytes are here`)
      return true
    }
  } catch (thrown) {
    // The parts say what is wrong, where they fail as well.
    if (!(thrown instanceof RemoteFailure)) throw thrown
  }
  await writer.restart()
  return false
}

async function writeParts(
  bench: Workbench,
  writer: FileWriter,
  { remote, found }: Wanted,
  { signal, progress }: Carrying,
): Promise<void> {
  let most = bench.parts.read
  while (writer.size < found.size) {
    const size = Math.min(most, found.size - writer.size)
    try {
      const bytes = await retryPassing(signal, () => bench.readPart(remote, writer.size, size, { signal }))
      if (bytes.byteLength !== size) throw new RemoteFailure(`${remote} became shorter while it was downloaded.`)
      await writer.append(bytes)
      progress(writer.size, found.size, `${writer.size} of ${found.size} bytes are here`)
    } catch (thrown) {
      if (!isFailure(thrown, 'too-large') || size <= LEAST_PART_BYTES) throw thrown
      most = Math.ceil(size / 2)
    }
  }
}

/** The workbench does not see the file; the driver's own way may still have it, as another sandbox. */
async function carryUnseen(
  { bench, workspace, remote, local }: DownloadParts,
  { signal, progress }: Carrying,
): Promise<Downloaded> {
  const missingFile = () => new Refusal(`${remote} is not on the workbench.`, 'NOT_FOUND')
  if (bench.fetchWhole === undefined) throw missingFile()
  const whole = await retryPassing(signal, async () => bench.fetchWhole?.(remote, { signal }))
  const [attempt] = attemptsIn(whole)
  if (attempt === undefined) throw missingFile()
  await using writer = await workspace.createFile(local, { signal })
  for await (const bytes of attempt) {
    await writer.append(bytes)
    progress(writer.size, undefined, `${writer.size} bytes are here`)
  }
  const sha256 = writer.sha256()
  const { path, bytes: size } = await writer.commit()
  return { path, size, sha256, resumedAt: 0, verified: false }
}

/** Readings of an answer, the likeliest first. */
function attemptsIn(whole: WholeFile | undefined): AsyncIterable<Uint8Array>[] {
  if (whole === undefined) return []
  if (whole.kind === 'stream') return [whole.bytes]
  return whole.candidates.map(async function* (bytes) {
    yield await Promise.resolve(bytes)
  })
}
