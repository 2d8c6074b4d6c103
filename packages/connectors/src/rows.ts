/** The rows of all vendors, for the tests in test/connectors. */
import { rows as confluence } from './confluence/rows.ts'
import { rows as github } from './github/rows.ts'
import { rows as cursor } from './cursor/rows.ts'
import { rows as codex } from './codex/rows.ts'
import { rows as claude_code } from './claude_code/rows.ts'
import { rows as windsurf } from './windsurf/rows.ts'
import { rows as gitlab } from './gitlab/rows.ts'
import { rows as bitbucket } from './bitbucket/rows.ts'
import { rows as discord } from './discord/rows.ts'
import { rows as zoom } from './zoom/rows.ts'
import { rows as jira } from './jira/rows.ts'
import type { VendorRows } from './kit/rows.ts'
import { rows as linear } from './linear/rows.ts'
import { rows as notion } from './notion/rows.ts'
import { rows as slack } from './slack/rows.ts'

export const ROWS: Readonly<Record<string, VendorRows>> = {
  github,
  linear,
  slack,
  cursor,
  codex,
  claude_code,
  windsurf,
  gitlab,
  bitbucket,
  discord,
  zoom,
  confluence,
  jira,
  notion,
}
