import { describe, expect, test } from 'vitest'
import { Fault } from '@toolway/contract'
import { ProgramSaid, reasonOf, tellingLine } from './program-report.ts'

describe('of what a program said before it ended', () => {
  test.each<[string, string[], string | undefined]>([
    [
      'a stack trace of Node',
      [
        'node:internal/modules/cjs/loader:1215',
        '  throw err;',
        '  ^',
        "Error: Cannot find module '/srv/missing.js'",
        '    at Module._resolveFilename (node:internal/modules/cjs/loader:1212:15)',
        "  code: 'MODULE_NOT_FOUND',",
        '}',
        'Node.js v26.0.0',
      ],
      "Error: Cannot find module '/srv/missing.js'",
    ],
    [
      'an object printed at the end',
      [
        'Starting …',
        'TypeError: fetch failed',
        '  [cause]: Error: getaddrinfo ENOTFOUND mcp.example.com',
        '    at GetAddrInfoReqWrap.onlookupall',
        '}',
      ],
      'TypeError: fetch failed',
    ],
    [
      'a line of the gateway, which is none of the program',
      ['toolway: /srv is not allowed in the sandbox: add it', 'Error: ENOENT: no such file or directory'],
      'Error: ENOENT: no such file or directory',
    ],
    ['a certificate', ['Starting', 'reason: CERT_HAS_EXPIRED', 'Bye'], 'reason: CERT_HAS_EXPIRED'],
    ['npm', ['npm warn deprecated a@1', 'npm error code E404', 'npm error 404 Not Found'], 'npm error code E404'],
    [
      'Python',
      [
        'Traceback (most recent call last):',
        '  File "a.py", line 1',
        '    raise ValueError("x")',
        'ModuleNotFoundError: No module named x',
      ],
      'ModuleNotFoundError: No module named x',
    ],
    ['a sentence', ['Hello', 'API_KEY is required', 'Bye'], 'API_KEY is required'],
    ['nothing that names an error', ['one', 'two', '  '], 'two'],
    ['nothing', [], undefined],
  ])('%s: the first line that names an error is told', (_, lines, line) => {
    expect(tellingLine(lines)).toBe(line)
  })
})

describe('the reason of a server that does not start', () => {
  const reason = (stderr: string[], hosts: string[], paths: string[]) =>
    reasonOf(
      new Fault(
        'upstream.unreachable',
        { connection: 'files', problem: 'it exited with code 1' },
        { cause: new ProgramSaid('it exited with code 1', stderr, { hosts, paths }) },
      ),
    )

  test('tells all of them: what could not be fetched, what the program said, and what it does not see', () => {
    const told = reason(
      ['npm error code E403'],
      ['The sandbox did not let it connect to registry.npmjs.org.'],
      ['/srv/x is not allowed in the sandbox: add it.'],
    )
    expect(told).toBe(
      'The connection files is not available: it exited with code 1. The sandbox did not let it connect to registry.npmjs.org. It said: npm error code E403. /srv/x is not allowed in the sandbox: add it.',
    )
    const { message } = new ProgramSaid('it exited', ['Error: x'], { hosts: ['Host.'], paths: ['Path.'] })
    expect(message).toBe('it exited; Host; it said: Error: x; Path')
  })

  test('is bounded, and is what it was where nothing was kept from it', () => {
    const many = Array.from({ length: 9 }, (_, at) => `P${at} is not there.`)
    expect(reason([], [], many)).toMatch(/P0 .*P1 .*P2 is not there\.$/)
    expect(reason(['Error: x'], [], [])).toMatch(/code 1\. It said: Error: x$/)
  })
})
