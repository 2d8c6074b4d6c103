/**
 * Which tools of the demo server keep notes?
 *
 * The notebook is passed in, and so is what to do when the set of notes has changed. Adding is a write, removing is
 * destructive and needs the exact id, so that a rule can hold it back while the rest stays free.
 */
import * as z from 'zod'
import { demoTool } from '../demo-tool.ts'
import { MAX_NOTES, MAX_TEXT, MAX_TITLE, Note, type Notebook } from './notebook.ts'

export interface NoteParts {
  notebook: Notebook
  /** Called after a note was added or removed. */
  changed(): Promise<void>
}

/** The address of a note among the server's resources. */
export const noteUri = (id: string) => `note:///${id}`

const ShownNote = Note.extend({ added: z.string().meta({ format: 'date-time' }), uri: z.string() })
const shown = (note: Note) => ({ ...note, uri: noteUri(note.id) })

/** The tools `notes_add`, `notes_search` and `notes_remove`. */
export const createNoteTools = (parts: NoteParts) => [addNote(parts), searchNotes(parts), removeNote(parts)]

const addNote = ({ notebook, changed }: NoteParts) =>
  demoTool({
    name: 'notes_add',
    title: 'Add a note',
    description: `Keep a note for later. It stays in a small notebook on the machine of this server (at most ${MAX_NOTES} notes) and can be found with notes_search or read as a resource.`,
    effect: 'write',
    input: z.strictObject({
      title: z.string().trim().min(1).max(MAX_TITLE).describe('One line'),
      text: z.string().max(MAX_TEXT).default('').describe('Markdown'),
      tags: z.array(z.string().trim().min(1).max(30)).max(10).default([]),
    }),
    output: ShownNote,
    async run({ title, text, tags }) {
      const note = await notebook.add({ title, text, tags: [...new Set(tags)] })
      await changed()
      return shown(note)
    },
    say: ({ id, title }) => `Kept the note '${title}' as ${id}.`,
  })

const searchNotes = ({ notebook }: NoteParts) =>
  demoTool({
    name: 'notes_search',
    title: 'Search notes',
    description:
      'Find notes whose title, text or tags contain every given word, newest first. Without words it lists all notes.',
    effect: 'read',
    input: z.strictObject({
      words: z.string().max(200).default('').describe('Words separated by spaces; case does not matter'),
      tag: z.string().trim().min(1).max(30).optional().describe('Only notes with this tag'),
      limit: z.int().min(1).max(50).default(10),
    }),
    output: z.object({
      total: z.int().describe('How many notes match, also beyond the limit'),
      notes: z.array(ShownNote),
      unreadable: z.array(z.string()).describe('Files of the notebook that hold no note'),
    }),
    async run({ words, tag, limit }) {
      const { notes, unreadable } = await notebook.list()
      const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
      const matches = notes.filter((note) => hasAll(note, wanted) && (tag === undefined || note.tags.includes(tag)))
      return { total: matches.length, notes: matches.slice(0, limit).map(shown), unreadable }
    },
    say: ({ total, notes }) =>
      total === 0
        ? 'No note matches.'
        : [`${total} note(s):`, ...notes.map(({ id, title, text }) => `${id}  ${title}\n${indent(text)}`)]
            .join('\n')
            .trimEnd(),
  })

const removeNote = ({ notebook, changed }: NoteParts) =>
  demoTool({
    name: 'notes_remove',
    title: 'Remove a note',
    description: 'Remove one note for good. Needs the id that notes_add or notes_search gave; there is no way back.',
    effect: 'destructive',
    idempotent: true,
    input: z.strictObject({ id: z.string().max(40).describe('Id of the note, ten letters and digits') }),
    output: z.object({ removed: ShownNote }),
    async run({ id }) {
      const note = await notebook.remove(id)
      if (!note) throw new Error(`There is no note '${id}'. notes_search lists the ids.`)
      await changed()
      return { removed: shown(note) }
    },
    say: ({ removed }) => `Removed the note '${removed.title}'.`,
  })

function hasAll({ title, text, tags }: Note, words: readonly string[]): boolean {
  const content = [title, text, ...tags].join('\n').toLowerCase()
  return words.every((word) => content.includes(word))
}

const indent = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => `    ${line}`)
    .join('\n')
