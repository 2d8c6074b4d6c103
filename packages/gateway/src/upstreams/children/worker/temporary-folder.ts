/**
 * The temporary folder of a child: private (0700), and short, because the path of a Unix socket has at most 107 bytes on Linux
 * (103 on macOS) and servers open sockets below TMPDIR. The folder of a child below the data folder may be too deep for that.
 *
 * The folder is removed with its child. A note names it and the worker that made it, so that the next start removes what a killed worker
 * left. Notes lie beside the folders of the children, where no child writes: what a child wrote would be read, waited for and obeyed
 * here. Where nothing can be made in /tmp, the folder is below the child's own.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

const PLACE = '/tmp'
const NAME = 'toolway-'
const NOTES = '.temporary'
/** Nothing of another form is removed. */
const OURS = /^toolway-[A-Za-z0-9]{6}$/

export interface Temporary {
  readonly path: string
  /** Links in it are removed, not followed. */
  remove(): Promise<void>
}

/** `within` is a folder in the child's own, `home`, that is there already. */
export async function makeTemporary(home: string, within: string): Promise<Temporary> {
  const notes = join(dirname(home), NOTES, basename(home))
  await mkdir(notes, { recursive: true, mode: 0o700 })
  await removeLeft(notes)
  const path = await mkdtemp(join(PLACE, NAME)).catch(() => mkdtemp(join(within, 'tmp-')))
  const note = join(notes, basename(path))
  if (dirname(path) === PLACE) await writeFile(note, String(process.pid), { mode: 0o600, flag: 'wx' })
  return {
    path,
    async remove() {
      await drop(path)
      await drop(note)
    },
  }
}

/** Folders of workers that are gone; another process may run the same child now, as a test of its connection does. */
async function removeLeft(notes: string): Promise<void> {
  for (const name of (await readdir(notes)).filter((value) => OURS.test(value))) {
    const made = await readFile(join(notes, name), 'utf8').catch(() => '')
    if (isAlive(Number(made))) continue
    await drop(join(PLACE, name))
    await drop(join(notes, name))
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid < 2) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const drop = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 2 }).catch(() => {})
