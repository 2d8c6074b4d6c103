/** Approvals by the command line, the guide's own commands, and a gateway that is killed between a grant and its use. */
// @module-tag long
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callTool, textIn } from '../fault/caller.ts'
import { makeInstallation, TOOLWAY, type Installation, type Running } from './installation.ts'

let here: Installation
let running: Running
let key: string
beforeAll(async () => {
  here = await makeInstallation()
  running = await here.start()
  key = (await here.run(['key', 'add', 'rules', '--role', 'tenant_admin'])).out.trim()
})
afterAll(() => here[Symbol.asyncDispose]())

const patiently = { interval: 100 }
const call = async (name: string, given: Record<string, unknown>) =>
  textIn(await callTool({ url: `${running.address}/mcp`, key }, name, given)) ?? ''
const idIn = (text: string): string => /apr_[a-z0-9]{26}/.exec(text)?.[0] ?? ''
const admin = (method: string, path: string, body?: object) =>
  fetch(`${running.address}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const addRule = async (name: string, tool: string, parameters: object) =>
  expect(
    (
      await admin('POST', '/organizations/default/rules', {
        ...{ name, action: 'approve', reason: 'It is tried', match: { tools: [tool] }, parameters },
      })
    ).status,
  ).toBe(201)

test('the commands of the guide run, and do what it says', async () => {
  await expect.poll(() => call('demo__calculate', { expression: '1+1' }), patiently).toContain('2')
  const guide = await readFile(join(import.meta.dirname, '../../docs/guides/approvals.md'), 'utf8')
  const blocks = [...guide.matchAll(/```sh\n([^`]*)```/g)].map(([, block = '']) => block)
  expect(blocks.length).toBeGreaterThanOrEqual(6)
  const script = [
    `set -euo pipefail`,
    `npx() { shift; "${process.execPath}" "${TOOLWAY}" "$@"; }`,
    ...blocks,
    `echo ended in peace`,
  ].join('\n')
  const { PATH } = process.env
  const child = spawn('bash', ['-c', script], {
    cwd: here.folder,
    env: { PATH, HOME: here.folder, TOOLWAY_DATA: here.data, GATEWAY: running.address, KEY: key },
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (out += chunk.toString()))
  await new Promise((resolve) => child.once('close', resolve))
  expect(out, out).toContain('ended in peace')
  for (const said of [
    'demo__hash_text',
    'Approved. The call will run when the caller repeats it',
    '2cf24dba5fb0a30e',
    'look-first: Digests',
  ])
    expect(out).toContain(said)
})

test('a call is denied with its reason, and a question that is over or is not there says so', async () => {
  const id = idIn(await call('demo__hash_text', { text: 'denied' }))
  expect(await here.run(['approval', 'deny', id, '--note', 'not like this'])).toMatchObject({ code: 0, err: '' })
  expect(await call('demo__hash_text', { text: 'denied' })).toContain('not like this')
  const late = await here.run(['approval', 'grant', id])
  expect(late).toMatchObject({ code: 1, err: expect.stringContaining('(status: denied)') })
  expect(await here.run(['approval', 'show', `apr_${'0'.repeat(26)}`])).toMatchObject({
    code: 1,
    err: expect.stringContaining('toolway approval list'),
  })
  expect(await here.json(['approval', 'list', '--state', 'denied'])).toMatchObject([{ id, state: 'denied' }])
})

test('the command line answers for a role, and not for certain people', async () => {
  await addRule('certain', 'demo__compare_texts', { by: { members: ['ada@example.com'] } })
  await expect
    .poll(() => call('demo__compare_texts', { before: 'a', after: 'b' }), patiently)
    .toContain('APPROVAL_REQUIRED')
  const id = idIn(await call('demo__compare_texts', { before: 'a', after: 'b' }))
  expect(await here.run(['approval', 'grant', id])).toMatchObject({
    code: 1,
    err: expect.stringContaining('ada@example.com'),
  })
})

test('a gateway that is killed after the grant has it still, and one that is killed in the call sends it no second time', async () => {
  await addRule('slow', 'demo__wait_for', {})
  await expect.poll(() => call('demo__wait_for', { seconds: 0.1 }), patiently).toContain('APPROVAL_REQUIRED')
  const given = { text: 'killed' }
  const granted = idIn(await call('demo__hash_text', given))
  expect(await here.run(['approval', 'grant', granted])).toMatchObject({ code: 0 })
  const slow = { seconds: 20 }
  const slowId = idIn(await call('demo__wait_for', slow))
  expect(await here.run(['approval', 'grant', slowId])).toMatchObject({ code: 0 })
  const broken = call('demo__wait_for', slow).catch(() => 'broke off')
  await expect
    .poll(async () => here.json(['approval', 'list', '--state', 'used']), patiently)
    .toContainEqual(expect.objectContaining({ id: slowId }))
  running.signal('SIGKILL')
  await running.ended
  expect(await broken).toBe('broke off')

  running = await here.start()
  await expect.poll(() => call('demo__calculate', { expression: '2+2' }).catch(() => ''), patiently).toContain('4')
  // The grant is there, and is used once.
  expect(await call('demo__hash_text', given)).toContain('sha256 of 6 bytes')
  expect(await call('demo__hash_text', given)).toContain('APPROVAL_REQUIRED')
  // The effect of the other call is unknown, so approval is requested again.
  const again = await call('demo__wait_for', slow)
  expect(again).toContain('APPROVAL_REQUIRED')
  expect(idIn(again)).not.toBe(slowId)
})
