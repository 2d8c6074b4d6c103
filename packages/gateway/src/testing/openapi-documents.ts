/** Vendors' published descriptions, as `testing/openapi` holds them. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

export const DOCUMENTS = [
  'github',
  'notion',
  'slack',
  'gmail',
  'jira',
  'petstore-2',
  'petstore-2-yaml',
  'circular-2',
  'styles',
] as const

export const documentText = (name: (typeof DOCUMENTS)[number]): string =>
  gunzipSync(readFileSync(new URL(`./openapi/${name}.gz`, import.meta.url))).toString('utf8')
