import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SandboxView } from '../children/sandbox/closed-paths.ts'
import type { Withheld } from '../program-report.ts'
import { createSandboxHints, networkWords } from './sandbox-hints.ts'

let at = ''
beforeAll(async () => {
  at = await mkdtemp(join(tmpdir(), 'toolway-hints-'))
  await mkdir(join(at, 'open'))
  await mkdir(join(at, 'work'))
  await writeFile(join(at, 'work/a.txt'), '')
})
afterAll(() => rm(at, { recursive: true, force: true }))

function fixture(more: Partial<SandboxView> = {}) {
  const sentences: (readonly string[])[] = []
  const stderr: string[] = []
  let withheld: Withheld = { hosts: [], paths: [] }
  let more_ = () => {}
  const view = { shown: [join(at, 'open')], readOnly: [], hidden: [], network: 'public' as const, ...more }
  const hints = createSandboxHints({ alias: 'git', patience: 1, onHints: (all) => void sentences.push(all) })
  const child = {
    ...{ view: () => view, stderr: () => stderr, withheld: () => withheld },
    onWithheld: (tell: () => void) => void (more_ = tell),
  }
  hints.attach(child)
  return {
    sentences,
    stderr,
    withhold: (next: Withheld) => ((withheld = next), more_()),
    fails: (text: string) => hints.look(child, { result: { isError: true, content: [{ type: 'text', text }] } }),
    answers: (text: string) => hints.look(child, { result: { content: [{ type: 'text', text }] } }),
    refuses: (message: string) => hints.look(child, { error: { code: -32603, message } }),
  }
}
const last = (sentences: readonly (readonly string[])[]) => sentences.at(-1) ?? []

describe('a call that fails with a path that the sandbox does not show', () => {
  test('is told to administrators with the command that allows it, and that a caller named the path', async () => {
    const { sentences, fails } = fixture()
    fails(`Error executing tool git_log: ${at}/work`)
    await expect.poll(() => last(sentences).length).toBeGreaterThan(0)
    expect(last(sentences)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^A call failed with this path: ${at}/work .*connection allow git --allow-path ${at}/work,.*only if`,
        ),
      ),
    ])
  })

  test('in an error, or on stderr, is told too', async () => {
    const one = fixture()
    one.refuses(`ENOENT: no such file or directory, open '${at}/work/new.txt'`)
    await expect.poll(() => last(one.sentences).length).toBeGreaterThan(0)
    expect(last(one.sentences)[0]).toContain(`its folder ${at}/work is not allowed`)
    const other = fixture()
    other.fails('Internal error')
    other.stderr.push('toolway: /srv is ours', `FileNotFoundError: [Errno 2] No such file or directory: '${at}/work/x'`)
    await expect.poll(() => last(other.sentences).length).toBeGreaterThan(0)
    expect(last(other.sentences)[0]).toContain(`${at}/work/x does not exist`)
  })

  test('is not looked at where the call succeeds, the path is shown, or nothing of it exists', async () => {
    const { sentences, fails, answers } = fixture()
    answers(`${at}/work/a.txt`)
    fails(`no such file: ${at}/open/a.txt, /api/v1/users`)
    const proof = fixture()
    proof.fails(`${at}/work`)
    await expect.poll(() => last(proof.sentences).length).toBeGreaterThan(0)
    expect(sentences).toEqual([[]])
  })

  test('for writing where it may only be read is told with the command for both', async () => {
    const { sentences, fails } = fixture({ readOnly: [join(at, 'open')] })
    fails(`EROFS: read-only file system, open '${at}/open/a.txt'`)
    await expect.poll(() => last(sentences).length).toBeGreaterThan(0)
    expect(last(sentences)[0]).toContain(`for reading only`)
    expect(last(sentences)[0]).toContain(`connection allow git --allow-path ${at}/open allows it`)
  })

  test('is told a few times, whatever callers name', async () => {
    const { sentences, fails } = fixture()
    for (let nth = 0; nth < 8; nth++) {
      const before = last(sentences).length
      fails(Array.from({ length: 5 }, (_, at_) => `${at}/work/${nth}-${at_}`).join(' '))
      if (before < 3) await expect.poll(() => last(sentences).length).toBeGreaterThan(before)
    }
    expect(last(sentences)).toHaveLength(3)
  })
})

test('a host that is refused later is told when it is', async () => {
  const { sentences, withhold } = fixture()
  withhold({ hosts: ['a.example is refused.'], paths: [] })
  withhold({ hosts: ['a.example and b.example are refused.'], paths: [] })
  await expect.poll(() => last(sentences).length).toBeGreaterThan(0)
  expect(sentences).toEqual([[], ['a.example and b.example are refused.']])
})

test('a program that finds no network is told what its sandbox has of it', () => {
  const words = (network: SandboxView['network'], text = 'Error: getaddrinfo EAI_AGAIN db.example') =>
    networkWords(text, { view: { shown: [], readOnly: [], hidden: [], network }, alias: 'db' })
  expect(words('none')).toContain('toolway connection allow db --network public')
  expect(words('public')).toContain('toolway connection allow db --network host')
  expect(words('host')).toBeUndefined()
  expect(words('none', 'Error: x')).toBeUndefined()
})
