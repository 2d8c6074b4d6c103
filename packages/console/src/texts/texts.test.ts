/** The catalogues: complete in both languages, and their declaration is fresh. */
import type { CatalogCategory, EffectSource, Limit } from '@toolway/contract'
import {
  AUDIT_ACTIONS,
  DESTINATIONS,
  type AlertKind,
  type AuditAction,
  type StreamDestination,
} from '@toolway/contract/admin'
import { expect, test } from 'vitest'
import { catalogueOf } from '../../texts-catalogues.ts'
import { argumentsOf, compiled, compiledMessage, type Catalogue } from '../../texts-messages.ts'
import { declarationOf } from '../../texts-types.ts'
import type { English } from './english.ts'
import { texts, type Texts } from './texts.ts'

const english = catalogueOf('en')
const german = catalogueOf('de')

/** Each message by its path. */
const messagesOf = (catalogue: Catalogue, path = ''): [string, string][] =>
  Object.entries(catalogue).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${path}${key}`, value]] : messagesOf(value, `${path}${key} › `),
  )

/** What a message says, compiled: the source is that of a module. */
async function evaluated<T>(source: string, language = 'en'): Promise<T> {
  const code = `const count = (n, o) => new Intl.NumberFormat('${language}', o).format(n)\nexport default ${source}`
  const { default: value } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { default: T }
  return value
}

/** Does not compile where a name that the contract knows has no text. */
export const complete = (all: English) => [
  all.effectFrom satisfies Record<EffectSource, string>,
  all.actions satisfies Record<AuditAction, string>,
  all.alerts.kinds satisfies Record<AlertKind, string>,
  all.connect.catalog.category satisfies Record<CatalogCategory | 'all', string>,
  all.recordStreams.kinds satisfies Record<StreamDestination['kind'], string>,
  all.connect.native.reaches satisfies Record<Limit, string>,
]

test('the declaration of the texts is fresh', async () => {
  await expect(declarationOf(english)).toMatchFileSnapshot('english.ts')
})

test('each action of the audit log has a text, and nothing else has one', () => {
  expect(Object.keys(english['actions'] ?? {}).sort()).toEqual([...AUDIT_ACTIONS].sort())
})

test('every field and secret of a destination of record streams has a text', () => {
  const { fields, secrets } = english['recordStreams'] as Readonly<Record<'fields' | 'secrets', Catalogue>>
  for (const { form } of DESTINATIONS) {
    for (const { name } of form.fields) expect(fields).toHaveProperty([name])
    if ('secret' in form) expect(secrets).toHaveProperty([form.secret.name])
  }
})

test('English and German have the same messages with the same arguments', () => {
  const shapesOf = (catalogue: Catalogue) =>
    Object.fromEntries(messagesOf(catalogue).map(([path, message]) => [path, Object.fromEntries(argumentsOf(message))]))
  expect(shapesOf(german)).toEqual(shapesOf(english))
})

test.each([
  ['en', english],
  ['de', german],
])('every message compiles: %s', async (language, catalogue) => {
  const all = await evaluated<Texts>(compiled(catalogue, language), language)
  expect(all.home.connections.tools({ tools: 1 })).toMatch(/^1 Tool$/i)
  expect(all.home.connections.tools({ tools: 2_345 })).toMatch(language === 'de' ? /^2\.345 Tools$/ : /^2,345 tools$/)
})

test('a message chooses by number, by name and by what is missing', async () => {
  const say = async (message: string, values: object) =>
    (await evaluated<(v: object) => string>(compiledMessage(message)))(values)
  const plural = '{n, plural, =0 {none} one {# call} other {# calls of {name}}}'
  expect(await say(plural, { n: 0 })).toBe('none')
  expect(await say(plural, { n: 1 })).toBe('1 call')
  expect(await say(plural, { n: 1_000, name: 'Ada' })).toBe('1,000 calls of Ada')
  const select = '{name, select, null {nobody} other {by {name}}}'
  expect(await say(select, { name: undefined })).toBe('nobody')
  expect(await say(select, { name: 'null' })).toBe('by null')
  expect(await say('{on, select, true {on} other {off}}', { on: false })).toBe('off')
  expect(await say('{n, number, ::sign-always precision-integer} %', { n: 12.4 })).toBe('+12 %')
  // Braces, and what a template of JavaScript would take for its own.
  expect(await say("'{' `${x}` \\ '}' {x}", { x: 1 })).toBe('{ `$1` \\ } 1')
})

test('a plural form that English and German lack is refused', () => {
  expect(() => compiledMessage('{n, plural, few {a} other {b}}')).toThrow('few')
  expect(() => compiled({}, 'pl')).toThrow('pl')
})

test('tests without a browser read English', () => {
  expect(texts.table.range({ first: 1, last: 20, total: 2_000 })).toBe('1 to 20 of 2,000')
})
