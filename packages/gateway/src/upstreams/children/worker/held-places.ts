/**
 * Folders and files as they are when a launch is judged. A name may lead elsewhere a moment later, because another server may write the
 * folder above; device and inode may not, as long as the place is held open here. Handles are of the worker and close when a
 * program is executed: none reaches a server.
 */
import { existsSync } from 'node:fs'
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'

/** Of Linux on all processors; Node does not name it. The handle reads and writes nothing, so that no permission is needed. */
const O_PATH = 0o10000000

export interface Place {
  /** Absolute, without links. */
  readonly path: string
  /** `device:inode`; no other place has it as long as it is held. */
  readonly identity: string
}

export interface HeldPlaces {
  /** Follows links. Rejects with a system error where nothing is there. */
  hold(path: string): Promise<Place>
  /** Lets all go. */
  close(): Promise<void>
}

/** Without the process table of Linux nothing is mounted either, and names are all there is. */
const canHold = (): boolean => process.platform === 'linux' && existsSync('/proc/self/fd')

async function openPlace(path: string): Promise<Place & { readonly handle?: FileHandle }> {
  if (!canHold()) {
    const real = await realpath(path)
    const { dev, ino } = await stat(real, { bigint: true })
    return { path: real, identity: `${dev}:${ino}` }
  }
  const handle = await open(path, O_PATH)
  try {
    return { handle, ...(await placeOf(handle)) }
  } catch (thrown) {
    await handle.close()
    throw thrown
  }
}

/** Where it is now. A place that was removed has no name any more. */
async function placeOf(handle: FileHandle): Promise<Place> {
  const path = await readlink(`/proc/self/fd/${handle.fd}`)
  const { dev, ino, nlink } = await handle.stat({ bigint: true })
  if (nlink === 0n) throw Object.assign(new Error(`${path} was removed`), { code: 'ENOENT' })
  return { path, identity: `${dev}:${ino}` }
}

export function holdPlaces(): HeldPlaces {
  const handles = new Set<FileHandle>()
  return {
    async hold(path) {
      const { handle, ...place } = await openPlace(path)
      if (handle !== undefined) handles.add(handle)
      return place
    },
    async close() {
      const all = [...handles]
      handles.clear()
      await Promise.all(all.map((handle) => handle.close()))
    },
  }
}

/**
 * Places that no server may see, followed for the life of the worker: one that is renamed, or lies in a folder that is, is hidden at
 * its new name too.
 */
export function createHiddenPlaces() {
  const followed = new Map<string, FileHandle>()
  return async (
    paths: readonly string[],
  ): Promise<readonly (Place | { readonly path: string; identity?: never })[]> => {
    const absent: { path: string }[] = []
    const present: Place[] = []
    for (const path of paths) {
      try {
        const { handle, ...place } = await openPlace(path)
        present.push(place)
        if (handle === undefined) continue
        if (followed.has(place.identity)) await handle.close()
        else followed.set(place.identity, handle)
      } catch {
        absent.push({ path })
      }
    }
    for (const [identity, handle] of followed) {
      const place = await placeOf(handle).catch(() => undefined)
      if (place !== undefined) present.push(place)
      else {
        followed.delete(identity)
        await handle.close()
      }
    }
    const byPath = new Map(present.map((place) => [place.path, place]))
    return [...byPath.values(), ...absent]
  }
}
