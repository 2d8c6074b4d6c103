/**
 * Sentences of the gateway in the German console: all faults, all entries of the catalog, and every way to explain a call. A text that
 * the gateway does not say any more is found here, and so is a new one that has no German.
 */
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { CONNECTORS } from '../../packages/connectors/src/connectors.ts'
import { catalogueOf } from '../../packages/console/texts-catalogues.ts'
import { blanksOf, compiledSentences, gatewaySentences, literalsOf } from '../../packages/console/texts-gateway.ts'
import { argumentsOf } from '../../packages/console/texts-messages.ts'
import { createLocalize, type Localize, type Sentences } from '../../packages/console/src/texts/create-localize.ts'
import { CONNECTOR_CATALOG, Fault, FAULTS, type FaultCode, type RuleAction } from '../../packages/contract/src/index.ts'
import { createPolicy } from '../../packages/gateway/src/policy/compile.ts'
import { explain } from '../../packages/gateway/src/policy/explain.ts'
import { wordVerdict } from '../../packages/gateway/src/policy/explain-words.ts'
import { ENDPOINT, testFacts, testRule, TOOL } from '../../packages/gateway/src/testing/rules.ts'
import { BLANK, problemsIn, proseIn } from './support/gateway-templates.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const sentences = gatewaySentences()
const germanFaults = JSON.parse(
  readFileSync(resolve(ROOT, 'packages/console/src/texts/gateway/de/faults.json'), 'utf8'),
) as Record<string, { say: string; mend?: string }>

/** Words that no German sentence has. */
const ENGLISH =
  /\b(?:the|and|are|is|with|of|by|to|not|for|each|calls?|refused|when|your|must|only|from|or|this|all|every|bytes)\b/

let localized: Localize
beforeAll(async () => {
  const code = `export default ${compiledSentences(sentences)}`
  const { default: all } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { default: Sentences }
  localized = createLocalize(all)
})

test('every fault has a German sentence, and a remedy there or among those of the console', () => {
  expect(Object.keys(germanFaults)).toEqual(Object.keys(FAULTS))
  const mends = catalogueOf('de')['mends'] as Record<string, string>
  const without = Object.entries(germanFaults).filter(([code, { mend }]) => mend === undefined && !(code in mends))
  expect(without.map(([code]) => code)).toEqual([])
})

test('a German sentence has no blank that the English one lacks', () => {
  const odd = sentences.filter(({ english, german }) =>
    [...argumentsOf(german).keys()].some((name) => !blanksOf(english).includes(name)),
  )
  expect(odd).toEqual([])
})

test('every fault is found in its sentence, whatever its facts are', () => {
  for (const code of Object.keys(FAULTS) as FaultCode[]) {
    const { say, mend } = FAULTS[code]
    const facts = Object.fromEntries([...blanksOf(say), ...blanksOf(mend)].map((name) => [name, `«${name}»`]))
    const fault = new Fault(code, facts as never)
    const words = localized(fault.message)
    expect(words.replaceAll(/«[\w-]+»/g, ''), code).not.toMatch(ENGLISH)
    expect(words, code).not.toBe(fault.message)
    for (const name of argumentsOf(germanFaults[code]?.say ?? '').keys()) expect(words, code).toContain(`«${name}»`)
  }
})

test('every entry of the catalog is described in German', () => {
  const texts = [
    ...CONNECTOR_CATALOG.flatMap(({ about, asks }) => [about, ...asks.map((ask) => ask.about)]),
    ...Object.values(CONNECTORS).map(({ about }) => about),
  ]
  expect(texts.filter((text) => localized(text) === text)).toEqual([])
})

const filled = (template: string): string =>
  template.split(BLANK).reduce((before, after, at) => `${before}«${at}»${after}`)

/** Those of some templates that have no German, or words of English in it. */
const withoutGerman = (templates: readonly string[], word = localized): string[] =>
  templates.filter((template) => {
    const text = filled(template)
    const words = word(text)
    // Words in such marks are written as the gateway takes them.
    return words === text || ENGLISH.test(words.replaceAll(/`[^`]*`/g, ''))
  })

/** The problem of a value, as a request that has it is answered. */
const problem = (text: string): string => {
  const words = localized(new Fault('body.shape', { place: '/name', problem: text }).message)
  return words.replace(/^Die Anfrage ist ungültig: \/name (.*)\.$/s, '$1')
}

test('every sentence of the verification of records has German', () => {
  const word = (text: string) => localized(text, 'chain')
  expect(withoutGerman(proseIn(['packages/gateway/src/records/chain/verify.ts']), word)).toEqual([])
  expect(word('records 3 to 5 are missing before record 6 (rec_6)')).toBe(
    'Lücke vor Eintrag 6 (rec_6): Einträge 3 bis 5',
  )
  expect(word('record 6 (rec_6): its field error was changed')).toBe('Eintrag 6 (rec_6): das Feld error wurde geändert')
})

test('every reason why an OpenAPI document, or a part of it, cannot be used has German', () => {
  const prose = proseIn([
    ...['packages/gateway/src/upstreams/openapi/document/**/*.ts', 'packages/gateway/src/call/openapi/**/*.ts'],
    'packages/gateway/src/features/openapi/**/*.ts',
  ])
  // Names, what is sent to servers, and what is looked for in a sentence.
  const others = ['the document', 'application/json, application/yaml;q=0.9, */*;q=0.5', 'private network']
  const word = (text: string) => localized(text, 'documents')
  expect(withoutGerman(prose, word).filter((text) => !others.includes(text))).toEqual([])
  const unread = 'is in another file, "pets.yaml", which could not be fetched (HTTP 404)'
  expect(
    localized(new Fault('openapi.empty', { problem: `all 3 are left out, the first because it ${unread}` }).message),
  ).toBe(
    'Keine Operation dieses Dokuments kann ein Tool werden: alle 3 sind ausgelassen, und die erste steht in einer anderen Datei, „pets.yaml“; diese konnte nicht abgerufen werden (HTTP 404).',
  )
  expect(word('requires the parameter "q" in the querystring, which cannot be sent')).toBe(
    'verlangt den Parameter „q“ (querystring), der nicht gesendet werden kann',
  )
})

test('every problem of a request that the gateway words itself has German', () => {
  const folders = 'admin,call,features,http,identity,kinds,lib,operations,policy,results'
  const own = problemsIn(['packages/contract/src/**/*.ts', `packages/gateway/src/{${folders}}/**/*.ts`])
  const addresses = proseIn([
    'packages/gateway/src/upstreams/http/given-address.ts',
    'packages/contract/src/providers.ts',
  ])
  // Sentences of rules about arguments are worded where rules speak.
  const ofRules = new Set(sentences.filter(({ section }) => section === 'rules').map(({ english }) => english))
  expect(withoutGerman([...own, ...addresses], problem).filter((text) => !ofRules.has(text))).toEqual([])
  expect(problem('is not a toolset of this organization (did you mean "crm"?)')).toBe(
    'gibt es in dieser Organisation nicht (Toolset) (meinten Sie „crm“?)',
  )
})

test('every problem of a request that Zod words has German', () => {
  const ZOD = 'node_modules/zod/v4/locales/en.js'
  // A limit is put together of a sign and a number; "to have" is put into one of the sentences.
  const signs = (text: string) => ['exactly ', ...(text.startsWith('Too big') ? ['<=', '<'] : ['>=', '>'])]
  const templates = proseIn([ZOD]).flatMap((text) => {
    if (text.includes(BLANK + BLANK)) return signs(text).map((sign) => text.replace(BLANK + BLANK, sign + BLANK))
    if (text.startsWith('Unrecognized')) return ['', 's'].map((plural) => text.replace(BLANK, plural))
    return text === 'to have' ? [] : [text]
  })
  const formats = [...readFileSync(resolve(ROOT, ZOD), 'utf8').matchAll(/^ {8}\w+: "(.*)",$/gm)].map(([, name]) => name)
  expect(templates.length).toBeGreaterThan(20)
  expect(formats.length).toBeGreaterThan(20)
  expect(withoutGerman(templates, problem)).toEqual([])
  // The sentence of formats would take in others, with their English words.
  const asFormats = templates.filter((text) => problem(filled(text)).startsWith('ist ungültig ('))
  expect(asFormats).toEqual([`Invalid ${BLANK}`])
  expect(formats.filter((name = '') => name.includes(' ') && problem(`Invalid ${name}`).includes(name))).toEqual([])
  expect(
    withoutGerman(
      formats.map((name) => `Invalid ${name}`),
      problem,
    ),
  ).toEqual([])
  expect(problem('Invalid input: expected string, received undefined')).toBe('fehlt: erwartet wird ein Text (string)')
  expect(problem('Too small: expected string to have >=3 characters')).toBe('ist zu kurz: mindestens 3 Zeichen')
})

test('the gateway still says what has a German sentence', () => {
  const files = globSync('packages/{gateway,contract,connectors}/src/**/*.ts', { cwd: ROOT })
  const all = files.filter((file) => !file.includes('.test.')).map((file) => readFileSync(resolve(ROOT, file), 'utf8'))
  const source = all.join('\n').replaceAll(/\\(['`])/g, '$1')
  // Rules are put together of parts; the test below reads those.
  const gone = sentences.filter(
    ({ section, english }) =>
      !['faults', 'requests', 'rules', 'shapes'].includes(section) &&
      !literalsOf(english)
        .flatMap((part) => part.split('. '))
        .every((part) => source.includes(part.replaceAll(/^[^A-Za-z"]+|[^A-Za-z"]+$/g, ''))),
  )
  expect(gone.map(({ english }) => english)).toEqual([])
})

describe('a sentence', () => {
  test('has its facts in German too where they are sentences, and names as they are', () => {
    const reason = 'The account "default" must be reconnected: it has expired.'
    expect(localized(reason)).toBe('Das Konto „default“ muss neu verbunden werden: es ist abgelaufen.')
    // A tool may be called as a word of ours.
    const blocked = new Fault('policy.blocked', { tool: 'members', reason: 'Ask Ada first' })
    expect(localized(blocked.message)).toBe('Eine Regel blockiert das Tool members: Ask Ada first.')
    const both = 'Each person connects their own key (0 of 80), or an administrator connects a shared one.'
    expect(localized(both)).toContain('ihren eigenen Schlüssel (0 von 80)')
  })

  test('of others stays as it is, and one that ends with a mark of its own is found', () => {
    const texts = [
      ...['', 'connect ECONNREFUSED', 'The quota of project 12 is used up.', 'x'.repeat(100_000), 'a\n'.repeat(2_000)],
      // They have the form of what we say of a document or of a chain, at another place.
      ...['"id" in the request body is invalid', 'Closing tag missing at the end', 'record 5 (x): not found'],
      'Read a.txt\na.txt and 3 other files',
    ]
    for (const text of texts) expect(localized(text)).toBe(text)
    const asked = new Fault('upstream.error', { connection: 'crm', problem: 'Who are you?' })
    expect(localized(asked.message)).toBe('Die Verbindung crm hat mit einem Fehler geantwortet: Who are you?')
  })

  test('stays English where no German was loaded', () => {
    const fault = new Fault('gateway.draining')
    expect(createLocalize([])(fault.message)).toBe(fault.message)
  })
})

describe('an explanation', () => {
  const PARAMETERS: Readonly<Record<RuleAction, object>> = {
    allow: { lifts: ['no-deleting'] },
    warn: {},
    size: { arguments: 1000 },
    rate: { calls: 5, per: 60, of: 'caller' },
    lock: { parameter: 'branch', value: 'main', as: 'fixed' },
    clamp: { parameter: 'limit', max: 50 },
    approve: { by: { roles: ['tenant_admin'], groups: ['finance'], self: true }, quorum: 2 },
    reject: { parameter: 'limit', max: 50 },
    block: {},
    hide: {},
  }
  const explained = (rule: ReturnType<typeof testRule>, args?: Record<string, string | number>) =>
    explain({
      ...{ policy: createPolicy([rule]), tool: TOOL, endpoint: ENDPOINT, schema: undefined },
      ...{ facts: testFacts(args), groups: ['finance'] },
    })

  test.each(Object.keys(PARAMETERS) as RuleAction[])('of %s is German, with arguments and without', (action) => {
    const rule = testRule({ action, reason: 'Grund', name: 'regel', parameters: PARAMETERS[action] })
    for (const args of [undefined, { limit: 500, branch: 'dev' }, { limit: 5 }]) {
      const { rules, verdict, passes } = explained(rule, args)
      const texts = [
        ...rules.flatMap(({ why, follows, passes: ways }) => [why, follows ?? '', ...ways]),
        ...[...passes, wordVerdict(verdict)],
      ].filter((text) => text !== '' && !/^\w+ = /.test(text))
      const german = texts.map((text) => localized(text, 'rules'))
      expect(german.filter((text) => ENGLISH.test(text.replaceAll(/„[^“]*“|\[[^\]]*\]/g, '')))).toEqual([])
    }
  })

  test.each([
    ['toolset', testRule({ action: 'block' }, { scope: 'toolset', of: 'other' })],
    ['connection', testRule({ action: 'block' }, { scope: 'connection', of: 'x' })],
    ['connector', testRule({ action: 'block', match: { connectors: ['openapi'] } })],
    ['effect', testRule({ action: 'block', match: { effects: ['read'] } })],
    ['category', testRule({ action: 'block', match: { categories: ['x*'] } })],
    ['tool', testRule({ action: 'block', match: { tools: ['a*', 'b*'] } })],
    ['organization', testRule({ action: 'block', match: { organizations: ['beta'] } }, { scope: 'platform' })],
    ['member', testRule({ action: 'block' }, { scope: 'member', of: 'eve@acme.test' })],
    ['key', testRule({ action: 'block' }, { scope: 'key', of: 'ci' })],
    ['parameter', testRule({ action: 'block', match: { parameter: 'force' } })],
    ['when', testRule({ action: 'block', match: { when: 'args.limit > 100' } })],
  ])('of a rule that does not speak is German: %s', (_, rule) => {
    const [one] = explained(rule, { limit: 5 }).rules
    expect(localized(one?.why ?? '', 'rules')).toMatch(/^(?:Sie gilt|Ihre|Es gibt kein)/)
  })
})
