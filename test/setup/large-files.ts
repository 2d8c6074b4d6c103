/**
 * Large files for tests of transfers in constant memory. `TEST_LARGE_MIB` says how large: 256 MiB where it is unset, four times what memory
 * may grow by; `TEST_LARGE_MIB=1024` is the gigabyte that the requirements speak of.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'

export const MIB = 1024 * 1024
export const LARGE_MIB = Number(process.env['TEST_LARGE_MIB'] ?? 256)
/** Mebibytes by which a process may grow while it carries a large file. */
export const MOST_GROWTH_MIB = 64

/** Writes a file whose bytes differ from part to part; returns its SHA-256 in hex. */
export async function writeLarge(path: string, size: number): Promise<string> {
  const hash = createHash('sha256')
  await using file = await open(path, 'w')
  const block = Buffer.alloc(MIB)
  for (let at = 0; at < size; at += block.length) {
    block.fill(createHash('sha256').update(String(at)).digest())
    const part = block.subarray(0, Math.min(block.length, size - at))
    await file.write(part)
    hash.update(part)
  }
  return hash.digest('hex')
}

export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
