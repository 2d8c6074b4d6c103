/** Reads the catalogues: one JSON file for each section, and one for the texts that are in none. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Catalogue } from './texts-messages.ts'

const TEXTS = join(import.meta.dirname, 'src/texts')
/** Its entries stand beside the sections. */
const EVERYWHERE = 'everywhere'

export type Language = 'en' | 'de'

export function filesOf(language: Language): string[] {
  const folder = join(TEXTS, language)
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(folder, name))
}

export function catalogueOf(language: Language): Catalogue {
  const sections = filesOf(language).map((file): [string, Catalogue] => [
    basename(file, '.json'),
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
