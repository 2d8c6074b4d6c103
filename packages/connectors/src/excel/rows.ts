/** The cases of Excel: input, then the requests that it makes. */
import { lineOf, type VendorRows } from '../kit/rows.ts'

const item = { item_id: 'i' }
const sheet = { ...item, worksheet: 'Sheet1' }
const range = { ...sheet, range: 'A1:B2' }
const values = [
  ['Name', 3],
  [null, true],
]
const workbook = '/me/drive/items/i/workbook'
const at = `${workbook}/worksheets/Sheet1/range(address='A1%3AB2')`
const file = 'id,name,size,createdDateTime,lastModifiedDateTime,lastModifiedBy,parentReference,webUrl,file'
const cell = `${workbook}/worksheets/Sheet1/range(address='D1')`

export const rows: VendorRows = {
  described: ['microsoft-graph.json'],
  failures: [
    {
      status: 429,
      headers: { 'retry-after': '20' },
      body: { error: { code: 'activityLimitReached', message: 'The app or user has been throttled.' } },
      word: 'RATE_LIMITED',
      retryAfter: 20,
    },
    {
      status: 404,
      body: { error: { code: 'ItemNotFound', message: "The requested resource doesn't exist." } },
      word: 'NOT_FOUND',
    },
    {
      status: 400,
      body: {
        error: { code: 'InvalidArgument', message: 'The argument is invalid or missing or has an incorrect format.' },
      },
      word: 'INVALID_ARGUMENT',
    },
    {
      status: 409,
      body: { error: { code: 'AccessConflict', message: 'The workbook is locked for editing.' } },
      word: 'EXECUTION_ERROR',
    },
  ],
  answers: {
    // The name of a sample has another ending.
    list_workbooks: [
      [
        {
          value: [
            {
              id: 'i',
              name: 'Plan.xlsx',
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
    get_used_range: [[{ address: 'Sheet1!A1:B2', values }]],
    read_range: [[{ address: 'Sheet1!A1:B2', values }]],
    run_formula: [[{}, { address: 'Sheet1!D1', values: [[6]], text: [['6']], formulas: [['=SUM(A1:A3)']] }]],
  },
  tools: {
    list_workbooks: [
      [{}, lineOf('GET /me/drive/root/children', { $select: file, $top: '25' })],
      [
        { search_query: "ada's", top: 5 },
        lineOf("GET /me/drive/root/search(q='ada''s')", { $select: file, $top: '5' }),
      ],
    ],
    get_workbook: [[item, lineOf('GET /me/drive/items/i', { $select: file })]],
    list_worksheets: [[item, `GET ${workbook}/worksheets`]],
    read_range: [[range, lineOf(`GET ${at}`, { $select: 'address,values' })]],
    write_range: [[{ ...range, values }, [`PATCH ${at}`, { values }]]],
    append_rows: [[{ ...item, table_name: 'T1', values }, [`POST ${workbook}/tables/T1/rows/add`, { values }]]],
    clear_range: [[range, [`POST ${at}/clear`, { applyTo: 'Contents' }]]],
    create_workbook: [
      [
        { filename: 'Budget' },
        lineOf('PUT /me/drive/root:/Budget.xlsx:/content', { '@microsoft.graph.conflictBehavior': 'fail' }),
      ],
      [
        { filename: 'Reports/Budget 2026.xlsx' },
        lineOf('PUT /me/drive/root:/Reports/Budget 2026.xlsx:/content', {
          '@microsoft.graph.conflictBehavior': 'fail',
        }),
      ],
    ],
    add_worksheet: [[{ ...item, name: '2026' }, [`POST ${workbook}/worksheets/add`, { name: '2026' }]]],
    delete_worksheet: [[sheet, `DELETE ${workbook}/worksheets/Sheet1`]],
    list_tables: [[item, `GET ${workbook}/tables`]],
    create_table: [
      [
        { ...sheet, address: 'A1:B2' },
        [`POST ${workbook}/worksheets/Sheet1/tables/add`, { address: 'A1:B2', hasHeaders: true }],
      ],
      [
        { ...sheet, address: 'A1:B2', has_headers: false },
        [`POST ${workbook}/worksheets/Sheet1/tables/add`, { address: 'A1:B2', hasHeaders: false }],
      ],
    ],
    get_used_range: [
      [sheet, lineOf(`GET ${workbook}/worksheets/Sheet1/usedRange(valuesOnly=true)`, { $select: 'address,values' })],
    ],
    run_formula: [
      [
        { ...sheet, cell: 'D1', formula: '=SUM(A1:A3)' },
        [`PATCH ${cell}`, { formulas: [['=SUM(A1:A3)']] }],
        lineOf(`GET ${cell}`, { $select: 'address,values,text,formulas' }),
      ],
    ],
  },
}
