/** Tools for single files and folders (ledger S4-TK-05, S4-FUT-01). */
import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { tool, type Tool } from './tool.ts'

const Path = z.string().min(1).describe('Relative to the workspace of the session, or absolute within it.')

/** The tools that write a text. @param most characters of one text */
export const createTextTools = (most: number): readonly Tool[] => {
  const content = z.string().max(most)
  return [writeLocalFile(content), appendToFile(content)]
}

const writeLocalFile = (content: z.ZodString) =>
  tool({
    name: 'write_local_file',
    title: 'Write local file',
    description:
      'Writes a text file on this machine, in UTF-8, and creates the folders that it needs. An existing file is replaced, either completely or not at all.',
    input: z.strictObject({ path: Path, content }),
    output: z.strictObject({
      path: z.string().describe('Absolute.'),
      chars: z.int(),
      bytes: z.int(),
    }),
    examples: [{ path: 'work_products/report.md', content: '# Report\n' }],
    readOnly: false,
    destructive: true,
    idempotent: true,
    openWorld: false,
    failure: 'Error writing file',
    async run({ path, content: text }, { workspace, signal }) {
      const { path: written, bytes } = await workspace.write(path, text, { signal })
      const chars = text.length
      return {
        text: `Successfully wrote ${chars} chars to ${written}`,
        structured: { path: written, chars, bytes },
      }
    },
  })

const appendToFile = (content: z.ZodString) =>
  tool({
    name: 'append_to_file',
    title: 'Append to file',
    description: 'Adds text to the end of a file on this machine, which is created if it does not exist.',
    input: z.strictObject({ path: Path, content }),
    output: z.strictObject({ path: z.string().describe('Absolute.'), chars: z.int(), bytes: z.int() }),
    examples: [{ path: 'notes.md', content: 'One more line.\n' }],
    readOnly: false,
    destructive: false,
    idempotent: false,
    openWorld: false,
    failure: 'Error appending to file',
    async run({ path, content: text }, { workspace }) {
      const { path: written, bytes } = await workspace.append(path, text)
      const chars = text.length
      return {
        text: `Successfully appended ${chars} chars to ${written}`,
        structured: { path: written, chars, bytes },
      }
    },
  })

export const listDirectory = tool({
  name: 'list_directory',
  title: 'List directory',
  description: `Lists a folder of the workspace by name, ${LIMITS.listed} entries at most. Symbolic links are reported as "other".`,
  input: z.strictObject({ path: Path.default('.') }),
  output: z.strictObject({
    path: z.string().describe('Absolute.'),
    entries: z.array(
      z.strictObject({
        name: z.string(),
        type: z.enum(['file', 'directory', 'other']),
        size: z.int().nullable().describe('Bytes.'),
        modified: z.string(),
      }),
    ),
    left: z.int().describe('How many more entries there are.'),
  }),
  examples: [{ path: 'search_results' }, {}],
  readOnly: true,
  destructive: false,
  idempotent: true,
  openWorld: false,
  failure: 'Error listing directory',
  async run({ path }, { workspace }) {
    const listed = await workspace.list(path, LIMITS.listed)
    const lines = listed.entries.map(({ name, type, size }) =>
      type === 'directory' ? `${name}/` : size === null ? `${name} (${type})` : `${name} (${size} bytes)`,
    )
    const more = listed.left === 0 ? [] : [`and ${listed.left} more`]
    return { text: [`${listed.path}:`, ...lines, ...more].join('\n'), structured: listed }
  },
})

const { batchOfText } = LIMITS

export const readResearchFiles = tool({
  name: 'read_research_files',
  title: 'Read research files',
  description:
    'Reads text files one after another, as much as fits into one batch. If more is left, call it again with the offset in `next` and the files from that one on.',
  input: z.strictObject({
    paths: z.array(Path).min(1).max(LIMITS.readFiles),
    offset: z.int().min(0).default(0).describe('The character at which reading of the first file begins.'),
    max_chars: z.int().min(batchOfText.least).max(batchOfText.most).default(batchOfText.unsaid),
  }),
  output: z.strictObject({
    files: z.array(z.strictObject({ path: z.string(), from: z.int(), to: z.int(), chars: z.int(), text: z.string() })),
    next: z
      .strictObject({ index: z.int().describe('The index of the file in `paths`.'), offset: z.int() })
      .nullable()
      .describe('Null if everything was read.'),
  }),
  examples: [
    { paths: ['search_results/crawl_0123456789ab.md', 'search_results/crawl_ba9876543210.md'] },
    { paths: ['expanded_corpus.json'], offset: 60_000, max_chars: 75_000 },
  ],
  readOnly: true,
  destructive: false,
  idempotent: true,
  openWorld: false,
  failure: 'Error reading files',
  async run({ paths, offset, max_chars: most }, { workspace, signal, progress }) {
    const files = []
    let room = most
    let next: { index: number; offset: number } | null = null
    for (const [index, path] of paths.entries()) {
      signal.throwIfAborted()
      const { path: shown, text } = await workspace.read(path, LIMITS.readFile)
      const from = index === 0 ? Math.min(offset, text.length) : 0
      const to = wholeTo(text, Math.min(text.length, from + room))
      files.push({ path: shown, from, to, chars: text.length, text: text.slice(from, to) })
      room -= to - from
      progress(index + 1, paths.length, shown)
      if (to < text.length) next = { index, offset: to }
      else if (room === 0 && index + 1 < paths.length) next = { index: index + 1, offset: 0 }
      if (next !== null) break
    }
    const texts = files.map(({ path, from, to, chars, text }) => `# ${path} (${from}-${to} of ${chars})\n\n${text}`)
    return { text: texts.join('\n\n'), structured: { files, next } }
  },
})

/** An end that divides no character of two UTF-16 units. */
const wholeTo = (text: string, to: number): number =>
  /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(to - 1, to + 1)) ? to - 1 : to
