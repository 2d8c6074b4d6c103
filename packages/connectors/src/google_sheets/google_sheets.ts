/** Google Sheets: spreadsheets of Drive, values of ranges and changes to sheets. Sheets API of version 4, Drive API of version 3. */
import { z } from 'zod'
import { fileTools, googleFailures, scopeOf } from '../google/google.ts'
import {
  bool,
  changed,
  choice,
  grid,
  many,
  maybe,
  num,
  rest,
  shape,
  str,
  strs,
  text,
  texts,
  vendor,
  whole,
  type Json,
} from '../kit/index.ts'

const { read, write, destroy } = rest({
  base: 'https://sheets.googleapis.com/v4',
  emptyBody: true,
  failures: googleFailures,
})
const files = fileTools('application/vnd.google-apps.spreadsheet', 'spreadsheets')

const spreadsheet = {
  spreadsheet_id: text('Identifier, from its address, e.g. 1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms'),
}
const range = { ...spreadsheet, range: text('In A1 notation, e.g. Sheet1!A1:C10') }
const sheet_id = whole('From google_sheets_get_sheet_metadata, e.g. 0')
const values = z.array(z.array(z.unknown())).min(1).describe('Rows of cells, e.g. [["Name","Sum"],["Ada",3]]')
const value_input_option = choice(['USER_ENTERED', 'RAW']).default('USER_ENTERED')
const update = 'POST /spreadsheets/{spreadsheet_id}:batchUpdate'

const Sheet = shape({
  id: num('properties.sheetId'),
  title: str('properties.title'),
  index: num('properties.index'),
  rows: num('properties.gridProperties.rowCount'),
  columns: num('properties.gridProperties.columnCount'),
  hidden: bool('properties.hidden'),
})
const Spreadsheet = shape({
  id: str('spreadsheetId'),
  title: str('properties.title'),
  locale: str('properties.locale'),
  time_zone: str('properties.timeZone'),
  url: str('spreadsheetUrl'),
  sheets: many(Sheet, 'sheets', 200),
  named_ranges: strs('namedRanges[].name'),
})
const Metadata = shape({ id: str('spreadsheetId'), sheets: many(Sheet, 'sheets', 200) })
const Values = shape({ range: str(), values: grid() })
const Written = shape({
  range: str('updatedRange'),
  rows: num('updatedRows'),
  columns: num('updatedColumns'),
  cells: num('updatedCells'),
})
const Appended = shape({
  range: str('updates.updatedRange'),
  rows: num('updates.updatedRows'),
  cells: num('updates.updatedCells'),
})
const Cleared = shape({ range: str('clearedRange') })
const Created = shape({ id: str('spreadsheetId'), url: str('spreadsheetUrl'), sheets: many(Sheet, 'sheets') })
const Updated = shape({ id: str('spreadsheetId') })
const Added = shape({ id: str('spreadsheetId'), sheet_ids: strs('replies[].addSheet.properties.sheetId') })
const Replaced = shape({ id: str('spreadsheetId'), occurrences: strs('replies[].findReplace.occurrencesChanged') })

const Color = z
  .strictObject({ red: z.number().min(0).max(1), green: z.number().min(0).max(1), blue: z.number().min(0).max(1) })
  .partial()
  .optional()
  .describe('e.g. {"red":1}')
const MASK = 'spreadsheetId,spreadsheetUrl,properties(title,locale,timeZone),sheets.properties,namedRanges(name)'

export const google_sheets = vendor({
  id: 'google_sheets',
  auth: { provider: 'google_sheets' },
  scopes: {
    read: [scopeOf('spreadsheets.readonly')],
    write: [scopeOf('spreadsheets')],
    destructive: [scopeOf('spreadsheets')],
  },
  whoami: 'list_spreadsheets',
  resources: {
    'google-sheets://spreadsheet/{spreadsheet_id}': 'get_spreadsheet',
  },
  tools: {
    list_spreadsheets: files.list,
    get_spreadsheet: read('GET /spreadsheets/{spreadsheet_id}', {
      says: 'Get the title, sheets and named ranges of a spreadsheet, without cells.',
      input: { ...spreadsheet, fields: maybe('Field mask, e.g. properties.title') },
      send: ({ fields = MASK, ...others }) => ({ ...others, fields }),
      output: Spreadsheet,
    }),
    read_range: read('GET /spreadsheets/{spreadsheet_id}/values/{range}', {
      says: 'Read the values of a range, at most 1,000 rows.',
      input: {
        ...range,
        major_dimension: choice(['ROWS', 'COLUMNS']).default('ROWS'),
        value_render_option: choice(['FORMATTED_VALUE', 'UNFORMATTED_VALUE', 'FORMULA']).default('FORMATTED_VALUE'),
      },
      send: ({ major_dimension, value_render_option, ...others }) => ({
        ...others,
        majorDimension: major_dimension,
        valueRenderOption: value_render_option,
      }),
      output: Values,
    }),
    write_range: write('PUT /spreadsheets/{spreadsheet_id}/values/{range}?valueInputOption', {
      says: 'Write values into a range; cells beyond the given rows do not change.',
      input: { ...range, values, value_input_option },
      send: ({ value_input_option: option, ...others }) => ({ ...others, valueInputOption: option }),
      output: Written,
    }),
    append_rows: write('POST /spreadsheets/{spreadsheet_id}/values/{range}:append?valueInputOption', {
      says: 'Append rows after the table that a range belongs to.',
      input: { ...range, values, value_input_option },
      send: ({ value_input_option: option, ...others }) => ({ ...others, valueInputOption: option }),
      output: Appended,
    }),
    clear_range: destroy('POST /spreadsheets/{spreadsheet_id}/values/{range}:clear', {
      says: 'Clear the values of a range; formatting is kept.',
      input: range,
      output: Cleared,
    }),
    create_spreadsheet: write('POST /spreadsheets', {
      says: 'Create a spreadsheet with the given sheets.',
      input: { title: text('e.g. Budget'), sheet_names: texts('e.g. Costs') },
      send: ({ title, sheet_names }) => ({
        properties: { title },
        sheets: sheet_names?.map((name) => ({ properties: { title: name } })),
      }),
      output: Created,
    }),
    add_sheet: write(update, {
      says: 'Add a sheet to a spreadsheet.',
      input: {
        ...spreadsheet,
        title: text('e.g. Costs'),
        row_count: z.int().min(1).default(1000),
        column_count: z.int().min(1).default(26),
      },
      send: ({ spreadsheet_id, title, row_count, column_count }) => ({
        spreadsheet_id,
        requests: [
          { addSheet: { properties: { title, gridProperties: { rowCount: row_count, columnCount: column_count } } } },
        ],
      }),
      output: Added,
    }),
    delete_sheet: destroy(update, {
      says: 'Delete a sheet with all its cells.',
      input: { ...spreadsheet, sheet_id },
      send: ({ spreadsheet_id, sheet_id: sheetId }) => ({ spreadsheet_id, requests: [{ deleteSheet: { sheetId } }] }),
      output: Updated,
    }),
    get_sheet_metadata: read('GET /spreadsheets/{spreadsheet_id}', {
      says: 'Get the sheets of a spreadsheet with their identifiers and sizes.',
      input: spreadsheet,
      send: (input) => ({ ...input, fields: 'spreadsheetId,sheets.properties' }),
      output: Metadata,
    }),
    batch_update: write(update, {
      says: 'Run a list of update requests in Google’s format, all of them or none.',
      input: {
        ...spreadsheet,
        requests: z.array(z.record(z.string(), z.unknown())).min(1).describe('e.g. [{"deleteSheet":{"sheetId":0}}]'),
      },
      output: Updated,
    }),
    find_and_replace: write(update, {
      says: 'Replace text in one sheet, or in all.',
      input: {
        ...spreadsheet,
        find: text('e.g. 2025'),
        replacement: text('e.g. 2026'),
        sheet_id: sheet_id.optional(),
        match_case: z.boolean().default(false),
        match_entire_cell: z.boolean().default(false),
        search_by_regex: z.boolean().default(false),
      },
      send: ({ spreadsheet_id, find, replacement, sheet_id: sheetId, ...flags }) => ({
        spreadsheet_id,
        requests: [
          {
            findReplace: {
              find,
              replacement,
              ...(sheetId === undefined ? { allSheets: true } : { sheetId }),
              matchCase: flags.match_case,
              matchEntireCell: flags.match_entire_cell,
              searchByRegex: flags.search_by_regex,
            },
          },
        ],
      }),
      output: Replaced,
    }),
    format_range: write(update, {
      says: 'Set the text style and colours of a block of cells. Rows and columns are counted from 0; the end is not included.',
      input: {
        ...spreadsheet,
        sheet_id,
        start_row: whole('e.g. 0'),
        end_row: whole('e.g. 1'),
        start_column: whole('e.g. 0'),
        end_column: whole('e.g. 3'),
        bold: z.boolean().optional(),
        italic: z.boolean().optional(),
        font_size: z.int().min(1).optional(),
        background_color: Color,
        text_color: Color,
      },
      send: ({ spreadsheet_id, ...format }) => ({ spreadsheet_id, requests: [{ repeatCell: formatOf(format) }] }),
      output: Updated,
    }),
    search_spreadsheets: files.search,
  },
})

interface Format {
  readonly sheet_id: number
  readonly start_row: number
  readonly end_row: number
  readonly start_column: number
  readonly end_column: number
  readonly bold?: boolean | undefined
  readonly italic?: boolean | undefined
  readonly font_size?: number | undefined
  readonly background_color?: Json | undefined
  readonly text_color?: Json | undefined
}

/** The mask names what changes, and nothing else. */
function formatOf({ sheet_id: sheetId, start_row, end_row, start_column, end_column, ...formatting }: Format): Json {
  const { bold, italic, font_size, background_color, text_color } = changed(formatting)
  const style = {
    ...(bold === undefined ? {} : { bold }),
    ...(italic === undefined ? {} : { italic }),
    ...(font_size === undefined ? {} : { fontSize: font_size }),
    ...(text_color === undefined ? {} : { foregroundColorStyle: { rgbColor: text_color } }),
  }
  const fields = [
    ...Object.keys(style).map((name) => `userEnteredFormat.textFormat.${name}`),
    ...(background_color === undefined ? [] : ['userEnteredFormat.backgroundColorStyle']),
  ]
  return {
    range: {
      sheetId,
      startRowIndex: start_row,
      endRowIndex: end_row,
      startColumnIndex: start_column,
      endColumnIndex: end_column,
    },
    cell: {
      userEnteredFormat: {
        ...(Object.keys(style).length === 0 ? {} : { textFormat: style }),
        ...(background_color === undefined ? {} : { backgroundColorStyle: { rgbColor: background_color } }),
      },
    },
    fields: fields.join(','),
  }
}
