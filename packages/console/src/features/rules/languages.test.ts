/** A rule reads in one language: each action, finished and half written, in English and in German, with the words of its form. */
import { ACTIONS, CONNECTORS, kindOf, type RuleAction } from '@toolway/contract'
import { expect, test } from 'vitest'
import { catalogueOf, type Language } from '../../../texts-catalogues.ts'
import { compiled } from '../../../texts-messages.ts'
import { fieldWords, keyOf } from '../../texts/field-words.ts'
import type { Texts } from '../../texts/texts.ts'
import type { Draft } from './draft.ts'
import { sentenceOf } from './sentence.ts'

async function textsIn(language: Language): Promise<Texts> {
  const code = `const count = (n, o) => new Intl.NumberFormat('${language}', o).format(n)\nexport default ${compiled(catalogueOf(language), language)}`
  const { default: all } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { default: Texts }
  return all
}
const LANGUAGES = { en: await textsIn('en'), de: await textsIn('de') }

/** Finished in different ways; each action is also tried as its form begins. */
const FINISHED: Readonly<Record<RuleAction, readonly Draft['parameters'][]>> = {
  allow: [{ lifts: ['no-deleting'] }, { lifts: ['no-deleting', 'small-pages'] }],
  warn: [{}],
  size: [
    { arguments: 1000, result: { text: 5000, rows: 1, fields: ['items.*.id', 'name'], redact: ['email'] } },
    { result: { rows: 20, redact: ['email', 'phone'] } },
  ],
  rate: [
    { calls: 1, per: 1, of: 'caller' },
    { calls: 60, per: 60, of: 'organization' },
    { calls: 5, per: 7200, of: 'session' },
    { calls: 5, per: 86_400 },
    { calls: 5, per: 90 },
  ],
  lock: [
    { parameter: 'region', value: 'eu', as: 'fixed' },
    { parameter: 'region', value: 'eu', as: 'default' },
  ],
  clamp: [
    { parameter: 'limit', min: 1, max: 50, default: 20 },
    { parameter: 'limit', max: 50 },
    { parameter: 'limit', min: 1 },
    { parameter: 'limit', default: 20 },
  ],
  approve: [
    { by: { roles: ['tenant_admin', 'platform_admin', 'tenant_member', 'tenant_viewer'] } },
    { by: { groups: ['Finanzen'], webhooks: ['whk_1'], members: ['ada@example.com'], self: true }, quorum: 2 },
  ],
  reject: [
    { parameter: 'owner', in: ['ada', 'eve'] },
    { parameter: 'size', min: 1, max: 5, pattern: '[0-9]+' },
    { parameter: 'owner' },
    {},
  ],
  block: [{}],
  hide: [{}],
}

/** Words that no German sentence has. */
const ENGLISH =
  /\b(?:the|and|are|is|with|of|by|to|not|for|each|calls?|tools? named|refused|when|your|must|rules?|only|from|or|other|this|all|every|seconds?|value|default|bytes)\b/

const drafts = ACTIONS.flatMap(({ action, beginning }) =>
  [beginning, ...FINISHED[action]].map((parameters): Draft => ({
    scope: 'organization',
    of: '',
    name: 'regel',
    action,
    parameters,
    match: {
      effects: ['read', 'write', 'destructive'],
      connectors: [...CONNECTORS],
      tools: ['a', 'b'],
      parameter: 'x',
    },
    reason: '',
  })),
)

test('every action reads in German without an English word, and in English without a German one', () => {
  const german = drafts.map((draft) => sentenceOf(draft, LANGUAGES.de, undefined, 'de'))
  expect(german.filter((sentence) => ENGLISH.test(sentence))).toEqual([])
  const english = drafts.map((draft) => sentenceOf(draft, LANGUAGES.en, undefined, 'en'))
  expect(english.filter((sentence) => /\b(?:der|die|das|werden|wird|und|oder|nicht|mit)\b/.test(sentence))).toEqual([])
  for (const sentence of [...german, ...english]) expect(sentence).not.toMatch(/undefined|NaN|\[object/)
})

test.each(['en', 'de'] as const)('every action, field and kind has its words: %s', (language) => {
  const all = LANGUAGES[language]
  const owners = [
    ...ACTIONS.map(({ action, form }) => ({ owner: action, fields: form.flat() })),
    ...CONNECTORS.flatMap((connector) => {
      const own = kindOf(connector).own
      return own?.form === undefined ? [] : [{ owner: own.member, fields: own.form.fields }]
    }),
  ]
  const words = owners.flatMap(({ owner, fields }) =>
    fields.map((field) => {
      const found = fieldWords(owner, field.name, all)
      expect(found.label, `${owner} ${field.name}`).not.toBe(field.name)
      if (field.control === 'choice') expect(Object.keys(found.choices ?? {})).toEqual(field.choices)
      return [found.label, found.hint ?? '', ...Object.values(found.choices ?? {})].join(' ')
    }),
  )
  for (const { action } of ACTIONS) words.push(`${all.ruleActions.title[action]} ${all.ruleActions.about[action]}`)
  for (const connector of CONNECTORS) {
    const names = [all.kinds.title, all.kinds.plural, all.kinds.article].map(
      (group) => (group as Readonly<Record<string, string>>)[keyOf(connector)],
    )
    expect(names, connector).not.toContain(undefined)
    words.push(names.join(' '))
  }
  if (language === 'de') expect(words.filter((text) => ENGLISH.test(text))).toEqual([])
})
