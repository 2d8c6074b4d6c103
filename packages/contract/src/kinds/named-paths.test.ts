import { describe, expect, test } from 'vitest'
import { isPathHint, namedHomePaths, namedPaths, notAllowed, notAllowedWords, pathsInText } from './named-paths.ts'

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
    [
      ['file:///srv/a', '--root=file:///srv/with%20blank', 'file:/srv/b', 'file://host/srv/c'],
      ['/srv/a', '/srv/with blank', '/srv/b'],
    ],
    [
      ['sqlite:////srv/a.db', 'sqlite+aiosqlite:///srv/b.db?mode=ro'],
      ['/srv/a.db', '/srv/b.db'],
    ],
    [
      ['/srv/a:/srv/b', '--roots=/srv/c,/srv/d', '/srv/e:/data:ro', '--env=DIR=/srv/f', '/srv/one:two'],
      ['/srv/a', '/srv/b', '/srv/c', '/srv/d', '/srv/e', '/data', '/srv/f', '/srv/one:two'],
    ],
    [['C:\\Users\\Ada', 'C:/Users/Ada', '~/notes', '~', '/srv/bell\u0007'], []],
  ])('%j names %j', (args, paths) => expect(namedPaths(args)).toEqual(paths))

  test('that begin with ~ are told apart: a program takes them for its own home', () => {
    expect(namedHomePaths(['~/notes', '--root=~/a', '/srv/a', '~', 'a~/b'])).toEqual(['~/notes', '~/a'])
  })

  test('are allowed where they are, or a folder above them is', () => {
    const paths = ['/srv/files', '/srv/files/a', '/srv/files-old', '/home/ada']
    expect(notAllowed(paths, ['/srv/files/:ro', '/home'])).toEqual(['/srv/files-old'])
    expect(notAllowed(paths, [])).toEqual(paths)
  })
})

describe('paths that a message names', () => {
  test.each([
    ["ENOENT: no such file or directory, open '/srv/x/mem.json'", ['/srv/x/mem.json']],
    ["FileNotFoundError: [Errno 2] No such file or directory: '/srv/my files/x.db'", ['/srv/my files/x.db']],
    ['Error executing tool git_log: /srv/x', ['/srv/x']],
    ['cannot open /srv/x/a.txt: permission denied. Nor /srv/x/b.txt.', ['/srv/x/a.txt', '/srv/x/b.txt']],
    ['see file:///srv/x/a.txt', ['/srv/x/a.txt']],
    ['GET https://api.example.com/v1/users failed, C:/Users/x, a/b, ~/x, //host/share', []],
    ['at /usr/lib/node/x.js:12, /proc/self/mem, /etc/passwd, /tmp', []],
    ['stat=/srv/a,(/srv/b) [/srv/c] "/srv/d"', ['/srv/d', '/srv/a', '/srv/b', '/srv/c']],
  ])('%j names %j', (text, paths) => expect(pathsInText(text)).toEqual(paths))

  test('are few, however many there are', () => {
    expect(pathsInText(Array.from({ length: 50 }, (_, at) => `/srv/${at}`).join(' '))).toHaveLength(8)
  })
})

test('what would have to be allowed is named in a command that a shell takes as it stands', () => {
  const exists = notAllowedWords({ path: "/srv/Ada's files", grant: "/srv/Ada's files" }, 'files')
  expect(exists).toContain(`toolway connection allow files --allow-path '/srv/Ada'\\''s files', or append :ro`)
  const created = notAllowedWords({ path: '/srv/x/new.db', grant: '/srv/x' }, 'files')
  expect(created).toContain('/srv/x/new.db does not exist, and its folder /srv/x is not allowed')
  const missing = notAllowedWords({ path: '/srv/x/new.db', grant: '/srv/x', missing: true }, 'files')
  expect(missing).toContain('create /srv/x and add it')
  const home = notAllowedWords({ path: '~/notes', grant: '/home/ada/notes' }, 'files')
  expect(home).toContain('~ is its own folder there: write /home/ada/notes')
  for (const sentence of [exists, created, missing, home]) expect(isPathHint(sentence)).toBe(true)
})
