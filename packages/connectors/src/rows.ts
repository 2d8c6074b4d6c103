/** The rows of all vendors, for the tests in test/connectors. */
import { rows as bitbucket } from './bitbucket/rows.ts'
import { rows as claude_code } from './claude_code/rows.ts'
import { rows as codex } from './codex/rows.ts'
import { rows as confluence } from './confluence/rows.ts'
import { rows as copilot } from './copilot/rows.ts'
import { rows as cursor } from './cursor/rows.ts'
import { rows as discord } from './discord/rows.ts'
import { rows as github } from './github/rows.ts'
import { rows as gitlab } from './gitlab/rows.ts'
import { rows as gmail } from './gmail/rows.ts'
import { rows as jira } from './jira/rows.ts'
import { rows as linear } from './linear/rows.ts'
import { rows as google_docs } from './google_docs/rows.ts'
import { rows as google_sheets } from './google_sheets/rows.ts'
import { rows as google_slides } from './google_slides/rows.ts'
import { rows as teams } from './teams/rows.ts'
import { rows as outlook } from './outlook/rows.ts'
import { rows as excel } from './excel/rows.ts'
import { rows as powerpoint } from './powerpoint/rows.ts'
import { rows as notion } from './notion/rows.ts'
import { rows as slack } from './slack/rows.ts'
import { rows as windsurf } from './windsurf/rows.ts'
import { rows as zoom } from './zoom/rows.ts'
import type { VendorRows } from './kit/rows.ts'

export const ROWS: Readonly<Record<string, VendorRows>> = {
  github,
  gitlab,
  bitbucket,
  jira,
  linear,
  confluence,
  slack,
  discord,
  teams,
  gmail,
  outlook,
  google_docs,
  google_sheets,
  google_slides,
  notion,
  excel,
  powerpoint,
  zoom,
  copilot,
  claude_code,
  codex,
  cursor,
  windsurf,
}
