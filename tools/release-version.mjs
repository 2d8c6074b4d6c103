/**
 * Compares the version of a tag with those of the packages and of CHANGELOG.md: `release-version.mjs v1.2.3`. Ends with 1 and names
 * what differs. uru-mcp has a version of its own, which continues that of the source system's package.
 */
import { readFileSync } from 'node:fs'
import { notesOf } from './release-notes.mjs'

const root = new URL('../', import.meta.url)
const read = (path) => readFileSync(new URL(path, root), 'utf8')
/** The manifests that carry the version of the product. */
export const VERSIONED = [
  '.',
  ...['bridge', 'connectors', 'console', 'contract', 'gateway', 'protocol', 'toolkit'].map(
    (name) => `packages/${name}`,
  ),
]

/**
 * @param {string} tag
 * @param {{ changelog: string, versions: Readonly<Record<string, string>> }} found
 * @returns {string[]} what is wrong, in sentences
 */
export function differences(tag, { changelog, versions }) {
  const version = tag.replace(/^v/, '')
  const wrong = Object.entries(versions).filter(([, one]) => one !== version)
  const said = wrong.map(([place, one]) => `${place}/package.json has the version ${one}, and the tag is ${tag}.`)
  return notesOf(changelog, version) ? said : [...said, `CHANGELOG.md has no part for ${version}.`]
}

if (import.meta.main ?? process.argv[1]?.endsWith('release-version.mjs')) {
  const versions = Object.fromEntries(
    VERSIONED.map((place) => [place, JSON.parse(read(`${place}/package.json`)).version]),
  )
  const said = differences(process.argv[2] ?? '', { changelog: read('CHANGELOG.md'), versions })
  for (const sentence of said) console.error(sentence)
  process.exitCode = said.length === 0 ? 0 : 1
}
