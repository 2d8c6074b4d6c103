/** `compress_files` and `extract_files`: ZIP archives of the workspace (ledger S4-FUT-01). */
import { z } from 'zod'
import type { ZipSource } from '../archive/zip-writer.ts'
import type { Workspace } from '../files/workspace.ts'
import { LIMITS } from '../limits.ts'
import { Refusal } from '../refusal.ts'
import { tool } from './tool.ts'

const { entries: MOST, bytes: MOST_BYTES } = LIMITS.archive
const Path = z.string().min(1).describe('Relative to the workspace of the session, or absolute within it.')
const Absolute = z.string().describe('Absolute.')

export const compressFiles = tool({
  name: 'compress_files',
  title: 'Compress files',
  description: `Writes files and whole folders into a ZIP archive on this machine, either completely or not at all. Files keep their paths relative to the workspace, or to \`base\`, so that two files with the same name stay separate. Symbolic links and empty folders are left out. ${MOST} files and ${MOST_BYTES} bytes at most. The same files always produce the same archive.`,
  input: z.strictObject({
    paths: z.array(Path).min(1).max(1_000).describe('Files and folders; a folder is included with everything in it.'),
    archive_path: Path.describe('The archive to write; an existing one is replaced.'),
    base: Path.optional().describe('The folder to which the names in the archive are relative.'),
  }),
  output: z.strictObject({
    archive_path: Absolute,
    files: z.int(),
    bytes: z.int().describe('Of the files.'),
    archive_bytes: z.int(),
    skipped: z.int().describe('Symbolic links, pipes and devices that were left out.'),
  }),
  examples: [
    { paths: ['work_products', 'search_results'], archive_path: 'session.zip' },
    { paths: ['work_products/report.md'], archive_path: 'report.zip', base: 'work_products' },
  ],
  readOnly: false,
  destructive: true,
  idempotent: true,
  openWorld: false,
  failure: 'Error compressing files',
  async run({ paths, archive_path: to, base }, { workspace, signal, progress }) {
    const { walkFiles } = await import('../archive/file-walk.ts')
    const { writeZip } = await import('../archive/zip-writer.ts')
    await using writer = await workspace.createFile(to, { signal })
    const { files: found, skipped } = await walkFiles(workspace, paths, signal)
    const files = found.filter(({ path }) => path !== writer.path)
    if (files.length === 0) throw new Refusal('There is no file to compress.')
    const named = namesOf(
      workspace,
      files.map(({ path }) => path),
      base,
    )
    let bytes = 0
    async function* sources(): AsyncGenerator<ZipSource> {
      for (const [index, [name, path]] of [...named].entries()) {
        await using file = await workspace.open(path)
        bytes += file.size
        if (bytes > MOST_BYTES)
          throw new Refusal(`The files are larger than ${MOST_BYTES} bytes in total.`, 'PAYLOAD_TOO_LARGE')
        yield { name, chunks: () => file.chunks({ signal }) }
        progress(index + 1, files.length, name)
      }
    }
    await writeZip(sources(), (chunk) => writer.append(chunk))
    const { path, bytes: written } = await writer.commit()
    return {
      text: `Successfully compressed ${files.length} files (${bytes} bytes) into ${path} (${written} bytes)`,
      structured: { archive_path: path, files: files.length, bytes, archive_bytes: written, skipped },
    }
  },
})

/** Names in the archive, sorted, with the files that they are of. */
function namesOf(workspace: Workspace, files: readonly string[], base: string | undefined): [string, string][] {
  const folder = base === undefined ? undefined : workspace.resolve(base).path
  const named = new Map<string, string>()
  for (const path of files) {
    const below = folder ?? workspace.resolve(path).root
    const inside = below === '/' ? '/' : `${below}/`
    if (!path.startsWith(inside)) throw new Refusal(`${path} is not inside the base ${below}.`)
    const name = path.slice(inside.length)
    const other = named.get(name)
    if (other !== undefined)
      throw new Refusal(`${other} and ${path} would both be called ${name}: compress them separately.`)
    named.set(name, path)
  }
  return [...named].sort(([value], [other]) => (value < other ? -1 : 1))
}

export const extractFiles = tool({
  name: 'extract_files',
  title: 'Extract files',
  description: `Unpacks a ZIP archive on this machine into a folder. The whole archive is checked before the first file is written: names that point outside the folder, links, duplicate names, encrypted files and archives that grow beyond ${MOST} files or ${MOST_BYTES} bytes are refused.`,
  input: z.strictObject({
    archive_path: Path,
    folder: Path.describe('The folder that the files are written into; it is created if it does not exist.'),
    replace: z
      .boolean()
      .default(false)
      .describe('Whether existing files are replaced; otherwise the archive is refused.'),
  }),
  output: z.strictObject({ folder: Absolute, files: z.array(Absolute), bytes: z.int() }),
  examples: [{ archive_path: 'downloads/data.zip', folder: 'data' }],
  readOnly: false,
  destructive: true,
  idempotent: false,
  openWorld: false,
  failure: 'Error extracting files',
  async run({ archive_path: from, folder, replace }, { workspace, signal, progress }) {
    const { readZipDirectory } = await import('../archive/zip-directory.ts')
    const { unpack } = await import('../archive/zip-reader.ts')
    await using file = await workspace.open(from)
    const entries = (await readZipDirectory(file)).filter((entry) => !entry.folder)
    const { path: shown } = workspace.resolve(folder)
    const steps = entries.length * 2
    for (const [index, entry] of entries.entries()) {
      const there = await workspace.look(`${shown}/${entry.name}`)
      if (there !== undefined && !(replace && there.type === 'file')) throw new Refusal(`${there.path} already exists.`)
      for await (const chunk of unpack(file, entry, signal)) void chunk
      progress(index + 1, steps, `checked ${entry.name}`)
    }
    const files: string[] = []
    let bytes = 0
    for (const entry of entries) {
      await using writer = await workspace.createFile(`${shown}/${entry.name}`, { signal, replace, most: entry.size })
      for await (const chunk of unpack(file, entry, signal)) await writer.append(chunk)
      const written = await writer.commit()
      files.push(written.path)
      bytes += written.bytes
      progress(entries.length + files.length, steps, `wrote ${entry.name}`)
    }
    return {
      text: `Successfully extracted ${files.length} files (${bytes} bytes) into ${shown}`,
      structured: { folder: shown, files, bytes },
    }
  },
})
