/** Tests that the guide to rules is correct: its commands run as written, and Toolway reads its files. */
// @module-tag long
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { RULE_ACTIONS } from '@toolway/contract'
import { expect, test } from 'vitest'
import { readConfigFile } from '../../packages/gateway/src/config-file.ts'
import { makeInstallation, TOOLWAY } from './installation.ts'

const guide = readFileSync(new URL('../../docs/guides/policy.md', import.meta.url), 'utf8')
const blocksOf = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text)

test('the files of the guide are read, and one of them shows every action', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'toolway-guide-')), 'toolway.yaml')
  const read = blocksOf('yaml').map((text) => {
    writeFileSync(path, text)
    return readConfigFile(path, () => undefined)[0]
  })
  expect(read).toHaveLength(3)
  const [file, actions] = read
  expect([file?.platform?.rules?.length, file?.rules?.length]).toEqual([1, 1])
  expect(file?.connections[0]?.rules).toMatchObject([{ name: 'small-pages' }])
  expect(file?.toolsets[0]?.settings.rules).toMatchObject([{ name: 'no-drafts' }])
  const rows = [...guide.matchAll(/^\| `(\w+)` \|[^\n]*\|$/gm)].map(([, name = '']) => name)
  expect(actions?.rules?.map(({ action }) => action)).toEqual([...RULE_ACTIONS])
  expect(rows).toEqual(expect.arrayContaining([...RULE_ACTIONS]))
})

test('the commands of the guide do what they say', async () => {
  await using here = await makeInstallation()
  const running = await here.start()
  await running.stop()
  const { stdout, stderr } = await promisify(execFile)(
    'bash',
    [
      '--noprofile',
      '--norc',
      '-c',
      [`set -euo pipefail`, `npx() { shift; node "${TOOLWAY}" "$@"; }`, ...blocksOf('sh')].join('\n'),
    ],
    { cwd: here.folder, env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, TOOLWAY_DATA: here.data } },
  )
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^no-notes \(block, rul_\w+\) is in effect in default from now on\.$/m)
  expect(stdout).toContain('Removed no-notes (block demo__notes_remove).')
  expect(await here.json(['policy', 'list'])).toMatchObject([
    { name: 'few-ids', parameters: { parameter: 'count', max: 50, default: 20 } },
    { name: 'lock-demo-hash', parameters: { parameter: 'algorithm', value: 'sha256', as: 'fixed' } },
    { name: 'rate-demo', parameters: { calls: 100, per: 3600, of: 'organization' } },
    { name: 'allow-demo-make-ids', parameters: { lifts: ['few-ids'] } },
    { name: 'no-waiting', state: 'on' },
  ])
})
