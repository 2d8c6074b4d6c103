/** Confluence: spaces, pages, comments, labels and attachments. REST API 2, and 1 for search and for adding labels. */
import { listSites, siteOf } from '../atlassian/site.ts'
import { storageOf } from '../atlassian/storage.ts'
import {
  choice,
  get,
  maybe,
  nextAddress,
  num,
  prose,
  rest,
  shape,
  str,
  strs,
  text,
  vendor,
  whole,
  type Json,
} from '../kit/index.ts'

const SITE = 'https://api.atlassian.com/ex/confluence/{cloudId}/wiki'
const site = siteOf('confluence')
const size = { name: 'limit', default: 25, max: 250 }

const { read, write, destroy } = rest({
  base: `${SITE}/api/v2`,
  place: site,
  lists: 'comma',
  paging: nextAddress('_links.next', 'cursor', size),
})
const first = rest({
  base: `${SITE}/rest/api`,
  place: site,
  paging: nextAddress('_links.next', 'cursor start', { ...size, max: 100 }),
})

const page_id = text('Number of the page, e.g. 65538')
const ofPage = ({ page_id }: { page_id: string }) => ({ id: page_id })
const storage = text('Storage format, e.g. <p>Hello</p>, or plain text')
const SORTS = [
  'id',
  '-id',
  'title',
  '-title',
  'created-date',
  '-created-date',
  'modified-date',
  '-modified-date',
] as const

const Space = shape({
  id: str(),
  key: str(),
  name: str(),
  type: str(),
  status: str(),
  homepage_id: str('homepageId'),
  url: str('url'),
})
const FullSpace = shape({
  ...Space.fields,
  description: prose('description.plain.value', 2_000),
  author_id: str('authorId'),
  created_at: str('createdAt'),
})
const Page = shape({
  id: str(),
  title: str(),
  status: str(),
  space_id: str('spaceId'),
  parent_id: str('parentId'),
  author_id: str('authorId'),
  version: num('version.number'),
  changed_at: str('version.createdAt'),
  url: str('url'),
})
const FullPage = shape({ ...Page.fields, created_at: str('createdAt'), body: prose('body.storage.value', 50_000) })
const Found = shape({
  id: str('content.id'),
  type: str('content.type'),
  title: str('title'),
  space: str('resultGlobalContainer.title'),
  excerpt: prose('excerpt', 300),
  changed_at: str('lastModified'),
  url: str('url'),
})
const Child = shape({ id: str(), title: str(), type: str(), status: str(), space_id: str('spaceId') })
const Comment = shape({
  id: str(),
  author_id: str('version.authorId'),
  created_at: str('version.createdAt'),
  body: prose('body.storage.value', 2_000),
  url: str('url'),
})
const Label = shape({ id: str(), name: str(), prefix: str() })
const Labels = shape({ labels: strs('results[].name') })
const Version = shape({
  number: num(),
  author_id: str('authorId'),
  created_at: str('createdAt'),
  message: prose('message', 300),
})
const Attachment = shape({
  id: str(),
  title: str(),
  media_type: str('mediaType'),
  size: num('fileSize'),
  comment: prose('comment', 300),
  version: num('version.number'),
  created_at: str('createdAt'),
  url: str('url'),
})

/** Addresses in an answer are relative to one that stands in the same answer. */
const withUrl =
  (at: string) =>
  (item: Json, _: unknown, { body }: { readonly body: unknown }): Json => {
    const [base, path] = [get(body, '_links.base'), get(item, at)]
    return { ...item, url: typeof base === 'string' && typeof path === 'string' ? base + path : undefined }
  }
const webui = withUrl('_links.webui')

/** The marks of found words are taken out. */
const plain = (value: unknown) => (typeof value === 'string' ? value.replaceAll(/@@@(?:end)?hl@@@/g, '') : undefined)

export const confluence = vendor({
  id: 'confluence',
  auth: { provider: 'confluence' },
  scopes: {
    read: ['read:page:confluence'],
    write: ['write:page:confluence'],
    destructive: ['delete:page:confluence'],
  },
  whoami: listSites,
  resources: {
    'confluence://space/{space_id}': 'get_space',
    'confluence://page/{page_id}': 'get_page',
  },
  tools: {
    list_spaces: read('GET /spaces', {
      says: 'List spaces by type and status; other tools require their numbers.',
      input: {
        type: choice(['global', 'personal', 'collaboration', 'knowledge_base']).optional(),
        status: choice(['current', 'archived']).optional(),
      },
      at: 'results',
      list: Space,
      give: webui,
      scopes: ['read:space:confluence'],
    }),
    get_space: read('GET /spaces/{id}', {
      says: 'Get the name, description and home page of one space.',
      input: { space_id: text('Number from confluence_list_spaces') },
      send: ({ space_id }) => ({ id: space_id, 'description-format': 'plain' }),
      output: FullSpace,
      give: webui,
      scopes: ['read:space:confluence'],
    }),
    list_pages: read('GET /pages', {
      says: 'List pages without their text, in all spaces or in one.',
      input: {
        space_id: maybe('Number from confluence_list_spaces'),
        sort: choice(SORTS).optional(),
        status: choice(['current', 'archived', 'deleted', 'trashed']).optional(),
      },
      send: ({ space_id, ...rest }) => ({ 'space-id': space_id, ...rest }),
      at: 'results',
      list: Page,
      give: webui,
    }),
    get_page: read('GET /pages/{id}', {
      says: 'Get one page with its text in storage format and its version.',
      input: { page_id },
      send: ({ page_id }) => ({ id: page_id, 'body-format': 'storage' }),
      output: FullPage,
      give: webui,
    }),
    create_page: write('POST /pages', {
      says: 'Create a page in a space, below a parent if one is given.',
      input: {
        space_id: text('Number from confluence_list_spaces'),
        title: text('Not yet used in the space'),
        body: storage,
        parent_id: maybe('Number of the parent page'),
      },
      send: ({ space_id, title, body, parent_id }) => ({
        spaceId: space_id,
        status: 'current',
        title,
        parentId: parent_id,
        body: { representation: 'storage', value: storageOf(body) },
      }),
      output: Page,
      give: webui,
    }),
    update_page: write('PUT /pages/{page_id}', {
      says: 'Replace the title and the whole text of a page. Read the page first: an old version number is refused.',
      input: {
        page_id,
        title: text('Title, even if it does not change'),
        body: storage,
        version_number: whole('version from confluence_get_page plus 1'),
        status: choice(['current', 'draft']).default('current'),
      },
      send: ({ page_id, title, body, version_number, status }) => ({
        page_id,
        id: page_id,
        status,
        title,
        body: { representation: 'storage', value: storageOf(body) },
        version: { number: version_number },
      }),
      output: Page,
      give: webui,
    }),
    delete_page: destroy('DELETE /pages/{id}', {
      says: 'Move a page to the trash of its space.',
      input: { page_id },
      send: ofPage,
    }),
    search_content: first.read('GET /search', {
      says: 'Search pages, blog posts, comments and files with CQL. Put words in quotes.',
      input: { cql: text('e.g. type = page AND text ~ "release plan"') },
      at: 'results',
      list: Found,
      give: (found, input, answer) => ({
        ...withUrl('url')(found, input, answer),
        title: plain(found['title']),
        excerpt: plain(found['excerpt']),
      }),
      scopes: ['search:confluence'],
    }),
    get_page_children: read('GET /pages/{id}/direct-children', {
      says: 'List what is directly below a page: pages, folders, whiteboards and databases.',
      input: { page_id },
      send: ofPage,
      at: 'results',
      list: Child,
      scopes: ['read:hierarchical-content:confluence'],
    }),
    list_page_comments: read('GET /pages/{id}/footer-comments', {
      says: 'List the comments on a page, in storage format.',
      input: { page_id },
      send: ({ page_id }) => ({ id: page_id, 'body-format': 'storage' }),
      at: 'results',
      list: Comment,
      give: webui,
      scopes: ['read:comment:confluence'],
    }),
    add_comment: write('POST /footer-comments', {
      says: 'Add a comment to a page.',
      input: { page_id, body: storage },
      send: ({ page_id, body }) => ({
        pageId: page_id,
        body: { representation: 'storage', value: storageOf(body) },
      }),
      output: Comment,
      give: webui,
      scopes: ['write:comment:confluence'],
    }),
    get_page_labels: read('GET /pages/{id}/labels', {
      says: 'List the labels on a page.',
      input: { page_id },
      send: ofPage,
      at: 'results',
      list: Label,
    }),
    add_label: first.write('POST /content/{id}/label', {
      says: 'Add a label to a page. Returns all labels on the page.',
      input: { page_id, label: text('One word, e.g. release-notes') },
      send: ({ page_id, label }) => ({ id: page_id, prefix: 'global', name: label }),
      output: Labels,
      scopes: ['write:confluence-content'],
    }),
    get_page_history: read('GET /pages/{id}/versions', {
      says: 'List the versions of a page: who changed it and when, newest first.',
      input: { page_id },
      send: ofPage,
      at: 'results',
      list: Version,
    }),
    list_page_attachments: read('GET /pages/{id}/attachments', {
      says: 'List the files that are attached to a page.',
      input: { page_id },
      send: ofPage,
      at: 'results',
      list: Attachment,
      give: webui,
      scopes: ['read:attachment:confluence'],
    }),
  },
})
