/** The cases of PowerPoint: input, then the requests that it makes. Slides are read from the file. */
import { lineOf, type VendorRows } from '../kit/rows.ts'
import { emptyPresentation } from '../microsoft/office-files.ts'

const item = { item_id: 'i' }
const file = 'id,name,size,createdDateTime,lastModifiedDateTime,lastModifiedBy,parentReference,webUrl,file'
const content = 'GET /me/drive/items/i/content'
const elsewhere = {
  whole: {
    status: 302,
    headers: { location: 'https://contoso.sharepoint.com/download.aspx?tempauth=x' },
    body: undefined,
  },
}
const downloaded = (bytes: string) => [elsewhere, { whole: { status: 200, headers: {}, body: undefined, bytes } }]

export const rows: VendorRows = {
  described: ['microsoft-graph.json'],
  failures: [
    {
      status: 503,
      headers: { 'retry-after': '30' },
      body: { error: { code: 'activityLimitReached', message: 'Throttled' } },
      word: 'RATE_LIMITED',
      retryAfter: 30,
    },
    { status: 404, body: { error: { code: 'itemNotFound', message: 'Item not found' } }, word: 'NOT_FOUND' },
  ],
  picks: ['get_slide_content', 'export_pdf', 'list_slides', 'copy_presentation'],
  answers: {
    // The name of a sample has another ending.
    list_presentations: [
      [
        {
          value: [
            {
              id: 'i',
              name: 'Plan.pptx',
              size: 9,
              createdDateTime: '2026-11-01T00:00:00Z',
              lastModifiedDateTime: '2026-11-02T00:00:00Z',
              lastModifiedBy: { user: { displayName: 'Ada' } },
              parentReference: { path: '/drive/root:/Talks' },
              webUrl: 'https://contoso.sharepoint.com/i',
              file: {},
            },
            { id: 'j', name: 'notes.txt', file: {} },
          ],
        },
      ],
    ],
    get_slide_content: [downloaded(emptyPresentation())],
    list_slides: [downloaded(emptyPresentation())],
    export_pdf: [downloaded('JVBERg==')],
    copy_presentation: [
      [
        { whole: { status: 202, headers: { location: 'https://contoso.sharepoint.com/monitor/1' }, body: undefined } },
        { status: 'completed', percentageComplete: 100, resourceId: 'j' },
      ],
    ],
  },
  tools: {
    list_presentations: [
      [{}, lineOf("GET /me/drive/root/search(q='.pptx')", { $select: file, $top: '25' })],
      [
        { search_query: "ada's", top: 5 },
        lineOf("GET /me/drive/root/search(q='ada''s')", { $select: file, $top: '5' }),
      ],
    ],
    get_presentation: [[item, lineOf('GET /me/drive/items/i', { $select: file })]],
    get_slide_content: [[item, content]],
    create_presentation: [
      [
        { filename: 'Talks/Plan' },
        lineOf('PUT /me/drive/root:/Talks/Plan.pptx:/content', { '@microsoft.graph.conflictBehavior': 'fail' }),
      ],
    ],
    export_pdf: [[item, `${content}?format=pdf`]],
    upload_presentation: [[{ ...item, content: emptyPresentation() }, 'PUT /me/drive/items/i/content']],
    list_slides: [[item, content]],
    copy_presentation: [
      [{ ...item, new_name: 'B.pptx' }, ['POST /me/drive/items/i/copy', { name: 'B.pptx' }]],
      [
        { ...item, new_name: 'B.pptx', parent_folder_id: 'f' },
        ['POST /me/drive/items/i/copy', { name: 'B.pptx', parentReference: { id: 'f' } }],
      ],
    ],
    move_presentation: [
      [{ ...item, destination_folder_id: 'f' }, ['PATCH /me/drive/items/i', { parentReference: { id: 'f' } }]],
    ],
    delete_presentation: [[item, 'DELETE /me/drive/items/i']],
  },
}
