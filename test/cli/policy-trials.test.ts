/** Rules tried on the command line before they bite: explained, held against cases, and judged on what was called. */
// @module-tag long
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeInstallation } from './installation.ts'

const RULES = `
rules:
  - name: no-deletes
    match: { tools: ['*__delete_*'], when: "!('ops' in principal.groups)" }
    action: block
    reason: Agents must not delete anything
  - name: at-most-50
    match: { tools: ['*__search'] }
    action: clamp
    parameters: { parameter: limit, max: 50 }
    reason: Keeps answers small
`
const CASES = `
rules: rules.yaml
tools:
  git__delete_branch: { effect: destructive }
  db__search: { effect: read, schema: { properties: { limit: { type: integer, maximum: 20 } } } }
cases:
  - name: members delete nothing
    tool: git__delete_branch
    expect: { action: block, rule: no-deletes }
  - name: operators do
    as: { groups: [ops] }
    tool: git__delete_branch
    expect: allow
  - name: a search is small, and never wider than its schema
    tool: db__search
    arguments: { limit: 500 }
    expect: { action: allow, arguments: { limit: 20 } }
`

const GUIDE = join(import.meta.dirname, '../../docs/guides/policy-explain.md')

test('what the guide writes down is so', async () => {
  await using here = await makeInstallation()
  const blocks = (await readFile(GUIDE, 'utf8')).matchAll(/```yaml\n# (\S+)\n([^]*?)```/g)
  const named = [...blocks].map(([, name = '', text = '']) => [name, text] as const)
  expect(named.map(([name]) => name)).toEqual(['rules.yaml', 'policy.test.yaml'])
  for (const [name, text] of named) await writeFile(join(here.folder, name), text)
  expect(await here.run(['policy', 'test', join(here.folder, 'policy.test.yaml')])).toMatchObject({ code: 0, err: '' })
})

test('cases of a file are held against rules of a file, with no Toolway there', async () => {
  await using here = await makeInstallation()
  const file = join(here.folder, 'policy.test.yaml')
  await writeFile(join(here.folder, 'rules.yaml'), RULES)
  await writeFile(file, CASES)
  expect(await here.run(['policy', 'test', file])).toEqual({
    code: 0,
    out: [
      'TAP version 14',
      '1..3',
      'ok 1 - members delete nothing',
      'ok 2 - operators do',
      'ok 3 - a search is small, and never wider than its schema',
      '',
    ].join('\n'),
    err: '',
  })

  await writeFile(file, CASES.replace('rule: no-deletes', 'rule: other').replace('limit: 20 } }\n', 'limit: 50 } }\n'))
  const failed = await here.run(['policy', 'test', file])
  expect(failed.code).toBe(1)
  expect(failed.out).toContain(
    ['not ok 1 - members delete nothing', '  ---', '  rule:', '    expected: "other"', '    found: "no-deletes"'].join(
      '\n',
    ),
  )
  expect(failed.out).toContain('    found: {"limit":20}')
  const told = await here.run(['policy', 'test', file, '--json'])
  expect([told.code, JSON.parse(told.out).ok]).toEqual([1, false])

  // Another file of rules in place of the named one; one that cannot be read fails by itself.
  const other = join(here.folder, 'other.yaml')
  await writeFile(other, RULES.replace(`"!('ops' in principal.groups)"`, `"!("`))
  const broken = await here.run(['policy', 'test', file, '--rules', other])
  expect(broken.out).toContain('not ok 1 - the rule "no-deletes" can be read')
  // A mismatch is reported with its position.
  await writeFile(file, CASES.replace('expect: allow', 'expects: allow'))
  expect(await here.run(['policy', 'test', file])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/policy\.test\.yaml:\d+:\d+: .*expects.*did you mean "expect"/),
  })
  await writeFile(file, CASES.replace('tool: db__search', 'tool: db__find'))
  expect((await here.run(['policy', 'test', file])).code).not.toBe(0)
})

test('a rule is explained, seen in the shadow, and a draft is judged on what was called', async () => {
  await using here = await makeInstallation()
  const running = await here.start()
  await here.run(['member', 'add', 'maria@acme.example'])
  await here.run(['group', 'add', 'ops'])
  await here.run(['group', 'join', 'ops', 'maria@acme.example'])
  for (const expression of ['1 + 1', '2 + 2'])
    expect((await here.run(['call', 'demo__calculate', JSON.stringify({ expression })])).code).toBe(0)
  const explain = (...more: string[]) => here.run(['policy', 'explain', '--tool', 'demo__calculate', ...more])

  const free = await explain('--as', 'maria@acme.example', '--arguments', '{"expression": "1"}')
  expect(free).toMatchObject({ code: 0, err: '' })
  expect(free.out).toContain('as maria@acme.example (tenant_member, in ops) in the toolset default')
  expect(free.out).toContain('Verdict: The call is made unchanged.')
  expect(free.out).toContain('Sends: {"expression":"1"}')
  await here.run(['rule', 'add', 'calculate', '--reason', 'No sums'])
  const blocked = await explain('--as', 'maria@acme.example')
  expect(blocked.out).toMatch(
    /\+ block "\S+" \(platform\): All of its conditions are met\.\n {4}outcome: the call is refused\./,
  )
  expect(blocked.out).toMatch(/passes with an exception of the platform \(action allow, lifts: \[\S+\]\)/)
  expect(await here.json(['policy', 'explain', '--tool', 'demo__calculate'])).toMatchObject({
    verdict: { action: 'block' },
    sends: null,
  })
  expect(await here.run(['policy', 'explain', '--tool', 'demo__calculat'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('Did you mean demo__calculate?'),
  })
  expect(await explain('--as', 'nobody@acme.example')).toMatchObject({ code: 1 })
  expect(await explain('--arguments', '[]')).toMatchObject({ code: 2 })

  const draft = join(here.folder, 'draft.yaml')
  await writeFile(draft, `name: watched\naction: warn\nreason: We look\nmatch: { tools: ['calculate'] }\n`)
  const [{ id }] = (await here.json(['rule', 'list'])) as [{ id: string }]
  await here.run(['rule', 'remove', id])
  const report = await here.run(['policy', 'replay', draft, '--days', '1'])
  expect(report).toMatchObject({ code: 0, err: '' })
  expect(report.out).toContain('2 calls from the last 1 day: 0 unchanged, 2 changed, 0 cannot be evaluated.')
  expect(report.out).toMatch(/demo__calculate +\S+( \S+)* +allow +warn +watched +2 +rec_/)
  expect(await here.run(['policy', 'replay'])).toMatchObject({ code: 2 })
  expect((await here.run(['policy', 'shadow'])).out).toContain('No shadow rule would have done anything')
  expect(await running.stop()).toBe(0)
})
