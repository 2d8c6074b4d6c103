/**
 * Tests that the check fails when code opens another outgoing connection. The floors restrict imports (`test/floors.test.ts`);
 * the linter covers code that needs no import. Here it is given a file with each violation, with the same configuration that `npm
 * run check` uses.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = dirname(dirname(import.meta.dirname))

async function lint(path: string, text: string): Promise<{ code: number; printed: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'one-way-out-'))
  try {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
    const program = join(root, 'node_modules/oxlint/bin/oxlint')
    const words = [program, '-c', join(root, '.oxlintrc.json'), folder]
    return await new Promise((resolve) => {
      const child = execFile(process.execPath, words, { cwd: root }, (_, out, err) =>
        resolve({ code: child.exitCode ?? 1, printed: out + err }),
      )
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

test.each([
  ['fetch', "export const asked = await fetch('https://example.com/')\n"],
  ['WebSocket', "export const line = new WebSocket('wss://example.com/')\n"],
  ['EventSource', "export const stream = new EventSource('https://example.com/')\n"],
])('U-23: a part that uses the global %s does not pass the check', async (name, text) => {
  const { code, printed } = await lint('packages/gateway/src/jobs/ask.ts', text)
  expect(printed).toContain('no-restricted-globals')
  expect(printed).toContain(name)
  expect(code).toBeGreaterThan(0)
})

test('U-23: a part that is handed the guarded one passes it', async () => {
  const text = "export const ask = (fetch: (url: string) => Promise<string>) => fetch('https://example.com/')\n"
  expect((await lint('packages/gateway/src/jobs/ask.ts', text)).code).toBe(0)
})
