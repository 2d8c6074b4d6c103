/**
 * Reads the catalogues: one JSON file for each section, and one for the texts that are in none. The section of a feature lies in the
 * feature's folder and has its name: `features/record-streams/texts/en.json` is `texts.recordStreams`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Catalogue } from './texts-messages.ts'

const TEXTS = join(import.meta.dirname, 'src/texts')
const FEATURES = join(import.meta.dirname, 'src/features')
/** Its entries stand beside the sections. */
const EVERYWHERE = 'everywhere'

export type Language = 'en' | 'de'

export function filesOf(language: Language): string[] {
  const folder = join(TEXTS, language)
  const sections = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name))
  const ofFeatures = readdirSync(FEATURES)
    .map((name) => join(FEATURES, name, 'texts', `${language}.json`))
    .filter((file) => existsSync(file))
  return [...sections, ...ofFeatures].sort((first, other) => (sectionOf(first) < sectionOf(other) ? -1 : 1))
}

function sectionOf(file: string): string {
  if (!file.startsWith(FEATURES)) return basename(file, '.json')
  const feature = basename(dirname(dirname(file)))
  return feature.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

export function catalogueOf(language: Language): Catalogue {
  const sections = filesOf(language).map((file): [string, Catalogue] => [
    sectionOf(file),
    JSON.parse(readFileSync(file, 'utf8')) as Catalogue,
  ])
  const { [EVERYWHERE]: everywhere, ...others } = Object.fromEntries(sections)
  return { ...everywhere, ...others }
}

/** Returns the English texts with those of another language in their place; a text that is missing there stays English. */
export const translated = (english: Catalogue, other: Catalogue): Catalogue =>
  Object.fromEntries(
    Object.entries(english).map(([key, value]): [string, string | Catalogue] => {
      const there = other[key]
      if (typeof value === 'string') return [key, typeof there === 'string' ? there : value]
      return [key, typeof there === 'object' ? translated(value, there) : value]
    }),
  )
