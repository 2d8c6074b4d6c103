/** What a release checks and says: one version everywhere, and the notes of the changelog. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { notesOf } from '../../tools/release-notes.mjs'
import { differences, VERSIONED } from '../../tools/release-version.mjs'

const root = join(import.meta.dirname, '../..')
const changelog =
  '# Changelog\n\n## Unreleased\n\n- Later.\n\n## 1.2.0 (2026-01-02)\n\n- Now.\n\n## 1.1.0 (2025-01-02)\n'

test('the notes of a release are the part of the changelog with its version', () => {
  expect(notesOf(changelog, '1.2.0')).toBe('- Now.')
  expect(notesOf(changelog, '1.2')).toBeUndefined()
  expect(notesOf(changelog, '1.1.0')).toBe('')
})

test('a tag that differs from a package or the changelog ends the release', () => {
  const versions = { '.': '1.2.0', 'packages/gateway': '1.2.0' }
  expect(differences('v1.2.0', { changelog, versions })).toEqual([])
  expect(differences('v1.3.0', { changelog, versions })).toHaveLength(3)
})

test('all packages of the product have one version', async () => {
  const manifests = VERSIONED.map(async (place) =>
    JSON.parse(await readFile(join(root, place, 'package.json'), 'utf8')),
  )
  const versions = (await Promise.all(manifests)).map((manifest: { version: string }) => manifest.version)
  expect(new Set(versions).size).toBe(1)
})

test('the workflow gives each job the rights that it needs, publishes after the tests, and runs scripts that there are', async () => {
  const text = await readFile(join(root, '.github/workflows/release.yml'), 'utf8')
  const { permissions, jobs } = parse(text) as {
    permissions: object
    jobs: Record<string, { needs?: string | string[]; permissions?: object; environment?: string }>
  }
  expect(permissions).toEqual({ contents: 'read' })
  expect(jobs['packages']?.needs).toBe('test')
  expect(jobs['publish']).toMatchObject({ needs: ['packages', 'image'], environment: 'release' })
  expect(jobs['test']?.permissions).toBeUndefined()
  for (const [, file = ''] of text.matchAll(/(?:node |file: )((?:tools|deploy)\/\S+)/g))
    await expect(readFile(join(root, file), 'utf8')).resolves.not.toBe('')
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: object }
  for (const [, name = ''] of text.matchAll(/npm run ([a-z:-]+)/g))
    if (name !== 'evidence') expect(Object.keys(scripts)).toContain(name)
})
