import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readOptions } from '../bench-options.ts'
import { pinnedVersions } from './installed.ts'
import { ABOUT, NOT_PINNED, PUBLISHED } from './peers.ts'

const lockText = readFileSync(new URL('package-lock.json', import.meta.url), 'utf8')
const lock = JSON.parse(lockText) as {
  packages: Record<string, { version?: string; integrity?: string; resolved?: string }>
}

describe('the published programs', () => {
  test('are pinned to one version each, in package.json and in the lock file', () => {
    const pinned = pinnedVersions()
    expect(Object.keys(pinned).toSorted()).toEqual(PUBLISHED.map((peer) => peer.package).toSorted())
    for (const [name, version] of Object.entries(pinned)) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/)
      expect(lock.packages[`node_modules/${name}`]?.version).toBe(version)
    }
  })

  test('are locked by hash, whatever registry they come from', () => {
    for (const [path, { integrity, resolved }] of Object.entries(lock.packages)) {
      expect(resolved).toBeUndefined()
      if (path !== '') expect(integrity).toMatch(/^sha512-/)
    }
  })

  test('are started with the server that they stand in front of', () => {
    const place = {
      port: 4711,
      folder: '/tmp/x',
      stdio: ['node', 'stub.ts'],
      remote: 'http://127.0.0.1:1/mcp',
    } as const
    for (const { words, files, server } of PUBLISHED) {
      const all = [...words(place), ...Object.values(files?.(place) ?? {})].join(' ')
      expect(all).toContain('4711')
      expect(all).toContain(server === 'stdio' ? 'stub.ts' : place.remote)
    }
  })

  test('and all they are measured beside say what they do for a call', () => {
    expect(readOptions(['--peers']).targets.toSorted()).toEqual(Object.keys(ABOUT).toSorted())
    for (const { name } of PUBLISHED) expect(ABOUT[name]?.lacks).toBeDefined()
  })

  test('that could not be pinned are named with the reason', () => {
    for (const [name, why] of NOT_PINNED) {
      expect(pinnedVersions()).not.toHaveProperty(name)
      expect(why).toMatch(/\d{4}-\d\d-\d\d/)
    }
  })
})
