/** Google Docs: documents of Drive, their text and changes to it. Docs API of version 1, Drive API of version 3. */
import { METADATA, drive, fileTools, googleFailures, scopeOf } from '../google/google.ts'
import {
  bool,
  choice,
  get,
  isJson,
  many,
  maybe,
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

const { read, write, ask } = rest({ base: 'https://docs.googleapis.com/v1', failures: googleFailures })
const TYPE = 'application/vnd.google-apps.document'
const files = fileTools(TYPE, 'documents')
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

const document = {
  document_id: text('Identifier, from its address, e.g. 195j9eDD3ccgjQRttHhJPymLJUCOUjs-jmwTrekvdjFE'),
}
const update = 'POST /documents/{document_id}:batchUpdate'

const Facts = shape({
  id: str('documentId'),
  title: str(),
  revision: str('revisionId'),
  owners: strs('file.owners[].emailAddress'),
  modified: str('file.modifiedTime'),
  url: str('file.webViewLink'),
})
const Paragraph = shape({ style: str(), text: prose('text', 4_000) })
const Content = shape({
  id: str('documentId'),
  title: str(),
  text: prose('text', 100_000),
  paragraphs: many(Paragraph, 'paragraphs', 500),
})
const Created = shape({ id: str('documentId'), title: str() })
const Changed = shape({ id: str('documentId') })
const Exported = shape({ type: str(), text: prose('text', 100_000), data: str(), is_base64: bool() })

export const google_docs = vendor({
  id: 'google_docs',
  auth: { provider: 'google_docs' },
  scopes: {
    read: [scopeOf('documents.readonly')],
    write: [scopeOf('documents')],
    destructive: [scopeOf('documents')],
  },
  whoami: 'list_documents',
  resources: {
    'google-docs://document/{document_id}': 'read_document_content',
  },
  tools: {
    list_documents: files.list,
    get_document: read.steps({
      says: 'Get the title, revision, owners and address of a document.',
      input: document,
      output: Facts,
      scopes: [scopeOf('documents.readonly'), ...METADATA],
      *run({ document_id }) {
        const doc = yield* ask('GET /documents/{document_id}', { document_id, fields: 'documentId,title,revisionId' })
        const fields = 'owners(emailAddress),modifiedTime,webViewLink'
        const file = yield* drive.ask('GET /files/{fileId}', { fileId: document_id, fields, supportsAllDrives: true })
        return { ...(isJson(doc.body) ? doc.body : {}), file: file.body }
      },
    }),
    read_document_content: read('GET /documents/{document_id}', {
      says: 'Read the text of a document with all its tabs, or its paragraphs with their styles.',
      input: { ...document, format: choice(['structured', 'plain_text']).default('plain_text') },
      send: ({ document_id }) => ({ document_id, includeTabsContent: true }),
      output: Content,
      give(doc, { format }) {
        const paragraphs = paragraphsOf(doc)
        const whole = paragraphs.map((paragraph) => paragraph['text']).join('')
        return { ...doc, ...(format === 'structured' ? { paragraphs } : { text: whole }) }
      },
    }),
    search_documents: files.search,
    create_document: write.steps({
      says: 'Create a document, optionally with text.',
      input: { title: text('e.g. Minutes'), initial_content: maybe('Plain text') },
      output: Created,
      *run({ title, initial_content: first }) {
        const { body } = yield* ask('POST /documents', { title })
        const created = isJson(body) ? body : {}
        const id = String(created['documentId'] ?? '')
        if (first !== undefined && id !== '')
          yield* ask(update, { document_id: id, requests: [inserted(first, { location: { index: 1 } })] })
        return created
      },
    }),
    append_text: write(update, {
      says: 'Add text at the end of a document.',
      input: { ...document, text: text('Plain text') },
      send: ({ document_id, text: added }) => ({
        document_id,
        requests: [inserted(added, { endOfSegmentLocation: {} })],
      }),
      output: Changed,
    }),
    insert_text: write(update, {
      says: 'Insert text at a position in a document; 1 is the beginning.',
      input: { ...document, text: text('Plain text'), index: whole('e.g. 1') },
      send: ({ document_id, text: added, index }) => ({
        document_id,
        requests: [inserted(added, { location: { index } })],
      }),
      output: Changed,
    }),
    export_document: drive.read('GET /files/{fileId}/export', {
      says: 'Export a document as PDF, text, HTML or DOCX, at most 10 MB. PDF and DOCX are returned as base64.',
      input: {
        ...document,
        mime_type: choice(['application/pdf', 'text/plain', 'text/html', DOCX]).default('application/pdf'),
      },
      send: ({ document_id, mime_type }) => ({ fileId: document_id, mimeType: mime_type }),
      paging: false,
      output: Exported,
      give: (_, { mime_type }, { body, bytes }): Json =>
        bytes === undefined ? { type: mime_type, text: body } : { type: mime_type, data: bytes, is_base64: true },
      scopes: [scopeOf('drive.readonly')],
    }),
    get_permissions: files.permissions('document_id'),
    list_shared_documents: files.shared,
  },
})

const inserted = (added: string, at: Json) => ({ insertText: { text: added, ...at } })

/** The paragraphs of all tabs, tabs within tabs included, in their order. */
function paragraphsOf(doc: Json): Json[] {
  const own = listOf(get(doc, 'documentTab.body.content') ?? get(doc, 'body.content')).flatMap(paragraphOf)
  const tabs = [...listOf(get(doc, 'tabs')), ...listOf(get(doc, 'childTabs'))].filter(isJson)
  return [...own, ...tabs.flatMap(paragraphsOf)]
}

/** Of a table, the paragraphs of its cells. */
function paragraphOf(element: unknown): Json[] {
  const runs = get(element, 'paragraph.elements[].textRun.content')
  if (Array.isArray(runs))
    return [{ style: get(element, 'paragraph.paragraphStyle.namedStyleType'), text: runs.map(String).join('') }]
  return listOf(get(element, 'table.tableRows[].tableCells[].content')).flat(2).flatMap(paragraphOf)
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
