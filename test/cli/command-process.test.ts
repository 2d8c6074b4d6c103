/** A process that runs many commands is to each of them a process of its own. */
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runInCommandProcess } from './command-process.ts'

const ODD = join(import.meta.dirname, 'odd-commands.script.ts')
const folder = realpathSync(tmpdir())

const run = (words: readonly string[], input = '', environment: Record<string, string> = {}) =>
  runInCommandProcess(
    ODD,
    { words, environment: { PATH: process.env['PATH'], ...environment }, folder, input },
    () => () => {},
  )

const look = async (input?: string, environment?: Record<string, string>) =>
  JSON.parse((await run(['look'], input, environment)).out) as { pid: number }

test('a command finds its own environment, folder and input, and nothing of the one before', async () => {
  const first = await look('one\n', { NAME: 'first', ONLY: 'here' })
  expect(first).toMatchObject({ environment: { NAME: 'first', ONLY: 'here' }, folder, input: 'one\n' })
  expect(await run(['leave'])).toEqual({ code: 7, out: '', err: '' })
  expect(await look('', { NAME: 'second' })).toEqual({ ...first, environment: { NAME: 'second' }, input: '' })
})

test('every byte that a command prints arrives, and none of another one', async () => {
  for (const size of [300_000, 1])
    expect(await run(['print', String(size)])).toEqual({ code: 0, out: 'ä\n'.repeat(size), err: 'no line' })
})

test('a command that ends its process has its own exit code, and the next one another process', async () => {
  const { pid } = await look()
  expect(await run(['exit'])).toEqual({ code: 5, out: '', err: 'over' })
  expect((await look()).pid).not.toBe(pid)
})

test('a command that leaves something open ends when that ends, and the next one has another process', async () => {
  const { pid } = await look()
  expect(await run(['wait'])).toEqual({ code: 3, out: 'late', err: '' })
  expect((await look()).pid).not.toBe(pid)
})

test('commands that run at the same time have a process each', async () => {
  const found = await Promise.all([look('a'), look('b'), look('c')])
  expect(new Set(found.map(({ pid }) => pid)).size).toBe(3)
})
