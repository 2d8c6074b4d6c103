/** Rules by the command line and by the declaration file, beside a gateway that runs and hears of them. */
// @module-tag long
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, callTool, textIn } from '../fault/caller.ts'
import { makeInstallation, type Installation, type Running } from './installation.ts'

let here: Installation
let running: Running
let endpoint: { url: string; key: string }
beforeAll(async () => {
  here = await makeInstallation()
  running = await here.start()
  endpoint = { url: `${running.address}/mcp`, key: await here.localKey() }
})
afterAll(() => here[Symbol.asyncDispose]())
const patiently = { interval: 50 }
const names = async () => {
  const { message } = await ask(endpoint, 'tools/list')
  return ((message.result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name)
}
const policy = (...words: string[]) => here.run(['policy', ...words])
const counted = async () => textIn(await callTool(endpoint, 'demo__calculate', { expression: '1+1' }))

describe('toolway policy', () => {
  test('S3-POLY-03: adds a rule by flags, shows, changes, switches and removes it; a gateway that runs hears of it', async () => {
    await expect.poll(names, patiently).toContain('demo__calculate')
    const added = await policy('add', '--block', '*CALC*', '--name', 'no-counting', '--reason', 'Nobody counts here.')
    expect(added).toMatchObject({ code: 0, err: '' })
    expect(added.out).toMatch(/^no-counting \(block, rul_\w+\) is in effect in default from now on\.\n$/)
    await expect.poll(names, patiently).not.toContain('demo__calculate')
    expect(await counted()).toContain('Nobody counts here')
    expect((await policy('list')).out).toMatch(
      /^no-counting +organization +block +on +\*CALC\* +Nobody counts here\.$/m,
    )
    expect((await policy('show', 'no-counting')).out).toContain('action: block')
    expect(await policy('disable', 'no-counting')).toMatchObject({ code: 0 })
    await expect.poll(names, patiently).toContain('demo__calculate')
    expect(await policy('enable', 'no-counting')).toMatchObject({ code: 0 })
    await expect.poll(names, patiently).not.toContain('demo__calculate')
    expect(
      await policy('change', 'no-counting', '--tools', 'nothing', '--force', '--reason', 'Not yet.'),
    ).toMatchObject({
      code: 0,
    })
    await expect.poll(names, patiently).toContain('demo__calculate')
    expect(await here.json(['policy', 'show', 'no-counting'])).toMatchObject({
      match: { tools: ['nothing'] },
      reason: 'Not yet.',
      state: 'on',
      origin: 'command line',
    })
    expect((await policy('remove', 'no-counting')).out).toBe('Removed no-counting (block nothing).\n')
    expect((await policy('list')).out).toContain('No rules yet')
  })

  test('says what is wrong, and which name may have been meant', async () => {
    await policy('add', '--warn', 'x', '--name', 'look-at-x', '--reason', 'We look.', '--force')
    const because = ['--reason', 'x']
    for (const [words, code, says] of [
      [['show', 'look-at-y'], 1, 'Did you mean "look-at-x"?'],
      [['add', '--block', 'x'], 2, '--reason'],
      [['add', '--block', 'x', '--warn', 'y', ...because], 2, 'not --block and --warn'],
      [['add', ...because], 2, 'Choose an action'],
      [['add', '--clamp', 'search', ...because], 2, 'TOOL:PARAMETER<=NUMBER'],
      [['add', '--clamp', 'search:limit<=5', '--default', '9', ...because], 2, 'is outside min and max'],
      [['add', '--block', 'x', '--connection', 'demos', ...because], 2, 'did you mean "demo"'],
      [['add', '--block', 'x', '--when', 'principal.nmae ==', ...because], 2, 'is not a valid CEL condition'],
      [['add', '--block', 'x', '--when', 'principal.rol == ""', ...because], 2, 'did you mean "role"?'],
      [['add', '--allow', 'x', '--lifts', 'look-at-z', ...because], 2, 'did you mean "look-at-x"'],
      [['add', '--warn', 'x', '--name', 'look-at-x', ...because], 1, 'Already exists: rule "look-at-x"'],
      [['add', '--warn', 'x', '--default', '5', ...because], 2, '--default requires --clamp'],
      [['add', '--block', 'x', '--lifts', 'look-at-x', ...because], 2, '--lifts requires --allow'],
      [['add', '--block', 'x y', ...because], 2, 'The request is not valid: /rules/0/match/tools/0'],
      [['add', '/nowhere.yaml'], 2, 'ENOENT'],
    ] as const) {
      const { code: ended, err } = await policy(...words)
      expect([words, ended, err]).toEqual([words, code, expect.stringContaining(says)])
    }
    await policy('remove', 'look-at-x')
  })

  test('refuses a pattern that no tool fits, and adds it where it is forced', async () => {
    const add = ['add', '--warn', 'demo__calculat', 'CALC*', '--name', 'slip', '--reason', 'We look.']
    const refused = await policy(...add)
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toContain('The pattern "demo__calculat" matches no known tool (did you mean demo__calculate?)')
    expect(refused.err).toContain('--force')
    expect((await policy('show', 'slip')).code).toBe(1)
    const forced = await policy(...add, '--force')
    expect(forced).toMatchObject({ code: 0, err: '' })
    expect(forced.out).toContain('is in effect in default from now on.\nNo known tool matches demo__calculat yet;')
    expect(forced.out).not.toContain('CALC')
    const change = ['change', 'slip', '--tools', 'demo__calculte']
    expect((await policy(...change)).err).toContain('did you mean demo__calculate?')
    expect(await policy(...change, '--force')).toMatchObject({ code: 0 })
    await policy('remove', 'slip')
  })

  test('adds the rules of a file, all or none, and names line and column of what does not fit', async () => {
    const file = join(here.folder, 'rules.yaml')
    await writeFile(file, `rules:\n  - name: a\n    action: block\n    reason: No.\n    mach: { tools: ['x'] }\n`)
    expect((await policy('add', file)).err).toContain(`${file}:5:5: rules[0].mach is unknown (did you mean "match"?)`)
    const good = { name: 'a', action: 'clamp', reason: 'Small.', parameters: { parameter: 'limit', max: 50 } }
    await writeFile(file, JSON.stringify([good, { ...good, name: 'b', scope: 'connection', of: 'nothing' }]))
    expect(await policy('add', file)).toMatchObject({ code: 2, err: expect.stringContaining('/rules/1/of') })
    expect(await here.json(['policy', 'list'])).toEqual([])
    await writeFile(file, JSON.stringify([good, { ...good, name: 'b', scope: 'connection', of: 'demo' }]))
    expect(await here.json(['policy', 'add', file])).toMatchObject([{ scope: 'organization' }, { of: 'demo' }])
    for (const name of ['a', 'b']) await policy('remove', name)
  })

  test('keeps what is the platform’s apart', async () => {
    const added = await policy('add', '--platform', '--block', '*calc*', '--name', 'above', '--reason', 'Not here.')
    expect(added.out).toContain('in every organization')
    await expect.poll(names, patiently).not.toContain('demo__calculate')
    expect((await policy('list')).out).toMatch(/^above +platform +block +on/m)
    expect(await policy('disable', 'above')).toMatchObject({ code: 1, err: expect.stringContaining('use --platform') })
    const lift = ['add', '--allow', '*', '--lifts', 'above', '--reason', 'x']
    expect((await policy(...lift)).err).toContain('only platform rules can lift')
    // The words of the source system show the same rule.
    expect((await here.run(['rule', 'list'])).out).toMatch(/block +\*calc\* +any +yes +Not here/)
    expect(await policy('remove', 'above', '--platform')).toMatchObject({ code: 0, err: '' })
    await expect.poll(names, patiently).toContain('demo__calculate')
  })
})

const FILE = `
platform:
  rules:
    - { name: above, action: warn, match: { tools: ['demo__*'] }, reason: We look. }
rules:
  - name: no-counting
    action: block
    match: { tools: ['*calculate*'], when: 'principal.role != "platform_admin" || true' }
    reason: Nobody counts here.
  - name: but-in-work
    action: allow
    match: { when: 'context.toolset == "work"' }
    parameters: { lifts: [no-counting] }
    reason: Work counts.
connections:
  web:
    url: http://127.0.0.1:1/mcp
    enabled: false
    rules:
      - { name: small, action: clamp, parameters: { parameter: limit, max: 50, default: 20 }, reason: Small pages. }
toolsets:
  work:
    rules:
      - { name: quiet, action: hide, match: { tools: ['*wait*'] }, reason: Nobody waits. }
`

test(
  'the declaration file says rules of every place; what it no longer says is gone, and what it says is changed in it',
  { timeout: 300_000 },
  async () => {
    await using own = await makeInstallation()
    const file = join(own.folder, 'toolway.yaml')
    const settings = { TOOLWAY_CONFIG: file }
    await writeFile(file, FILE)
    const begun = await own.start(settings)
    const at = { url: `${begun.address}/mcp`, key: await own.localKey() }
    const work = { ...at, url: `${begun.address}/o/default/t/work/mcp` }
    const count = async (where: typeof at) => textIn(await callTool(where, 'demo__calculate', { expression: '1+1' }))
    await expect.poll(() => count(at), patiently).toContain('Nobody counts here')
    expect(await count(work)).toContain('2')
    const listed = (await own.json(['policy', 'list'])) as { name: string; id: string; origin: string }[]
    expect(listed.map((rule) => ({ ...rule, id: undefined }))).toMatchObject([
      { name: 'above', scope: 'platform', origin: 'platform', match: { tools: ['demo__*'] } },
      { name: 'no-counting', scope: 'organization', origin: 'file' },
      { name: 'small', scope: 'connection', of: 'web', parameters: { parameter: 'limit', max: 50, default: 20 } },
      // An exception is written when all that it may lift is there.
      { name: 'but-in-work', scope: 'organization', parameters: { lifts: ['no-counting'] } },
      { name: 'quiet', scope: 'toolset', of: 'work', origin: 'toolset' },
    ])
    for (const words of [
      ['disable', 'no-counting'],
      ['remove', 'above', '--platform'],
    ])
      expect((await own.run(['policy', ...words])).err).toContain('defined in the TOOLWAY_CONFIG file')
    await begun.stop()

    // The same file changes nothing, not even an id.
    const again = await own.start(settings)
    expect(await own.json(['policy', 'list'])).toEqual(listed)
    await again.stop()

    await writeFile(file, 'connections: { web: { url: "http://127.0.0.1:1/mcp", enabled: false } }\n')
    const last = await own.start(settings)
    expect(await own.json(['policy', 'list'])).toEqual([])
    await expect.poll(() => count({ ...at, url: `${last.address}/mcp` }), patiently).toContain('2')
    await last.stop()

    await writeFile(file, `rules:\n  - { name: x, action: allow, parameters: { lifts: [nothing] }, reason: x }\n`)
    await expect(own.start(settings)).rejects.toThrow('rule "x" is not valid: parameters/lifts/0 refers to "nothing"')
  },
)
