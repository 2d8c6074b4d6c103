/** Notion's pages, data sources and blocks, cut to what a model needs: values of properties become plain ones. */
import { bool, free, get, isJson, many, prose, shape, str, strs, type Json } from '../kit/index.ts'

const EDITED = { created_at: str('created_time'), edited_at: str('last_edited_time') }

export const Database = shape({
  id: str('parent.database_id'),
  data_source_id: str('id'),
  title: str('title'),
  description: prose('description', 300),
  url: str('url'),
  ...EDITED,
})
export const Hit = shape({
  id: str('id'),
  object: str('object'),
  title: str('title'),
  database_id: str('parent.database_id'),
  parent_page_id: str('parent.page_id'),
  url: str('url'),
  edited_at: str('last_edited_time'),
})
export const Page = shape({
  id: str('id'),
  title: str('title'),
  parent: str('parent_id'),
  parent_type: str('parent.type'),
  url: str('url'),
  ...EDITED,
  in_trash: bool('in_trash'),
  properties: free('properties'),
})
export const Row = shape({
  id: str('id'),
  title: str('title'),
  url: str('url'),
  edited_at: str('last_edited_time'),
  properties: free('properties'),
})
const Source = shape({ id: str(), name: str() })
export const FullDatabase = shape({
  id: str('id'),
  title: str('title'),
  description: prose('description', 2_000),
  url: str('url'),
  ...EDITED,
  data_sources: many(Source, 'data_sources', 50),
  data_source_id: str('data_source_id'),
  properties: free('properties'),
})
export const Block = shape({
  id: str('id'),
  type: str('type'),
  text: prose('text', 5_000),
  checked: bool('checked'),
  language: str('language'),
  link: str('link'),
  has_children: bool('has_children'),
})
export const FullBlock = shape({ ...Block.fields, parent: str('parent_id'), ...EDITED, in_trash: bool('in_trash') })
export const Content = shape({
  markdown: prose('markdown', 100_000),
  truncated: bool('truncated'),
  unread_blocks: strs('unknown_block_ids'),
  blocks: many(Block, 'blocks', 100),
  next_cursor: str('next_cursor'),
})
export const Appended = shape({ blocks: many(Block, 'blocks', 100) })
export const Self = shape({
  id: str(),
  name: str(),
  type: str(),
  workspace: str('bot.workspace_name'),
})

/** The words of a list of rich texts. */
export const wordsOf = (rich: unknown): string | undefined =>
  Array.isArray(rich) ? rich.map((part) => String(get(part, 'plain_text') ?? '')).join('') : undefined

const parentOf = (thing: Json): unknown => get(thing, `parent.${String(get(thing, 'parent.type'))}`)

export const databaseOf = (source: Json): Json => ({
  ...source,
  title: wordsOf(source['title']),
  description: wordsOf(source['description']),
})

/** The title of a page is the value of its property of the type title, whatever its name. */
export function pageOf(page: Json): Json {
  const properties = isJson(page['properties']) ? Object.entries(page['properties']) : []
  const title = properties.find(([, value]) => get(value, 'type') === 'title')?.[1]
  const values = properties
    .filter(([, value]) => value !== title)
    .map(([name, value]) => [name, valueOf(value)] as const)
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
  return {
    ...page,
    title: wordsOf(get(title, 'title')),
    parent_id: parentOf(page),
    properties: properties.length === 0 ? undefined : Object.fromEntries(values),
  }
}

/** Longer texts of a row are cut: thirty rows are read at once. */
const MOST_OF_ROW = 300

export function rowOf(page: Json): Json {
  const row = pageOf(page)
  const properties = isJson(row['properties']) ? Object.entries(row['properties']) : []
  const short = properties.map(([name, value]) => [
    name,
    typeof value === 'string' && value.length > MOST_OF_ROW ? `${value.slice(0, MOST_OF_ROW).toWellFormed()}…` : value,
  ])
  return { ...row, properties: properties.length === 0 ? undefined : Object.fromEntries(short) }
}

export const hitOf = (hit: Json): Json => (hit['object'] === 'page' ? pageOf(hit) : databaseOf(hit))

type Read = (value: unknown) => unknown

const nameOf: Read = (value) => get(value, 'name') ?? get(value, 'id')
const namesOf: Read = (value) => (Array.isArray(value) ? value.map(nameOf) : undefined)
const READ: Readonly<Record<string, Read>> = {
  title: wordsOf,
  rich_text: wordsOf,
  select: nameOf,
  status: nameOf,
  multi_select: namesOf,
  people: namesOf,
  files: namesOf,
  relation: namesOf,
  created_by: nameOf,
  last_edited_by: nameOf,
  date: (value) => {
    const [start, end] = [get(value, 'start'), get(value, 'end')]
    return typeof end === 'string' ? `${String(start)} to ${end}` : start
  },
  unique_id: (value) => [get(value, 'prefix'), get(value, 'number')].filter((part) => part != null).join('-'),
  formula: (value) => valueOf(value),
  rollup: (value) => valueOf(value),
  verification: (value) => get(value, 'state'),
  array: (value) => (Array.isArray(value) ? value.slice(0, 100).map(valueOf) : undefined),
}

/** Numbers, texts, addresses and checkboxes are plain values already; what is not known is left out. */
function valueOf(value: unknown): unknown {
  const type = String(get(value, 'type'))
  const inner = isJson(value) && Object.hasOwn(value, type) ? value[type] : undefined
  if (Object.hasOwn(READ, type)) return READ[type]?.(inner)
  return typeof inner === 'object' ? undefined : inner
}

/** The columns of a data source: the type of each, and its options where it has some. */
export function columnsOf(source: unknown): Json | undefined {
  const properties = get(source, 'properties')
  if (!isJson(properties)) return undefined
  return Object.fromEntries(
    Object.entries(properties).map(([name, column]) => {
      const type = String(get(column, 'type'))
      const options = namesOf(get(column, `${type}.options`))
      return [name, options === undefined ? type : { type, options }]
    }),
  )
}

export function blockOf(block: Json): Json {
  const inner = block[String(block['type'])]
  return {
    ...block,
    parent_id: parentOf(block),
    text:
      wordsOf(get(inner, 'rich_text')) ?? get(inner, 'title') ?? (wordsOf(get(inner, 'caption')) || get(inner, 'name')),
    checked: get(inner, 'checked'),
    language: get(inner, 'language'),
    link: get(inner, 'url') ?? get(inner, 'external.url') ?? get(inner, 'file.url'),
  }
}

export const blocksOf = (results: unknown): readonly Json[] | undefined =>
  Array.isArray(results) ? results.filter(isJson).map(blockOf) : undefined
