/** Notion: search, pages, databases and blocks. REST API of version 2026-03-11, in which the rows of a database lie in data sources. */
import { z } from 'zod'
import { choice, get, isJson, maybe, refusal, rest, text, token, vendor, type Json } from '../kit/index.ts'
import * as Shapes from './shapes.ts'

const { read, write, ask } = rest({
  base: 'https://api.notion.com/v1',
  headers: { 'notion-version': '2026-03-11' },
  paging: token('next_cursor', 'start_cursor', { name: 'page_size', default: 20, max: 100 }, 'has_more'),
})

const page_id = text('e.g. 59833787-2cf9-4fdf-8782-e53db20768a5')
const database_id = text('From notion_list_databases')
const data_source_id = maybe('Only for a database with several, from notion_get_database')

const only = (object: 'page' | 'data_source') => ({ property: 'object', value: object })
const rich = (words: string) => ({ type: 'text', text: { content: words } })

/** Characters of one rich text, rich texts of one block, and blocks of one request. */
const LONGEST = 2_000
const MOST = 100

/** Plain text as paragraphs: an empty line ends one. Throws ToolFailure for more than one request takes. */
function paragraphsOf(content: string): readonly Json[] {
  const paragraphs = content
    .replaceAll('\r\n', '\n')
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== '')
  if (paragraphs.length > MOST || paragraphs.some((paragraph) => paragraph.length > LONGEST * MOST))
    throw refusal(
      'INVALID_ARGUMENT',
      `content: Notion accepts ${MOST} paragraphs at once; append the rest in further calls.`,
    )
  return paragraphs.map((paragraph) => ({
    type: 'paragraph',
    paragraph: { rich_text: (paragraph.match(PIECE) ?? []).map(rich) },
  }))
}
const PIECE = new RegExp(`[\\s\\S]{1,${LONGEST}}`, 'gu')

const titled = (title: string) => ({ title: { title: [rich(title)] } })

/** The data source of a database with one. Throws ToolFailure where there is none, or several. */
function sourceOf(database: unknown, id: string): string {
  const sources = get(database, 'data_sources')
  if (!Array.isArray(sources)) return id
  const [first, ...others] = sources.filter(isJson)
  if (first === undefined)
    throw refusal(
      'NOT_SUPPORTED',
      'The database has no rows of its own: it shows those of another database. Use that one.',
    )
  if (others.length === 0) return String(first['id'])
  const names = sources
    .map((source: unknown) => `${String(get(source, 'name'))} (${String(get(source, 'id'))})`)
    .join(', ')
  throw refusal('INVALID_ARGUMENT', `data_source_id: the database has several, use one of ${names}.`)
}

function* lookUp(database: string, chosen: string | undefined) {
  if (chosen !== undefined) return chosen
  const { body } = yield* ask('GET /databases/{database_id}', { database_id: database })
  return sourceOf(body, database)
}

export const notion = vendor({
  id: 'notion',
  auth: { provider: 'notion' },
  // A person chooses pages and rights at Notion.
  scopes: {},
  whoami: read('GET /users/me', { says: 'Get the connected account.', output: Shapes.Self }),
  resources: {
    'notion://page/{page_id}': 'get_page',
    'notion://database/{database_id}': 'get_database',
  },
  tools: {
    list_databases: read('POST /search', {
      says: 'List the databases that were shared with the connection.',
      send: () => ({ filter: only('data_source') }),
      at: 'results',
      list: Shapes.Database,
      give: Shapes.databaseOf,
    }),
    search: read('POST /search', {
      says: 'Search pages and databases by their titles, not by their text.',
      input: { query: text('e.g. roadmap'), filter: choice(['page', 'database']).optional() },
      send: ({ query, filter }) => ({
        query,
        filter: filter === undefined ? undefined : only(filter === 'page' ? 'page' : 'data_source'),
      }),
      at: 'results',
      list: Shapes.Hit,
      give: Shapes.hitOf,
    }),
    get_page: read('GET /pages/{page_id}', {
      says: 'Get the title, location and properties of a page; notion_get_page_content has its text.',
      input: { page_id },
      output: Shapes.Page,
      give: Shapes.pageOf,
    }),
    get_page_content: read('GET /pages/{page_id}/markdown', {
      says: 'Read a page as Markdown, or as blocks: 100 per call, continued with next_cursor as cursor.',
      input: {
        page_id,
        format: choice(['plain_text', 'structured']).default('plain_text'),
        cursor: maybe('Only for structured'),
      },
      route: ({ format }) => (format === 'structured' ? 'GET /blocks/{page_id}/children' : undefined),
      send: ({ page_id, format, cursor }) =>
        format === 'structured' ? { page_id, page_size: MOST, start_cursor: cursor } : { page_id },
      output: Shapes.Content,
      give: (answer) => ({ ...answer, blocks: Shapes.blocksOf(answer['results']) }),
    }),
    get_database: read.steps({
      says: 'Get the title, data sources and columns of a database, including column options.',
      input: { database_id, data_source_id },
      output: Shapes.FullDatabase,
      *run({ database_id, data_source_id }) {
        const { body } = yield* ask('GET /databases/{database_id}', { database_id })
        const database = isJson(body) ? Shapes.databaseOf(body) : {}
        const id = data_source_id ?? get(body, 'data_sources[].id')
        const first: unknown = Array.isArray(id) ? id[0] : id
        if (first === undefined) return database
        const source = yield* ask('GET /data_sources/{data_source_id}', { data_source_id: first })
        return { ...database, data_source_id: first, properties: Shapes.columnsOf(source.body) }
      },
    }),
    query_database: read('POST /data_sources/{data_source_id}/query', {
      says: 'List the rows of a database with their properties, optionally filtered and sorted. Long texts are truncated.',
      input: {
        database_id,
        data_source_id,
        filter: z
          .record(z.string(), z.unknown())
          .optional()
          .describe('Notion filter, e.g. {"property":"Done","checkbox":{"equals":true}}'),
        sorts: z
          .array(z.object({ property: z.string(), direction: z.enum(['ascending', 'descending']) }))
          .optional()
          .describe('e.g. [{"property":"Due","direction":"ascending"}]'),
      },
      *before({ database_id, data_source_id }) {
        return { data_source_id: yield* lookUp(database_id, data_source_id) }
      },
      send: ({ filter, sorts }) => ({ filter, sorts }),
      at: 'results',
      list: Shapes.Row,
      give: Shapes.rowOf,
    }),
    create_page: write('POST /pages', {
      says: 'Create a page below another page, or as a row of a database.',
      input: {
        parent_id: text('Identifier of the page or database'),
        parent_type: choice(['database_id', 'page_id']).default('database_id'),
        title: text('Title in one line'),
        content: maybe('Plain text; an empty line ends a paragraph'),
        data_source_id,
      },
      *before({ parent_id, parent_type, data_source_id }) {
        if (parent_type === 'page_id') return { parent: { type: 'page_id', page_id: parent_id } }
        const source = yield* lookUp(parent_id, data_source_id)
        return { parent: { type: 'data_source_id', data_source_id: source } }
      },
      send: ({ title, content }) => ({
        properties: titled(title),
        children: content === undefined ? undefined : paragraphsOf(content),
      }),
      output: Shapes.Page,
      give: Shapes.pageOf,
    }),
    append_block_children: write('PATCH /blocks/{block_id}/children', {
      says: 'Append paragraphs to the end of a page, at most 100 per call.',
      input: { page_id, content: text('Plain text; an empty line ends a paragraph') },
      send: ({ page_id, content }) => ({ block_id: page_id, children: paragraphsOf(content) }),
      output: Shapes.Appended,
      give: (answer) => ({ blocks: Shapes.blocksOf(answer['results']) }),
    }),
    update_page: write('PATCH /pages/{page_id}', {
      says: 'Change the title of a page.',
      input: { page_id, title: text('New title') },
      send: ({ page_id, title }) => ({ page_id, properties: titled(title) }),
      output: Shapes.Page,
      give: Shapes.pageOf,
    }),
    get_block: read('GET /blocks/{block_id}', {
      says: 'Get one block of a page with its text.',
      input: { block_id: text('From notion_get_page_content') },
      output: Shapes.FullBlock,
      give: Shapes.blockOf,
    }),
  },
})
