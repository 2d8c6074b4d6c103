/**
 * Writes a ZIP archive in parts and in constant memory. The same files give the same bytes, whatever the day and the machine: names are
 * sorted by the caller, and times and permissions are fixed.
 */
import { Zip, ZipDeflate } from 'fflate'

/** The first moment that a ZIP archive can name, in whatever zone this is. */
const TIME = new Date(1980, 0, 1)
const UNIX = 3
const REGULAR_FILE = 0o100644 * 2 ** 16

export interface ZipSource {
  /** With "/" between folders. */
  readonly name: string
  chunks(): AsyncIterable<Uint8Array>
}

/** @param write takes the bytes of the archive, in order */
export async function writeZip(
  sources: AsyncIterable<ZipSource>,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const ready: Uint8Array[] = []
  let failure: Error | null = null
  const zip = new Zip((error, chunk) => {
    failure ??= error
    if (error === null) ready.push(chunk)
  })
  const flush = async () => {
    if (failure !== null) throw failure
    for (const chunk of ready.splice(0)) await write(chunk)
  }
  for await (const { name, chunks } of sources) {
    const file = new ZipDeflate(name, { level: 6 })
    Object.assign(file, { mtime: TIME, os: UNIX, attrs: REGULAR_FILE })
    zip.add(file)
    for await (const chunk of chunks()) {
      file.push(chunk)
      await flush()
    }
    file.push(new Uint8Array(), true)
    await flush()
  }
  zip.end()
  await flush()
}
