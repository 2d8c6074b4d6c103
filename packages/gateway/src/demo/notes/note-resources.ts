/**
 * How are notes read as MCP resources?
 *
 * Each note is `note:///{id}`, listed by its title and completed by its id. Reading gives Markdown. A note that is gone
 * answers as every unknown resource does; the list is never older than the call.
 */
import { ResourceNotFoundError, ResourceTemplate, type McpServer } from '@modelcontextprotocol/server'
import { noteUri } from './note-tools.ts'
import type { Note, Notebook } from './notebook.ts'

const MIME = 'text/markdown'

/** Registers the template `note:///{id}` with listing and completion. */
export function registerNotes(server: McpServer, notebook: Notebook): void {
  const template = new ResourceTemplate('note:///{id}', {
    list: async () => ({ resources: (await notebook.list()).notes.map(listed) }),
    complete: {
      id: async (typed) => (await notebook.list()).notes.map(({ id }) => id).filter((id) => id.startsWith(typed)),
    },
  })
  const about = { title: 'Note', description: 'A note of the notebook, as Markdown.', mimeType: MIME }
  server.registerResource('note', template, about, async (uri, { id }) => {
    const note = typeof id === 'string' ? await notebook.find(id) : undefined
    if (!note) throw new ResourceNotFoundError(uri.href)
    return { contents: [{ uri: uri.href, mimeType: MIME, text: markdown(note) }] }
  })
}

const listed = ({ id, title, added }: Note) => ({
  uri: noteUri(id),
  name: id,
  title,
  mimeType: MIME,
  annotations: { lastModified: added },
})

const markdown = ({ title, text, tags, added }: Note) =>
  [`# ${title}`, text, `_Added ${added}${tags.length > 0 ? ` · ${tags.join(', ')}` : ''}_`]
    .filter(Boolean)
    .join('\n\n') + '\n'
