/** Records on the command line: looked through, exported, checked where there is no Toolway, redacted and pruned. */
// @module-tag long
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callTool } from '../fault/caller.ts'
import { makeInstallation } from './installation.ts'

const KEY = `uru_${'ab'.repeat(32)}`
interface Listed {
  readonly items: readonly { id: string; seq: number; action: string; ip_address: string | null }[]
}

test('as the guide says: list, export, verify offline, find the tampered record, redact, prune', async () => {
  await using here = await makeInstallation({ TOOLWAY_BOOTSTRAP_KEY: KEY, LOG_LEVEL: 'error' })
  const running = await here.start()
  const target = { url: `${running.address}/mcp`, key: KEY }
  const tell = async () => (await callTool(target, 'demo__calculate', { expression: '6*7' })).text
  await expect.poll(tell).toContain('42')
  for (let at = 0; at < 3; at++) await tell()
  const listed = async () => (await here.json(['records', 'list', '--action', 'tools/call'])) as Listed
  await expect.poll(async () => (await listed()).items.length).toBeGreaterThan(3)
  const [newest] = (await listed()).items
  expect(newest?.ip_address).toBe('127.0.0.1')
  const shown = await here.run(['records', 'show', newest?.id ?? ''])
  expect(shown).toMatchObject({ code: 0, err: '' })
  expect(shown.out).toMatch(/^outcome +ok$/m)
  expect((await here.run(['records', 'show', newest?.id ?? '', '--payload'])).err).toContain('No payload is stored for')

  const levels = (await here.json(['records', 'levels', '--window', 'hour'])) as { connections: { name: string }[] }
  expect(levels.connections).toMatchObject([{ name: 'demo', windows: { hour: { failed: 0, availability: 100 } } }])
  expect((await here.run(['records', 'levels'])).out).toMatch(/^demo +100% .* 100% /m)

  const callers = (await here.json(['records', 'usage', '--days', '31'])) as { items: { calls: number }[] }
  expect(callers.items).toMatchObject([{ failed: 0, refused: 0 }])
  expect((await here.run(['records', 'usage', '--csv'])).out).toMatch(/^id,name,calls,failed,refused\nkey_\w+,/)

  const file = join(here.folder, 'records.jsonl')
  const exported = await here.run(['records', 'export', '--file', file])
  expect(exported).toMatchObject({ code: 0, out: '' })
  const fingerprint = /fingerprint ([0-9a-f]{64})/.exec(exported.err)?.[1] ?? ''
  expect((await here.run(['records', 'export', '--file', file])).err).toContain('already exists')

  // Where there is neither data directory nor database.
  const nowhere = { settings: { TOOLWAY_DATA: '/nonexistent' } }
  const good = await here.run(['records', 'verify', file, '--fingerprint', fingerprint], nowhere)
  expect(good).toMatchObject({ code: 0, err: '' })
  expect(good.out).toMatch(/^Valid: org_\w+, \d+ records, 1 to \d+, proven up to record \d+\.\n/)
  expect(good.out).not.toContain('Warning')
  expect((await here.run(['records', 'verify', file], nowhere)).out).toContain('Warning: no fingerprint was given')
  const strange = await here.run(['records', 'verify', file, '--fingerprint', 'f'.repeat(64)], nowhere)
  expect(strange).toMatchObject({ code: 1 })
  expect(strange.out).toContain('signed with an unknown key')

  const tampered = join(here.folder, 'tampered.jsonl')
  await copyFile(file, tampered)
  const text = await readFile(file, 'utf8')
  const line = text.split('\n').find((one) => one.includes(`"${newest?.id}"`)) ?? ''
  await writeFile(tampered, text.replace(line, line.replace('"outcome":"ok"', '"outcome":"failed"')))
  const wrong = await here.run(['records', 'verify', tampered, '--fingerprint', fingerprint], nowhere)
  expect(wrong).toMatchObject({ code: 1 })
  expect(wrong.out).toContain(`record ${newest?.seq} (${newest?.id}) does not match its hash`)
  const found = await here.json(['records', 'verify', tampered], nowhere)
  expect(found).toMatchObject([{ good: false, problem: { kind: 'content', seq: newest?.seq, id: newest?.id } }])
  await writeFile(tampered, 'hello\n')
  expect((await here.run(['records', 'verify', tampered], nowhere)).code).toBe(1)

  const redact = ['records', 'redact', newest?.id ?? '', '--field', 'ip_address', '--reason', 'erasure request 17']
  expect(await here.run(redact)).toMatchObject({ code: 0, err: '' })
  expect((await here.run(redact)).err).toContain('There is no record')
  expect((await here.run([...redact.slice(0, 4), 'outcome', '--reason', 'x'])).code).toBe(2)
  expect((await listed()).items[0]).toMatchObject({ id: newest?.id, ip_address: null })
  expect(await here.run(['records', 'verify'])).toMatchObject({ code: 0, err: '' })
  expect(await here.run(['records', 'verify', '-o', 'platform'])).toMatchObject({ code: 0 })
  // The export of before still fits: nothing that was there went.
  expect(await here.run(['records', 'verify', file, '--fingerprint', fingerprint], nowhere)).toMatchObject({ code: 0 })

  const pruned = await here.json(['records', 'prune', '--before', new Date(Date.now() + 60_000).toISOString()])
  expect(pruned).toMatchObject({ removed: expect.any(Number) as unknown })
  expect((await listed()).items).toEqual([])
  const left = (await here.json(['records', 'verify'])) as { good: boolean; first: number; records: number }[]
  expect(left).toMatchObject([{ good: true, records: 1 }])
  expect(left[0]?.first).toBeGreaterThan(newest?.seq ?? 0)
  expect(await running.stop()).toBe(0)
})
