/**
 * Prints the part of CHANGELOG.md that belongs to a version, for the notes of its release: `release-notes.mjs v1.2.3`. Ends with 1
 * where there is none. Plain JavaScript, because the release workflow runs it before anything is installed.
 */
import { readFileSync } from 'node:fs'

/**
 * @param {string} changelog
 * @param {string} version without the v
 * @returns {string | undefined}
 */
export function notesOf(changelog, version) {
  const parts = changelog.split(/^## /m).slice(1)
  const part = parts.find((one) => one.startsWith(`${version} `) || one.startsWith(`[${version}]`))
  return part?.slice(part.indexOf('\n') + 1).trim()
}

if (import.meta.main ?? process.argv[1]?.endsWith('release-notes.mjs')) {
  const version = (process.argv[2] ?? '').replace(/^v/, '')
  const notes = notesOf(readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8'), version)
  if (notes === undefined || notes === '') {
    console.error(
      `CHANGELOG.md has no part "## ${version} (YYYY-MM-DD)" with text: move what is under "Unreleased" there.`,
    )
    process.exitCode = 1
  } else console.log(notes)
}
