/** The rows about what is read and is no MCP server: answers of token servers, OpenAPI documents, settings files, requests of clients. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  ANSWER_ROWS,
  type AnswerRow,
} from '../../../packages/gateway/src/oauth/outgoing/protocol/oauth-answers.test.fixture.ts'
import type { Json } from '../../../packages/protocol/src/json.ts'
import { REFUSED_REQUESTS, TAKEN_REQUESTS, type ClientRequest } from './clients.ts'
import {
  described,
  LEFT_OUT_OPERATIONS,
  LEFT_OUT_PATHS,
  LEFT_OUT_REFERENCES,
  operation,
  OTHER_FILE,
  READ_DOCUMENTS,
  REFUSED_DOCUMENTS,
} from './documents.ts'
import { originOf } from './origins.ts'
import { shown, type Border, type Outcome, type Row } from './row.ts'
import {
  CREDENTIALS,
  FILLED_PLACEHOLDERS,
  NO_PLACEHOLDERS,
  OPEN_PLACEHOLDERS,
  SETTINGS_URL,
  TOOL_LIMITS,
  UNREADABLE_CREDENTIALS,
  UNREADABLE_FILES,
  UNUSABLE_SERVERS,
} from './settings.ts'

/** Patterns and plain words. */
const patternOf = (words: RegExp | string | undefined): string =>
  words instanceof RegExp ? words.source : (words ?? '').replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

const rowOf = (
  border: Border,
  behaviour: string,
  outcome: Outcome,
  words: RegExp | string | undefined,
  text: string,
): Row => ({ border, behaviour, origin: originOf(border, behaviour), outcome, words: patternOf(words), text })

function tokenRow(row: AnswerRow): Row {
  const { of, title, refused, status = 200, members, body, text } = row
  const answer = text ?? JSON.stringify(body ?? { '…': 'a good answer', ...members }) ?? ''
  const outcome = refused === undefined ? 'taken' : 'refused'
  return rowOf('token server', `${of}: ${title}`, outcome, refused?.[1], `HTTP ${status}\n${answer}`)
}

const document = (behaviour: string, outcome: Outcome, words: RegExp | string, text: Json) =>
  rowOf('document', behaviour, outcome, words, shown(text))
const DOCUMENT_ROWS: readonly Row[] = [
  ...LEFT_OUT_OPERATIONS.map(([words, item]) =>
    document(`an operation that ${words}`, 'left out', words, described({ '/a': item })),
  ),
  ...LEFT_OUT_PATHS.map(([path, words]) =>
    document(`the path ${path}`, 'left out', words, described({ [path]: { get: operation() } })),
  ),
  ...LEFT_OUT_REFERENCES.map(([behaviour, item, words]) =>
    document(behaviour, 'left out', words, described({ '/a': item }, { components: OTHER_FILE })),
  ),
  ...READ_DOCUMENTS.map(([behaviour, text, words]) => document(behaviour, 'taken', words, text)),
  ...REFUSED_DOCUMENTS.map(([behaviour, text, words]) => document(behaviour, 'refused', words, text)),
]

const settings = (behaviour: string, outcome: Outcome, words: RegExp | string | undefined, entry: Json) =>
  rowOf('settings file', behaviour, outcome, words, JSON.stringify({ mcpServers: { thing: entry } }))
const variable = (text: string, outcome: Outcome, words?: RegExp) =>
  settings(text, outcome, words, { command: 'x', env: { A: text } })

const CLIENT_FILES = join(import.meta.dirname, '../../../packages/gateway/src/cli/import/clients')
const clientFile = (name: string): Row => ({
  ...{ border: 'settings file', behaviour: `the file ${name}`, origin: name.replace(/\.\w+$/, '') },
  ...{ outcome: 'taken', words: '', text: readFileSync(join(CLIENT_FILES, name), 'utf8') },
})

const SETTINGS_ROWS: readonly Row[] = [
  ...readdirSync(CLIENT_FILES)
    .filter((name) => !name.endsWith('.expected.txt'))
    .map(clientFile),
  ...CREDENTIALS.map(([members]) => settings(shown(members), 'taken', undefined, { url: SETTINGS_URL, ...members })),
  ...UNREADABLE_CREDENTIALS.map(([members, words]) =>
    settings(shown(members), 'left out', words, { url: SETTINGS_URL, ...members }),
  ),
  ...TOOL_LIMITS.map(([members, , words]) =>
    settings(shown(members), 'taken', words, { url: SETTINGS_URL, ...members }),
  ),
  ...FILLED_PLACEHOLDERS.map(([text]) => variable(text, 'taken')),
  ...OPEN_PLACEHOLDERS.map(([text, words]) => variable(text, 'left out', words)),
  ...NO_PLACEHOLDERS.map((text) => variable(text, 'taken')),
  ...UNUSABLE_SERVERS.map(([entry, , , words]) => settings(`the server ${shown(entry)}`, 'left out', words, entry)),
  ...UNREADABLE_FILES.map(([behaviour, text, words]) => rowOf('settings file', behaviour, 'refused', words, text)),
]

const request = (behaviour: string, outcome: Outcome, words: RegExp | undefined, { body, ...rest }: ClientRequest) =>
  rowOf('client', behaviour, outcome, words, `POST ${JSON.stringify(rest)}\n${shown(body)}`)

export const TEXT_ROWS: readonly Row[] = [
  ...ANSWER_ROWS.map(tokenRow),
  ...DOCUMENT_ROWS,
  ...SETTINGS_ROWS,
  ...TAKEN_REQUESTS.map(([behaviour, sent]) => request(behaviour, 'taken', undefined, sent)),
  ...REFUSED_REQUESTS.map(([behaviour, sent, , words]) => request(behaviour, 'refused', words, sent)),
]
