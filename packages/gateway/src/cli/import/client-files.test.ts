import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeImport } from './describe-import.ts'
import { readMcpJson } from './mcp-json.ts'

const FOLDER = join(import.meta.dirname, 'clients')
const FILES = readdirSync(FOLDER).filter((name) => !name.endsWith('.expected.txt'))
const VALUES = { TOKEN: 's3cretToken', TEAM: 's3cretTeam' }

const read = (name: string) =>
  readMcpJson(readFileSync(join(FOLDER, name), 'utf8'), {
    home: '/home/ada',
    variables: VALUES,
    inputs: { key: 's3cretInput' },
    platform: 'linux',
  })

test('there is a file of every client that the guide names', () => {
  expect(FILES.map((name) => name.split('.')[0])).toEqual([
    ...['amazon-q', 'claude-code', 'claude-desktop', 'cline', 'codex', 'continue', 'cursor', 'gemini', 'goose'],
    ...['librechat', 'mcpo', 'opencode', 'roo', 'vscode', 'windsurf', 'zed'],
  ])
})

test.each(FILES)('the file %s is read as it was the last time, and its preview shows no secret', async (name) => {
  const plan = read(name)
  const lines = describeImport(plan)
  for (const secret of ['s3cret', 'Bearer t']) expect(lines.join('\n')).not.toContain(secret)
  const servers = plan.servers.map(({ problems: _, notes: __, ...server }) => JSON.stringify(server))
  const written = `${[...lines, '', ...servers].join('\n')}\n`
  await expect(written).toMatchFileSnapshot(join(FOLDER, `${name}.expected.txt`))
})
