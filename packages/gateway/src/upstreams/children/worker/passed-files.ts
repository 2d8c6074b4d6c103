/** Contents that a started program reads from a file descriptor: files without a name, which end with their readers. */
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface PassedFiles {
  readonly fds: readonly number[]
  /** Once the program has them. */
  close(): void
}

export function openContents(contents: readonly Uint8Array[]): PassedFiles {
  const fds: number[] = []
  if (contents.length > 0) {
    const folder = mkdtempSync(join(tmpdir(), 'toolway-passed-'))
    try {
      for (const [at, bytes] of contents.entries()) {
        const fd = openSync(join(folder, String(at)), 'wx+', 0o600)
        fds.push(fd)
        // At a position: the descriptor is to be read from its beginning.
        for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, done)
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return {
    fds,
    close() {
      for (const fd of fds) closeSync(fd)
    },
  }
}
