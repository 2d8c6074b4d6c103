/** The cases of Google Sheets: input, then the requests that it makes. */
import type { VendorRows } from '../kit/rows.ts'

const spreadsheet = { spreadsheet_id: 's' }
const range = { ...spreadsheet, range: 'Sheet1!A1:B2' }
const at = '/spreadsheets/s/values/Sheet1!A1%3AB2'
const update = 'POST /spreadsheets/s:batchUpdate'
const values = [
  ['a', 1],
  [true, null],
]
const files = (more: string, order: string, size: number) =>
  `GET /files?q=mimeType %3D 'application%2Fvnd.google-apps.spreadsheet' and trashed %3D false${more}${order}&fields=nextPageToken%2Cfiles(id%2Cname%2CcreatedTime%2CmodifiedTime%2Cowners(emailAddress)%2Cshared%2CwebViewLink)&supportsAllDrives=true&includeItemsFromAllDrives=true&pageSize=${size}`
const replace = { find: 'a', replacement: 'b' }
const flags = { matchCase: false, matchEntireCell: false, searchByRegex: false }
const block = { ...spreadsheet, sheet_id: 0, start_row: 0, end_row: 1, start_column: 0, end_column: 3 }
const cells = { sheetId: 0, startRowIndex: 0, endRowIndex: 1, startColumnIndex: 0, endColumnIndex: 3 }

export const rows: VendorRows = {
  described: ['google-sheets.json', 'google-drive.json'],
  // A standard parameter of all of Google's APIs.
  queries: ['fields'],
  failures: [
    {
      status: 400,
      body: { error: { code: 400, message: 'Unable to parse range: Nope!A1', status: 'INVALID_ARGUMENT' } },
      word: 'INVALID_ARGUMENT',
    },
    {
      status: 429,
      body: {
        error: { code: 429, message: "Quota exceeded for quota metric 'Read requests'", status: 'RESOURCE_EXHAUSTED' },
      },
      word: 'RATE_LIMITED',
    },
  ],
  tools: {
    list_spreadsheets: [
      [{}, files('', '&orderBy=modifiedTime desc', 20)],
      [
        { order_by: 'name desc', owner_email: 'ada@example.com', page_size: 5 },
        files(" and 'ada%40example.com' in owners", '&orderBy=name desc', 5),
      ],
    ],
    get_spreadsheet: [
      [
        spreadsheet,
        'GET /spreadsheets/s?fields=spreadsheetId%2CspreadsheetUrl%2Cproperties(title%2Clocale%2CtimeZone)%2Csheets.properties%2CnamedRanges(name)',
      ],
      [{ ...spreadsheet, fields: 'properties' }, 'GET /spreadsheets/s?fields=properties'],
    ],
    read_range: [
      [range, `GET ${at}?majorDimension=ROWS&valueRenderOption=FORMATTED_VALUE`],
      [
        { ...range, major_dimension: 'COLUMNS', value_render_option: 'FORMULA' },
        `GET ${at}?majorDimension=COLUMNS&valueRenderOption=FORMULA`,
      ],
    ],
    write_range: [
      [{ ...range, values }, [`PUT ${at}?valueInputOption=USER_ENTERED`, { values }]],
      [{ ...range, values, value_input_option: 'RAW' }, [`PUT ${at}?valueInputOption=RAW`, { values }]],
    ],
    append_rows: [
      [{ ...range, values }, [`POST ${at}:append?valueInputOption=USER_ENTERED`, { values }]],
      [{ ...range, values, value_input_option: 'RAW' }, [`POST ${at}:append?valueInputOption=RAW`, { values }]],
    ],
    clear_range: [[range, [`POST ${at}:clear`, {}]]],
    create_spreadsheet: [
      [{ title: 't' }, ['POST /spreadsheets', { properties: { title: 't' } }]],
      [
        { title: 't', sheet_names: ['a'] },
        ['POST /spreadsheets', { properties: { title: 't' }, sheets: [{ properties: { title: 'a' } }] }],
      ],
    ],
    add_sheet: [
      [
        { ...spreadsheet, title: 't' },
        [
          update,
          {
            requests: [
              { addSheet: { properties: { title: 't', gridProperties: { rowCount: 1000, columnCount: 26 } } } },
            ],
          },
        ],
      ],
      [
        { ...spreadsheet, title: 't', row_count: 2, column_count: 3 },
        [
          update,
          { requests: [{ addSheet: { properties: { title: 't', gridProperties: { rowCount: 2, columnCount: 3 } } } }] },
        ],
      ],
    ],
    delete_sheet: [[{ ...spreadsheet, sheet_id: 7 }, [update, { requests: [{ deleteSheet: { sheetId: 7 } }] }]]],
    get_sheet_metadata: [[spreadsheet, 'GET /spreadsheets/s?fields=spreadsheetId%2Csheets.properties']],
    batch_update: [
      [
        { ...spreadsheet, requests: [{ deleteSheet: { sheetId: 7 } }] },
        [update, { requests: [{ deleteSheet: { sheetId: 7 } }] }],
      ],
    ],
    find_and_replace: [
      [
        { ...spreadsheet, ...replace },
        [update, { requests: [{ findReplace: { ...replace, allSheets: true, ...flags } }] }],
      ],
      [
        { ...spreadsheet, ...replace, sheet_id: 7, match_case: true, match_entire_cell: true, search_by_regex: true },
        [
          update,
          {
            requests: [
              {
                findReplace: { ...replace, sheetId: 7, matchCase: true, matchEntireCell: true, searchByRegex: true },
              },
            ],
          },
        ],
      ],
    ],
    format_range: [
      [
        { ...block, bold: true },
        [
          update,
          {
            requests: [
              {
                repeatCell: {
                  range: cells,
                  cell: { userEnteredFormat: { textFormat: { bold: true } } },
                  fields: 'userEnteredFormat.textFormat.bold',
                },
              },
            ],
          },
        ],
      ],
      [
        { ...block, italic: true, font_size: 12, background_color: { red: 1 }, text_color: { blue: 1 } },
        [
          update,
          {
            requests: [
              {
                repeatCell: {
                  range: cells,
                  cell: {
                    userEnteredFormat: {
                      textFormat: { italic: true, fontSize: 12, foregroundColorStyle: { rgbColor: { blue: 1 } } },
                      backgroundColorStyle: { rgbColor: { red: 1 } },
                    },
                  },
                  fields:
                    'userEnteredFormat.textFormat.italic,userEnteredFormat.textFormat.fontSize,userEnteredFormat.textFormat.foregroundColorStyle,userEnteredFormat.backgroundColorStyle',
                },
              },
            ],
          },
        ],
      ],
    ],
    search_spreadsheets: [
      [{ query: 'a' }, files(" and fullText contains 'a'", '', 20)],
      [
        { query: 'a', owner_email: 'ada@example.com', page_size: 5 },
        files(" and fullText contains 'a' and 'ada%40example.com' in owners", '', 5),
      ],
    ],
  },
}
