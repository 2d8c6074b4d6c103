import { Fault } from '@toolway/contract'
import { afterEach, expect, test, vi } from 'vitest'
import { DatabaseUnreachable } from '../../db/unreachable.ts'
import { tellFailure } from './failure.ts'
import { CommandFault } from './output.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

async function told(thrown: unknown, json = false): Promise<{ code: number; text: string }> {
  let text = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => ((text += String(chunk)), true))
  const code = await tellFailure(thrown, json)
  return { code, text }
}

const path = '/srv/toolway/keys'
const errno = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', syscall: 'open', path })

test.each([
  ['of a command', new CommandFault('There is no such key.', 4), 4, 'There is no such key.\n'],
  ['of the table', new Fault('file.link'), 1, /^This file link is invalid or has expired\.\nRequest a new one\./],
  [
    'of the database',
    new DatabaseUnreachable('nothing', new Error('gone')),
    1,
    /PostgreSQL reports: gone\. Check that/,
  ],
  ['of the file system', errno, 1, /^\/srv\/toolway\/keys cannot be used \(EACCES, open\): check that it exists/],
  [
    'of this program',
    new TypeError('x is not a function'),
    1,
    /^An unexpected error ended the command: x is not a funct/,
  ],
  ['with a log in its message', new Error('did not start:\n  at a\nLOG: b'), 1, /: did not start:\.\nRun the command/],
  ['without a message', new Error(), 1, /it has no message/],
  ['that is no error', 'oops', 1, /ended the command: oops\./],
] as const)('a failure %s is a sentence, without a stack', async (_, thrown, exit, words) => {
  const { code, text } = await told(thrown)
  expect(code).toBe(exit)
  if (typeof words === 'string') expect(text).toBe(words)
  else expect(text).toMatch(words)
  expect(text).not.toMatch(/^\s+at /m)
  const json = await told(thrown, true)
  expect(JSON.parse(json.text)).toEqual({ error: expect.any(String), exitCode: exit })
})

test('the stack of an unexpected error is printed where LOG_LEVEL is debug, and of an expected one never', async () => {
  vi.stubEnv('LOG_LEVEL', 'debug')
  expect((await told(new TypeError('x is not a function'))).text).toMatch(/^\s+at /m)
  expect((await told(new CommandFault('There is no such key.'))).text).toBe('There is no such key.\n')
})
