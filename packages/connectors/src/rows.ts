/** The rows of all vendors, for the tests in test/connectors. */
import { rows as github } from './github/rows.ts'
import { rows as gmail } from './gmail/rows.ts'
import type { VendorRows } from './kit/rows.ts'
import { rows as linear } from './linear/rows.ts'
import { rows as slack } from './slack/rows.ts'

export const ROWS: Readonly<Record<string, VendorRows>> = { github, gmail, linear, slack }
