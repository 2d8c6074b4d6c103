import { describe, expect, test } from 'vitest'
import { accessDraftOf, accessWords, pathsToAllow, relativePath, withPath } from './access-draft.ts'

describe('the reach of a program in a form', () => {
  const kept = { network: 'listed' as const, allow_hosts: ['a.example', '*.b.example'], allow_paths: ['/srv/a:ro'] }

  test('comes back as it was kept', () => {
    expect(accessWords(accessDraftOf(kept))).toEqual(kept)
    expect(accessWords(accessDraftOf({}))).toEqual({ network: 'public', allow_hosts: [], allow_paths: [] })
  })

  test('offers the paths of arguments that are not allowed, and allows them one by one', () => {
    const access = accessDraftOf(kept)
    const args = ['-y', 'server', '/srv/a/deep', '/srv/b', '--root=/srv/c', '/srv/•••', '/app/server.mjs']
    expect(pathsToAllow(args, access)).toEqual(['/srv/b', '/srv/c'])
    const more = withPath(access, '/srv/b')
    expect(more.paths).toBe('/srv/a:ro\n/srv/b')
    expect(pathsToAllow(args, more)).toEqual(['/srv/c'])
  })

  test('says which line is no absolute path', () => {
    expect(relativePath({ ...accessDraftOf(kept), paths: '/a\n b ' })).toBe('b')
    expect(relativePath(accessDraftOf(kept))).toBeUndefined()
  })
})
