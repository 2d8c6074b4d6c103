import { describe, expect, test } from 'vitest'
import { namedPaths, notAllowed } from './named-paths.ts'

describe('paths that arguments name', () => {
  test.each([
    [['-y', 'server', '/srv/files'], ['/srv/files']],
    [
      ['--root=/srv/a', '-r=/srv/b', '/srv/a'],
      ['/srv/a', '/srv/b'],
    ],
    [['https://x.example/a', '//host/share', 'a/b', '-y', '/', '/usr/lib/x', '/proc/1', '/dev/null'], []],
    [
      ['/optional', '/srv/with blank'],
      ['/optional', '/srv/with blank'],
    ],
  ])('%j names %j', (args, paths) => expect(namedPaths(args)).toEqual(paths))

  test('are allowed where they are, or a folder above them is', () => {
    const paths = ['/srv/files', '/srv/files/a', '/srv/files-old', '/home/ada']
    expect(notAllowed(paths, ['/srv/files/:ro', '/home'])).toEqual(['/srv/files-old'])
    expect(notAllowed(paths, [])).toEqual(paths)
  })
})
