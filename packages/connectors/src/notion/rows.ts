/** The cases of Notion: input, then the requests that it makes. */
import type { VendorRows } from '../kit/rows.ts'

const rich = (words: string) => ({ type: 'text', text: { content: words } })
const paragraph = (...words: readonly string[]) => ({ type: 'paragraph', paragraph: { rich_text: words.map(rich) } })
const titled = (title: string) => ({ title: { title: [rich(title)] } })
const plain = (words: string) => [{ plain_text: words }]

const times = { created_time: '2026-11-21T12:00:00.000Z', last_edited_time: '2026-11-22T12:00:00.000Z' }
const page = {
  object: 'page',
  id: 'p',
  parent: { type: 'data_source_id', data_source_id: 's', database_id: 'd' },
  url: 'https://www.notion.so/p',
  in_trash: false,
  ...times,
  properties: {
    Name: { type: 'title', title: plain('Title') },
    Count: { type: 'number', number: 3 },
    Done: { type: 'checkbox', checkbox: true },
    State: { type: 'status', status: { name: 'Open' } },
    Tags: { type: 'multi_select', multi_select: [{ name: 'a' }] },
    Due: { type: 'date', date: { start: '2026-11-01', end: '2026-11-02' } },
    Who: { type: 'people', people: [{ id: 'u' }] },
    Key: { type: 'unique_id', unique_id: { prefix: 'ENG', number: 4 } },
    Sum: { type: 'formula', formula: { type: 'number', number: 7 } },
    All: { type: 'rollup', rollup: { type: 'array', array: [{ type: 'title', title: plain('x') }] } },
    New: { type: 'something_new', something_new: { a: 1 } },
    Empty: { type: 'number', number: null },
  },
}
const below = { ...page, parent: { type: 'page_id', page_id: 'q' } }
const source = {
  object: 'data_source',
  id: 's',
  parent: { type: 'database_id', database_id: 'd' },
  title: plain('Tasks'),
  description: plain('All of them'),
  url: 'https://www.notion.so/d',
  ...times,
  properties: {
    Name: { type: 'title', title: {} },
    State: { type: 'status', status: { options: [{ name: 'Open' }, { name: 'Done' }] } },
  },
}
const database = { ...source, object: 'database', id: 'd', data_sources: [{ id: 's', name: 'Tasks' }] }
const todo = {
  id: 'b',
  type: 'to_do',
  parent: { type: 'page_id', page_id: 'p' },
  has_children: false,
  in_trash: false,
  ...times,
  to_do: { rich_text: plain('do it'), checked: true },
}
const code = { ...todo, type: 'code', code: { rich_text: plain('x = 1'), language: 'python' } }
const bookmark = { ...todo, type: 'bookmark', bookmark: { url: 'https://example.com/', caption: plain('here') } }
const list = (...results: readonly unknown[]) => ({ object: 'list', results, has_more: false, next_cursor: null })

const ofSources = 'the description still has database_id; the guide to version 2025-09-03 says data_source_id'

export const rows: VendorRows = {
  described: ['notion.json'],
  failures: [
    {
      status: 400,
      body: { object: 'error', status: 400, code: 'validation_error', message: 'body failed validation' },
      word: 'INVALID_ARGUMENT',
    },
    {
      status: 401,
      body: { object: 'error', status: 401, code: 'unauthorized', message: 'API token is invalid.' },
      word: 'NEEDS_AUTH',
    },
    {
      status: 403,
      body: { object: 'error', status: 403, code: 'restricted_resource', message: 'Insufficient permissions' },
      word: 'PERMISSION_DENIED',
    },
    {
      status: 429,
      headers: { 'retry-after': '3' },
      body: { object: 'error', status: 429, code: 'rate_limited', message: 'Slow down' },
      word: 'RATE_LIMITED',
      retryAfter: 3,
    },
    { status: 529, body: { object: 'error', status: 529, code: 'service_overload' }, word: 'UNAVAILABLE' },
  ],
  undescribed: {
    'create_page.parent': ofSources,
    'create_page.parent.page_id': ofSources,
    'create_page.parent.database_id': ofSources,
    'create_page.parent.type': ofSources,
    'create_page.children.0': 'the description has texts in the place of blocks',
    'create_page.children.1': 'as before',
  },
  answers: {
    list_databases: [[list(source)]],
    search: [[list(below, source)]],
    get_page: [[page]],
    get_page_content: [
      [{ markdown: '# T', truncated: true, unknown_block_ids: ['x'] }],
      [{ ...list(todo), has_more: true, next_cursor: 'n' }],
    ],
    get_database: [[database, source]],
    query_database: [[list(page)]],
    create_page: [[below]],
    append_block_children: [[list(todo, code, bookmark)]],
    update_page: [[page]],
    get_block: [[todo], [code], [bookmark]],
  },
  tools: {
    list_databases: [
      [{}, ['POST /search', { filter: { property: 'object', value: 'data_source' }, page_size: 20 }]],
      [
        { page_size: 5, cursor: 'c' },
        ['POST /search', { filter: { property: 'object', value: 'data_source' }, page_size: 5, start_cursor: 'c' }],
      ],
    ],
    search: [
      [{ query: 'q' }, ['POST /search', { query: 'q', page_size: 20 }]],
      [
        { query: 'q', filter: 'page', page_size: 5 },
        ['POST /search', { query: 'q', filter: { property: 'object', value: 'page' }, page_size: 5 }],
      ],
      [
        { query: 'q', filter: 'database', cursor: 'c' },
        [
          'POST /search',
          { query: 'q', filter: { property: 'object', value: 'data_source' }, page_size: 20, start_cursor: 'c' },
        ],
      ],
    ],
    get_page: [[{ page_id: 'p' }, 'GET /pages/p']],
    get_page_content: [
      [{ page_id: 'p' }, 'GET /pages/p/markdown'],
      [{ page_id: 'p', format: 'structured', cursor: 'c' }, 'GET /blocks/p/children?page_size=100&start_cursor=c'],
    ],
    get_database: [
      [{ database_id: 'd' }, 'GET /databases/d'],
      [{ database_id: 'd', data_source_id: 's' }, 'GET /databases/d', 'GET /data_sources/s'],
    ],
    query_database: [
      [{ database_id: 'd', data_source_id: 's' }, ['POST /data_sources/s/query', { page_size: 20 }]],
      [
        {
          database_id: 'd',
          filter: { property: 'Done', checkbox: { equals: true } },
          sorts: [{ property: 'Due', direction: 'ascending' }],
          page_size: 5,
          cursor: 'c',
        },
        'GET /databases/d',
        [
          'POST /data_sources/d/query',
          {
            filter: { property: 'Done', checkbox: { equals: true } },
            sorts: [{ property: 'Due', direction: 'ascending' }],
            page_size: 5,
            start_cursor: 'c',
          },
        ],
      ],
    ],
    create_page: [
      [
        { parent_id: 'q', parent_type: 'page_id', title: 't' },
        ['POST /pages', { properties: titled('t'), parent: { type: 'page_id', page_id: 'q' } }],
      ],
      [
        { parent_id: 'd', title: 't' },
        'GET /databases/d',
        ['POST /pages', { properties: titled('t'), parent: { type: 'data_source_id', data_source_id: 'd' } }],
      ],
      [
        { parent_id: 'd', data_source_id: 's', title: 't', content: 'a\nb\n\nc' },
        [
          'POST /pages',
          {
            properties: titled('t'),
            children: [paragraph('a\nb'), paragraph('c')],
            parent: { type: 'data_source_id', data_source_id: 's' },
          },
        ],
      ],
    ],
    append_block_children: [
      [{ page_id: 'p', content: 'a' }, ['PATCH /blocks/p/children', { children: [paragraph('a')] }]],
      [
        { page_id: 'p', content: `${'a'.repeat(2_000)}b` },
        ['PATCH /blocks/p/children', { children: [paragraph('a'.repeat(2_000), 'b')] }],
      ],
    ],
    update_page: [[{ page_id: 'p', title: 't' }, ['PATCH /pages/p', { properties: titled('t') }]]],
    get_block: [[{ block_id: 'b' }, 'GET /blocks/b']],
  },
}
