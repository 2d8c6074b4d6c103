import { expect, test } from 'vitest'
import { openChildPipe } from './child-pipe.ts'

function open(program: string, ...given: string[]) {
  const lines: string[] = []
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const environment = { ...process.env, COMPOSIO_API_KEY: 'ak_secret', TOOLWAY_KEY: 'uru_secret' }
  const pipe = openChildPipe([program, ...given], { environment, onText: (line) => lines.push(line), onEnd: resolve })
  return { pipe, lines, over }
}

test('a process gets no key, and says line by line what it says', async () => {
  const { pipe, lines, over } = open(process.execPath, '-e', 'console.log(JSON.stringify(process.env)); console.log(2)')
  await over
  expect(await pipe.ended).toBe('ended (code 0)')
  await expect.poll(() => lines.at(-1)).toBe('2')
  expect(lines[0]).not.toMatch(/secret|KEY/)
})

test('a process that cannot be started, or that fails, is told with its reason', async () => {
  expect(await open('no-such-program-here').pipe.ended).toBe('cannot be started (ENOENT)')
  expect(await open(process.execPath, '-e', 'process.exit(3)').pipe.ended).toBe('ended (code 3)')
})

test('a process that sends a message without an end is ended', async () => {
  const endless =
    "process.on('SIGTERM', () => {}); const more = () => process.stdout.write('x'.repeat(1 << 20), more); more()"
  const { pipe, lines, over } = open(process.execPath, '-e', endless)
  await over
  expect(await pipe.ended).toMatch(/^sent a message of more than \d+ bytes$/)
  expect(lines).toEqual([])
})
