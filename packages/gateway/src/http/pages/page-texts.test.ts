/** The texts of the gateway's own pages: complete in both languages, escaped, and in the language of the request. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Fault, FAULTS, type FaultCode } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { SAML_PROBLEMS } from '../../identity/federated/saml-problems.ts'
import { WHYS } from '../../oauth/outgoing/flows/callback-check.ts'
import { faultText, problemText } from './fault-text.ts'
import { linkTo, pageTexts, type Catalogue } from './page-texts.ts'
import de from './texts/de.json' with { type: 'json' }
import { argumentsOf, declarationOf } from './texts/declaration.test.fixture.ts'
import en from './texts/en.json' with { type: 'json' }

/** Each message by its path. */
const messagesOf = (catalogue: Catalogue, path = ''): [string, string][] =>
  Object.entries(catalogue).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${path}${key}`, value]] : messagesOf(value, `${path}${key} › `),
  )

const german = pageTexts('de')
const english = pageTexts('en')

/** Refusals are thrown by a function `refuse`, or as a fault `login.provider`; longer sentences are constants. */
function sentencesIn(source: string): string[] {
  const constants = new Map(
    [...source.matchAll(/^const ([A-Z_]+) =\s+'([^'\n]+)'$/gm)].map(([, name = '', text = '']) => [name, text]),
  )
  const thrown =
    /\brefuse\(\s*(?:'([^'\n]+)'|([A-Z_]+)\b(?!\[))|'login\.provider', \{\s*problem: (?:'([^'\n]+)'|([A-Z_]+)\b(?!\[))/g
  return [...source.matchAll(thrown)].map(
    ([, a, b, c, d]) => a ?? c ?? constants.get(b ?? d ?? '') ?? `${b ?? d} of no text`,
  )
}

describe('the catalogues', () => {
  test('declare what pages are checked against', async () => {
    await expect(declarationOf(en)).toMatchFileSnapshot('texts/english.ts')
  })

  test('have the same messages with the same arguments in English and German', () => {
    const shapesOf = (catalogue: Catalogue) =>
      Object.fromEntries(
        messagesOf(catalogue).map(([path, message]) => [path, Object.fromEntries(argumentsOf(message))]),
      )
    const [inGerman, inEnglish] = [shapesOf(de), shapesOf(en)]
    expect(Object.keys(inGerman)).toEqual(Object.keys(inEnglish))
    expect(inGerman).toEqual(inEnglish)
  })

  test('word faults in English as the contract does', () => {
    for (const [code, { say, mend }] of Object.entries(en.faults))
      expect([code, say, mend]).toEqual([code, FAULTS[code as FaultCode].say, FAULTS[code as FaultCode].mend])
    for (const [key, message] of Object.entries(en.problems)) expect(message.replaceAll(/\{\d\}/g, '#')).toBe(key)
  })

  test('know why a flow at an authorization server failed', () => {
    for (const why of Object.values(WHYS)) expect(Object.keys(de.problems)).toContain(why)
  })

  test('know every sentence by which a sign-in at a provider is refused', () => {
    const src = join(import.meta.dirname, '../..')
    const folders = ['identity/federated', 'features/identity-providers', 'features/people', 'http/sign-in']
    const files = folders
      .flatMap((folder) => globSync(`${folder}/*.ts`, { cwd: src }))
      .filter((name) => !name.includes('.test.'))
    const sentences = files.flatMap((name) => sentencesIn(readFileSync(join(src, name), 'utf8')))
    expect(sentences.length).toBeGreaterThan(25)
    expect(
      sentences.filter((sentence) => !Object.keys(de.problems).includes(sentence.replaceAll(/\d+/g, '#'))),
    ).toEqual([])
  })

  test('know why a SAML response is refused', () => {
    for (const problem of Object.values(SAML_PROBLEMS))
      expect(Object.keys(de.problems)).toContain(problem.replaceAll(/\d+/g, '#'))
  })
})

test.each([
  ['de', 'de'],
  ['de-CH,de;q=0.9,en;q=0.5', 'de'],
  ['DE-at', 'de'],
  ['en;q=0.5, de;q=0.9', 'de'],
  ['fr, de;q=0.5', 'de'],
  ['en, de;q=0.9', 'en'],
  ['de;q=0, *', 'en'],
  ['fr', 'en'],
  ['den', 'en'],
  ['*', 'en'],
  ['', 'en'],
  [';;q=,,=', 'en'],
  [undefined, 'en'],
])('the language for "%s" is %s', (accepted, language) => {
  expect(pageTexts(accepted).language).toBe(language)
})

describe('a text', () => {
  test('chooses its form by number and by name', () => {
    expect(String(german.consent.read({ count: 0 }))).toBe('Keine Tools, die lesen')
    expect(String(german.consent.read({ count: 1 }))).toBe('1 Tool, das liest')
    expect(String(german.consent.read({ count: 2345 }))).toBe('2.345 Tools, die lesen')
    expect(String(english.consent.read({ count: 2 }))).toBe('2 tools that read')
  })

  test('escapes its arguments, in elements and beside them, and reads no message in them', () => {
    const client = '<script>alert("1")</script> {email} <b>{x}</b> \'{\''
    const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; {email} &lt;b&gt;{x}&lt;/b&gt; &#39;{&#39;'
    expect(String(english.consent.title({ client }))).toBe(`Allow ${escaped}?`)
    expect(String(english.consent.back.text({ client, a: linkTo('/?a="><b>&b') }))).toBe(
      `Returning to <strong>${escaped}</strong>. <a href="/?a=&quot;&gt;&lt;b&gt;&amp;b">Continue</a> if nothing happens, then close this page.`,
    )
  })
})

describe('a fault on a page', () => {
  const say = (fault: Fault, texts = german) => String(faultText(texts, fault))

  test('is worded in the language of the page, with its facts escaped', () => {
    expect(say(new Fault('login.limit', { seconds: 3 }))).toBe(
      'Zu viele fehlgeschlagene Anmeldungen. Versuchen Sie es in 3 s erneut. Warten Sie, und versuchen Sie es dann erneut.',
    )
    expect(say(new Fault('flow.unfit', { connection: '<b>{x}', problem: 'it is turned off' }))).toMatch(
      /^Mit &lt;b&gt;\{x\} kann kein Konto verbunden werden: sie ist ausgeschaltet\. Bitten/,
    )
  })

  test('names the field of a form', () => {
    const fault = new Fault('body.shape', { place: '/password', problem: 'must have 12 to 200 characters' })
    expect(say(fault)).toBe('Das Passwort muss 12 bis 200 Zeichen haben.')
    expect(say(fault, english)).toBe('The password must have 12 to 200 characters.')
  })

  test('is marked as English on a German page where the catalogue lacks it or its cause', () => {
    expect(say(new Fault('place.bound'))).toMatch(/^<span lang="en">The access .*<\/span> <span lang="en">Sign in .*/)
    expect(String(problemText(german, 'HTTP <500>.'))).toBe('<span lang="en">HTTP &lt;500&gt;</span>')
    const unreachable = new Fault('upstream.unreachable', { connection: 'docs', problem: 'HTTP 500.' })
    expect(say(unreachable)).toContain('nicht verfügbar: <span lang="en">HTTP 500</span>.')
    expect(say(unreachable, english)).toMatch(/^The connection docs is not available: HTTP 500\. `toolway/)
  })
})
