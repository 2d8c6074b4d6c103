/** The cases of Confluence: input, then the requests that it makes. */
import type { VendorRows } from '../kit/rows.ts'

const page = { page_id: '65538' }
const body = (value: string) => ({ representation: 'storage', value })
const noWebui = 'the example of the reference has _links.webui; the schema has it in lists alone'

export const rows: VendorRows = {
  described: ['confluence.json', 'confluence-v1.json'],
  place: { site: '11223344-a1b2-4b33-8444-def123456789' },
  failures: [
    {
      status: 409,
      body: { errors: [{ status: 409, code: 'CONFLICT', title: 'Version must be incremented', detail: null }] },
      word: 'EXECUTION_ERROR',
    },
    {
      status: 404,
      body: { errors: [{ status: 404, code: 'NOT_FOUND', title: 'Not Found', detail: null }] },
      word: 'NOT_FOUND',
    },
    {
      status: 400,
      body: { statusCode: 400, message: 'Could not parse cql : ~', data: { authorized: false } },
      word: 'INVALID_ARGUMENT',
    },
    { status: 401, body: { code: 401, message: 'Unauthorized; scope does not match' }, word: 'NEEDS_AUTH' },
    { status: 429, headers: { 'retry-after': '5' }, body: '', word: 'RATE_LIMITED', retryAfter: 5 },
  ],
  undescribed: {
    'get_space.url': noWebui,
    'get_page.url': noWebui,
    'create_page.url': noWebui,
    'update_page.url': noWebui,
    'add_comment.url': noWebui,
  },
  tools: {
    list_spaces: [
      [{}, 'GET /spaces?limit=25'],
      [
        { type: 'global', status: 'current', limit: 5, cursor: 'c=' },
        'GET /spaces?type=global&status=current&limit=5&cursor=c%3D',
      ],
    ],
    get_space: [[{ space_id: '7' }, 'GET /spaces/7?description-format=plain']],
    list_pages: [
      [{}, 'GET /pages?limit=25'],
      [
        { space_id: '7', sort: '-modified-date', status: 'current', limit: 5, cursor: 'c' },
        'GET /pages?space-id=7&sort=-modified-date&status=current&limit=5&cursor=c',
      ],
    ],
    get_page: [[page, 'GET /pages/65538?body-format=storage']],
    create_page: [
      [
        { space_id: '7', title: 't', body: '<p>b</p>' },
        ['POST /pages', { spaceId: '7', status: 'current', title: 't', body: body('<p>b</p>') }],
      ],
      [
        { space_id: '7', title: 't', body: 'a & b', parent_id: '8' },
        ['POST /pages', { spaceId: '7', status: 'current', title: 't', parentId: '8', body: body('<p>a &amp; b</p>') }],
      ],
    ],
    update_page: [
      [
        { ...page, title: 't', body: '<p>b</p>', version_number: 2 },
        [
          'PUT /pages/65538',
          { id: '65538', status: 'current', title: 't', body: body('<p>b</p>'), version: { number: 2 } },
        ],
      ],
      [
        { ...page, title: 't', body: 'b', version_number: 2, status: 'draft' },
        [
          'PUT /pages/65538',
          { id: '65538', status: 'draft', title: 't', body: body('<p>b</p>'), version: { number: 2 } },
        ],
      ],
    ],
    delete_page: [[page, 'DELETE /pages/65538']],
    search_content: [
      [{ cql: 'type = page' }, 'GET /search?cql=type %3D page&limit=25'],
      [
        { cql: 'text ~ "a b"', limit: 5, cursor: 'cursor=n&start=5' },
        'GET /search?cql=text ~ "a b"&limit=5&cursor=n&start=5',
      ],
    ],
    get_page_children: [
      [page, 'GET /pages/65538/direct-children?limit=25'],
      [{ ...page, limit: 5 }, 'GET /pages/65538/direct-children?limit=5'],
    ],
    list_page_comments: [
      [page, 'GET /pages/65538/footer-comments?body-format=storage&limit=25'],
      [{ ...page, limit: 5 }, 'GET /pages/65538/footer-comments?body-format=storage&limit=5'],
    ],
    add_comment: [
      [{ ...page, body: 'a\nb' }, ['POST /footer-comments', { pageId: '65538', body: body('<p>a<br />b</p>') }]],
    ],
    get_page_labels: [
      [page, 'GET /pages/65538/labels?limit=25'],
      [{ ...page, limit: 5 }, 'GET /pages/65538/labels?limit=5'],
    ],
    add_label: [[{ ...page, label: 'l' }, ['POST /content/65538/label', { prefix: 'global', name: 'l' }]]],
    get_page_history: [
      [page, 'GET /pages/65538/versions?limit=25'],
      [{ ...page, limit: 5 }, 'GET /pages/65538/versions?limit=5'],
    ],
    list_page_attachments: [
      [page, 'GET /pages/65538/attachments?limit=25'],
      [{ ...page, limit: 5 }, 'GET /pages/65538/attachments?limit=5'],
    ],
  },
}
