/** The cases of Google Docs: input, then the requests that it makes. */
import type { VendorRows } from '../kit/rows.ts'

const document = { document_id: 'd' }
const files = (q: string, order: string, size: number) =>
  `GET /files?q=${q}${order}&fields=nextPageToken%2Cfiles(id%2Cname%2CcreatedTime%2CmodifiedTime%2Cowners(emailAddress)%2Cshared%2CwebViewLink)&supportsAllDrives=true&includeItemsFromAllDrives=true&pageSize=${size}`
const docs = "mimeType %3D 'application%2Fvnd.google-apps.document' and trashed %3D false"
const update = 'POST /documents/d:batchUpdate'

export const rows: VendorRows = {
  described: ['google-docs.json', 'google-drive.json'],
  // A standard parameter of all of Google's APIs.
  queries: ['fields'],
  failures: [
    {
      status: 401,
      body: {
        error: { code: 401, message: 'Request had invalid authentication credentials.', status: 'UNAUTHENTICATED' },
      },
      word: 'NEEDS_AUTH',
    },
    {
      status: 403,
      body: { error: { code: 403, message: 'Rate Limit Exceeded', errors: [{ reason: 'userRateLimitExceeded' }] } },
      word: 'RATE_LIMITED',
    },
    {
      status: 403,
      body: {
        error: { code: 403, message: 'Request had insufficient authentication scopes.', status: 'PERMISSION_DENIED' },
      },
      word: 'PERMISSION_DENIED',
    },
  ],
  tools: {
    list_documents: [
      [{}, files(docs, '&orderBy=modifiedTime desc', 20)],
      [
        { order_by: 'name', owner_email: "o'b@example.com", page_size: 5 },
        files(String.raw`${docs} and 'o\'b%40example.com' in owners`, '&orderBy=name', 5),
      ],
    ],
    get_document: [
      [
        document,
        'GET /documents/d?fields=documentId%2Ctitle%2CrevisionId',
        'GET /files/d?fields=owners(emailAddress)%2CmodifiedTime%2CwebViewLink&supportsAllDrives=true',
      ],
    ],
    read_document_content: [
      [document, 'GET /documents/d?includeTabsContent=true'],
      [{ ...document, format: 'structured' }, 'GET /documents/d?includeTabsContent=true'],
    ],
    search_documents: [
      [{ query: 'a b' }, files(`${docs} and fullText contains 'a b'`, '', 20)],
      [
        { query: "it's", owner_email: 'ada@example.com', page_size: 5 },
        files(String.raw`${docs} and fullText contains 'it\'s' and 'ada%40example.com' in owners`, '', 5),
      ],
    ],
    create_document: [
      [{ title: 't' }, ['POST /documents', { title: 't' }]],
      [{ title: 't', initial_content: 'c' }, ['POST /documents', { title: 't' }]],
    ],
    append_text: [
      [{ ...document, text: 'x' }, [update, { requests: [{ insertText: { text: 'x', endOfSegmentLocation: {} } }] }]],
    ],
    insert_text: [
      [
        { ...document, text: 'x', index: 1 },
        [update, { requests: [{ insertText: { text: 'x', location: { index: 1 } } }] }],
      ],
    ],
    export_document: [
      [document, 'GET /files/d/export?mimeType=application%2Fpdf'],
      [{ ...document, mime_type: 'text/plain' }, 'GET /files/d/export?mimeType=text%2Fplain'],
    ],
    get_permissions: [
      [
        document,
        'GET /files/d/permissions?fields=nextPageToken%2Cpermissions(id%2Crole%2Ctype%2CemailAddress%2CdisplayName%2Cdomain)&supportsAllDrives=true&pageSize=20',
      ],
      [
        { ...document, page_size: 5 },
        'GET /files/d/permissions?fields=nextPageToken%2Cpermissions(id%2Crole%2Ctype%2CemailAddress%2CdisplayName%2Cdomain)&supportsAllDrives=true&pageSize=5',
      ],
    ],
    list_shared_documents: [
      [{}, files(`${docs} and sharedWithMe %3D true`, '', 20)],
      [{ page_size: 5 }, files(`${docs} and sharedWithMe %3D true`, '', 5)],
    ],
  },
  answers: {
    read_document_content: [
      [
        {
          documentId: 'd',
          title: 't',
          tabs: [
            {
              documentTab: {
                body: {
                  content: [
                    {
                      paragraph: {
                        paragraphStyle: { namedStyleType: 'HEADING_1' },
                        elements: [{ textRun: { content: 'Title\n' } }],
                      },
                    },
                  ],
                },
              },
            },
          ],
        },
      ],
    ],
    export_document: [['text']],
  },
  undescribed: {
    'export_document.data': 'bytes are in no description',
    'export_document.is_base64': 'bytes are in no description',
  },
}
