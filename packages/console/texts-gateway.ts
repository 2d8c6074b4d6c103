/**
 * German words for sentences that the gateway makes (ADR 0138): each is known by its English template, whose blanks become the arguments
 * of the German message. Faults are known by their code, and their templates are those of the contract.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { FAULTS, type FaultCode } from '@toolway/contract'
import { compiledMessage } from './texts-messages.ts'

const GERMAN = join(import.meta.dirname, 'src/texts/gateway/de')
const CODES = 'faults'
/** Faults that say what is wrong with a value; only in these the sentences of `problems.json` and `shapes.json` are looked for. */
const REQUESTS: ReadonlySet<FaultCode> = new Set(['body.shape', 'params.shape', 'request.shape'])
/** Faults that say what is wrong with a document; in these the sentences of `documents.json` are looked for. */
const OPENAPI = 'openapi.'

const sectionOf = (code: FaultCode): string =>
  REQUESTS.has(code) ? 'requests' : code.startsWith(OPENAPI) ? 'openapi' : CODES

export interface Sentence {
  /** The file that it is from, without its ending. */
  readonly section: string
  /** As the gateway has it, with blanks in braces. */
  readonly english: string
  readonly german: string
}

type Pages = Readonly<Record<string, { readonly say: string; readonly mend?: string }>>

export const gatewayFiles = (): string[] =>
  readdirSync(GERMAN)
    .sort()
    .map((name) => join(GERMAN, name))

export function gatewaySentences(): Sentence[] {
  return gatewayFiles().flatMap((file) => {
    const section = basename(file, '.json')
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return section === CODES
      ? Object.entries(read as Pages).flatMap(([code, words]) => ofFault(code as FaultCode, words))
      : Object.entries(read as Record<string, string>).map(([english, german]) => ({ section, english, german }))
  })
}

function ofFault(code: FaultCode, { say, mend }: Pages[string]): Sentence[] {
  const { say: english, mend: remedy } = FAULTS[code]
  const sentence = { section: sectionOf(code), english, german: say }
  // A remedy that is nothing but a blank brings a sentence of its own.
  return mend === undefined || !/\w/.test(literalsOf(remedy).join(''))
    ? [sentence]
    : [sentence, { section: CODES, english: remedy, german: mend }]
}

const BLANK = /\{([\w-]+)\}/g

export const blanksOf = (template: string): string[] => Array.from(template.matchAll(BLANK), ([, name = '']) => name)
export const literalsOf = (template: string): string[] => template.split(/\{[\w-]+\}/)

/**
 * Returns the source of an array, which `gateway-words.ts` of the console reads: the most particular sentences first, and those that
 * begin with a blank behind all others.
 */
export function compiledSentences(sentences: readonly Sentence[]): string {
  const beginsOpen = ({ english }: Sentence) => (english.startsWith('{') ? 1 : 0)
  const lengthOf = ({ english }: Sentence) => literalsOf(english).join('').length
  const entries = sentences
    .toSorted((first, other) => beginsOpen(first) - beginsOpen(other) || lengthOf(other) - lengthOf(first))
    .map(({ section, english, german }) => {
      const parts = [section, literalsOf(english), blanksOf(english)].map((part) => JSON.stringify(part))
      return `[${parts.join(', ')}, ${compiledMessage(german)}]`
    })
  return `[${entries.join(',\n')}]`
}
