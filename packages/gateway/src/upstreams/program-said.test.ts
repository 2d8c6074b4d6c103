import { describe, expect, test } from 'vitest'
import { tellingLine } from './program-said.ts'

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
      'a folder that the sandbox hides',
      ['toolway: /srv is not allowed in the sandbox: add it', 'Error: ENOENT: no such file or directory'],
      'toolway: /srv is not allowed in the sandbox: add it',
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
