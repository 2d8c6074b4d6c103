/** Excel: workbooks of OneDrive, their sheets, ranges and tables. Microsoft Graph, version 1.0. */
import { z } from 'zod'
import { bool, flag, get, grid, num, odata, rest, shape, str, strs, text, vendor, type Json } from '../kit/index.ts'
import { File, FILES_READ, FILES_WRITE, fileTools } from '../microsoft/drive.ts'
import { graphFacts } from '../microsoft/graph.ts'
import { emptyWorkbook } from '../microsoft/office-files.ts'

const { read, write, destroy, ask } = rest({ ...graphFacts, paging: odata() })
const upload = rest({
  ...graphFacts,
  body: 'bytes',
  media: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
})

const item = { item_id: text('From excel_list_workbooks, e.g. 01BYE5RZ6QN3ZWBTUFOF') }
const sheet = { ...item, worksheet: text('Name or identifier, e.g. Sheet1') }
const range = { ...sheet, range: text('e.g. A1:C10') }
const values = z.array(z.array(z.unknown())).min(1).describe('Rows of cells, e.g. [["Name",3]]')
const files = fileTools('.xlsx', 'workbooks', item)

const SHEET = '/me/drive/items/{item_id}/workbook/worksheets/{worksheet}'
const RANGE = `${SHEET}/range(address='{range}')` as const

const Sheet = shape({ id: str(), name: str(), position: num(), visibility: str() })
const Range = shape({ address: str(), values: grid() })
const Written = shape({ address: str(), rows: num('rowCount'), columns: num('columnCount') })
const Row = shape({ index: num() })
const Table = shape({ id: str(), name: str(), style: str(), has_headers: bool('showHeaders') })
const Result = shape({ address: str(), value: str(), text: str(), formulas: strs() })

/** A quote is doubled within a text of OData. */
const quoted = ({ range: address, ...others }: Json): Json => ({
  ...others,
  range: String(address).replaceAll("'", "''"),
})
const MEMBERS = 'address,values'

export const excel = vendor({
  id: 'excel',
  auth: { provider: 'excel' },
  scopes: { read: FILES_READ, write: FILES_WRITE, destructive: FILES_WRITE },
  whoami: 'list_workbooks',
  resources: {
    'excel://workbook/{item_id}': 'get_workbook',
  },
  tools: {
    list_workbooks: files.list('children'),
    get_workbook: files.get('a workbook'),
    list_worksheets: read('GET /me/drive/items/{item_id}/workbook/worksheets', {
      says: 'List the sheets in a workbook.',
      input: item,
      at: 'value',
      list: Sheet,
    }),
    read_range: read(`GET ${RANGE}`, {
      says: 'Read the values of a range, at most 1,000 rows.',
      input: range,
      send: (input) => ({ ...quoted(input), $select: MEMBERS }),
      output: Range,
    }),
    write_range: write(`PATCH ${RANGE}`, {
      says: 'Write values into a range of the same size.',
      input: { ...range, values },
      send: quoted,
      output: Written,
    }),
    append_rows: write('POST /me/drive/items/{item_id}/workbook/tables/{table_name}/rows/add', {
      says: 'Append rows to a table. For a plain range, use excel_write_range.',
      input: { ...item, table_name: text('From excel_list_tables, e.g. Table1'), values },
      output: Row,
    }),
    clear_range: destroy(`POST ${RANGE}/clear`, {
      says: 'Clear the contents of a range; formatting is kept.',
      input: range,
      send: (input) => ({ ...quoted(input), applyTo: 'Contents' }),
    }),
    create_workbook: upload.write('PUT /me/drive/root:/{+filename}:/content?@microsoft.graph.conflictBehavior', {
      says: 'Create an empty workbook. An existing file with that name is not replaced.',
      input: { filename: text('Name, or path from the root folder, e.g. Reports/Budget.xlsx') },
      send: ({ filename }) => ({
        filename: /\.xlsx$/i.test(filename) ? filename : `${filename}.xlsx`,
        '@microsoft.graph.conflictBehavior': 'fail',
        content: emptyWorkbook(),
      }),
      output: File,
    }),
    add_worksheet: write('POST /me/drive/items/{item_id}/workbook/worksheets/add', {
      says: 'Add a sheet to a workbook.',
      input: { ...item, name: text('e.g. 2026') },
      output: Sheet,
    }),
    delete_worksheet: destroy(`DELETE ${SHEET}`, {
      says: 'Delete a sheet and everything in it.',
      input: sheet,
    }),
    list_tables: read('GET /me/drive/items/{item_id}/workbook/tables', {
      says: 'List the tables in a workbook.',
      input: item,
      at: 'value',
      list: Table,
    }),
    create_table: write(`POST ${SHEET}/tables/add`, {
      says: 'Create a table from a range.',
      input: {
        ...sheet,
        address: text('e.g. A1:C10'),
        has_headers: flag('Whether the first row contains the column names').default(true),
      },
      send: ({ has_headers, address, ...others }) => ({ ...others, address, hasHeaders: has_headers }),
      output: Table,
    }),
    get_used_range: read(`GET ${SHEET}/usedRange(valuesOnly={valuesOnly})`, {
      says: 'Read all cells with values in a sheet, at most 1,000 rows.',
      input: sheet,
      send: (input) => ({ ...input, valuesOnly: true, $select: MEMBERS }),
      output: Range,
    }),
    run_formula: write.steps({
      says: 'Write a formula into a cell, replacing its content, and get the result.',
      input: { ...sheet, cell: text('e.g. D1'), formula: text('e.g. =SUM(A1:A3)') },
      output: Result,
      *run({ cell, formula, ...worksheetOf }) {
        const at = quoted({ ...worksheetOf, range: cell })
        yield* ask(`PATCH ${RANGE}`, { ...at, formulas: [[formula]] })
        const { body } = yield* ask(`GET ${RANGE}`, { ...at, $select: 'address,values,text,formulas' })
        const first = (name: string) => [get(body, name)].flat(2)[0]
        return { address: get(body, 'address'), value: first('values'), text: first('text'), formulas: [formula] }
      },
    }),
  },
})
