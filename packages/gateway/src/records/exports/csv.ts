/** Records as CSV, one line each, for spreadsheets. The proof is left out: it is in JSON lines. */
import { csvLine } from '@toolway/contract'
import { REDACTABLE } from '@toolway/contract/admin'
import { STAYING, type Unproven } from '../chain/record-hash.ts'

const COLUMNS = [...STAYING, ...REDACTABLE, 'hash'] as const

export const CSV_HEAD = csvLine(COLUMNS)

export const toCsv = (record: Unproven): string => csvLine(COLUMNS.map((name) => record[name]))
