/** Files between a user's machine and Composio's workbench: the toolkit's process, asked by the official client, against the double. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { API_KEY, startComposio, type ComposioDouble, type DoubleTool } from '../peers/composio/composio-double.ts'
import { givenIn } from '../peers/composio/sandbox-double.ts'
import { createMachine, faultOf, textOf, type Machine, type Progress, type Toolkit } from './toolkit-process.ts'

const TOOLS: DoubleTool[] = [
  { slug: 'GMAIL_SEND_EMAIL', toolkit: 'gmail' },
  { slug: 'CODEINTERPRETER_GET_FILE_CMD', toolkit: 'codeinterpreter', noAuth: true },
]
const RUN = 'COMPOSIO_REMOTE_WORKBENCH'
const MEGABYTE = 1024 * 1024

let composio: ComposioDouble
let machine: Machine
let toolkit: Toolkit
beforeAll(async () => {
  composio = await startComposio(TOOLS, { acts: true })
  machine = await createMachine()
  toolkit = await machine.start(variables())
})
afterAll(async () => {
  await machine?.[Symbol.asyncDispose]()
  await composio?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  composio.getFile = 'text'
  composio.next.length = 0
})

const variables = () => ({
  COMPOSIO_API_KEY: API_KEY,
  COMPOSIO_BASE_URL: composio.url,
  DEFAULT_USER_ID: 'ada',
  TOOLWAY_CRAWL_ALLOW_PRIVATE: 'true',
})
const local = (path: string) => join(machine.root, path)
const atWorkbench = (session: string, path: string) => join(composio.sandboxes.homeOf(session), path)
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const sessionOf = ({ structuredContent }: { structuredContent?: Record<string, unknown> }) =>
  String(structuredContent?.['session_id'])
const runs = () => composio.executed.filter(({ slug }) => slug === RUN)
/** The inputs of the scripts of a call, in their order. */
const operations = (from: number) =>
  runs()
    .slice(from)
    .map(({ arguments: given }) => givenIn(String(given['code_to_execute'])).operation)

describe('workbench_upload', () => {
  test('S4-TK-08: copies a file to the workbench and says so in one sentence', async () => {
    const text = 'Grüße 🎉\n'
    await writeFile(local('file.txt'), text)
    const done = await toolkit.call('workbench_upload', { local_path: 'file.txt', remote_path: '/home/user/file.txt' })
    expect(textOf(done)).toBe(`Successfully uploaded ${local('file.txt')} to /home/user/file.txt.`)
    expect(await readFile(atWorkbench(sessionOf(done), 'file.txt'), 'utf8')).toBe(text)
    // Another session is another workbench; the one that is named is used.
    const other = await composioSession()
    const there = await toolkit.call('workbench_upload', {
      local_path: local('file.txt'),
      remote_path: '/home/user/a/b/file.txt',
      session_id: other,
    })
    expect(there.structuredContent).toMatchObject({ session_id: other, remote_path: '/home/user/a/b/file.txt' })
    expect(await readFile(atWorkbench(other, 'a/b/file.txt'), 'utf8')).toBe(text)
    expect(runs().at(-1)?.arguments).toMatchObject({ session_id: other })
  })

  test('S4-TK-09: the bytes go as base64 in a script for COMPOSIO_REMOTE_WORKBENCH, and no path breaks out of it', async () => {
    const bytes = randomBytes(100_000)
    await writeFile(local('data.bin'), bytes)
    const evil = `it's "); open("owned-by-path","w"); (".txt`
    const before = runs().length
    const done = await toolkit.call('workbench_upload', {
      local_path: 'data.bin',
      remote_path: `/home/user/folder's/${evil}`,
    })
    expect(textOf(done)).toContain('Successfully uploaded')
    const scripts = runs()
      .slice(before)
      .map(({ arguments: given }) => String(given['code_to_execute']))
    expect(scripts.some((script) => script.includes(bytes.toString('base64')))).toBe(true)
    for (const script of scripts) expect(script).not.toContain('owned-by-path')
    const written = operations(before).flatMap((one) => (one.name === 'write' ? [Buffer.from(one.bytes)] : []))
    expect(Buffer.concat(written).equals(bytes)).toBe(true)
    const folder = atWorkbench(sessionOf(done), "folder's")
    expect(await readdir(folder)).toEqual([evil])
    expect((await readFile(join(folder, evil))).equals(bytes)).toBe(true)
  })

  test('S4-TK-10: a large file goes in parts, and success is said only after size and hash were right there', async () => {
    const bytes = randomBytes(5 * MEGABYTE + 7)
    await writeFile(local('large.bin'), bytes)
    const before = runs().length
    const told: Progress[] = []
    const given = { local_path: 'large.bin', remote_path: '/home/user/large.bin' }
    const done = await toolkit.call('workbench_upload', given, { onprogress: (one) => void told.push(one) })
    expect(done.structuredContent).toMatchObject({ size: bytes.length, sha256: hashOf(bytes), resumed_at: 0 })
    const names = operations(before).map(({ name }) => name)
    expect(names).toEqual(['stat', ...Array.from({ length: 6 }, () => 'write'), 'finish'])
    expect(told.map(({ progress, total }) => [progress, total])).toEqual(
      [1, 2, 3, 4, 5].map((at) => [at * MEGABYTE, bytes.length]).concat([[bytes.length, bytes.length]]),
    )
    expect((await readFile(atWorkbench(sessionOf(done), 'large.bin'))).equals(bytes)).toBe(true)

    // A workbench that says other numbers is not believed, and the file is not there.
    const nonceFree = { data: { stdout: 'done', stderr: '' }, error: null, log_id: 'log_x' }
    composio.next.push(nonceFree)
    const unsaid = await toolkit.call('workbench_upload', { ...given, remote_path: '/home/user/unsaid.bin' })
    expect([unsaid.isError, textOf(unsaid)]).toEqual([true, expect.stringContaining('did not return its answer')])
  })

  test('an upload that is changed at the workbench before its end is refused, and the file does not appear', async () => {
    await writeFile(local('changed.bin'), randomBytes(3 * MEGABYTE))
    const given = { local_path: 'changed.bin', remote_path: '/home/user/changed/changed.bin' }
    const session = await composioSession()
    const changing = toolkit.call(
      'workbench_upload',
      { ...given, session_id: session },
      {
        onprogress: ({ progress }) => {
          if (progress === 2 * MEGABYTE) void damage()
        },
      },
    )
    const folder = atWorkbench(session, 'changed')
    async function damage() {
      const [part = ''] = await readdir(folder)
      await writeFile(join(folder, part), randomBytes(2 * MEGABYTE))
    }
    const refused = await changing
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('size or hash differs')])
    expect(await readdir(folder)).not.toContain('changed.bin')
    // The damaged part is not continued.
    const again = await toolkit.call('workbench_upload', { ...given, session_id: session })
    expect(again.structuredContent).toMatchObject({ resumed_at: 0 })
    expect(await readdir(folder)).toEqual(['changed.bin'])
  })

  test('parts that are too large for the other side are sent in smaller ones', async () => {
    await using small = await startComposio(TOOLS, { acts: true, bodyLimit: 300_000 })
    const narrow = await machine.start({ ...variables(), COMPOSIO_BASE_URL: small.url })
    const bytes = randomBytes(MEGABYTE)
    await writeFile(local('narrow.bin'), bytes)
    const done = await narrow.call('workbench_upload', {
      local_path: 'narrow.bin',
      remote_path: '/home/user/narrow.bin',
    })
    expect(textOf(done)).toContain('Successfully uploaded')
    expect((await readFile(join(small.sandboxes.homeOf(sessionOf(done)), 'narrow.bin'))).equals(bytes)).toBe(true)
  })

  test('an answer of 429, of 503, and a cut connection are tried again', async () => {
    await writeFile(local('again.txt'), 'again')
    composio.next.push(429, 503, 'cut')
    const done = await toolkit.call('workbench_upload', {
      local_path: 'again.txt',
      remote_path: '/home/user/again.txt',
    })
    expect(textOf(done)).toContain('Successfully uploaded')
  })

  test('local and remote paths are not mixed', async () => {
    for (const remote of [
      'file.txt',
      '/tmp/x',
      '/home/user',
      '/home/user/../x',
      '/home/other/x',
      'C:/x',
      '/home/user/a\nb',
    ]) {
      const refused = await toolkit.call('workbench_upload', { local_path: 'file.txt', remote_path: remote })
      expect(refused.isError, remote).toBe(true)
      const other = await toolkit.call('workbench_download', { local_path: 'x', remote_path: remote })
      expect(other.isError, remote).toBe(true)
    }
    const outside = await toolkit.call('workbench_upload', { local_path: '/etc/passwd', remote_path: '/home/user/x' })
    expect([outside.isError, textOf(outside)]).toEqual([true, expect.stringContaining('/etc/passwd')])
    const swapped = await toolkit.call('workbench_download', {
      remote_path: '/home/user/x',
      local_path: '/home/user/x',
    })
    expect(swapped.isError).toBe(true)
  })
})

describe('workbench_download', () => {
  const put = async (session: string, path: string, bytes: Uint8Array) => {
    await mkdir(composio.sandboxes.homeOf(session), { recursive: true })
    await writeFile(atWorkbench(session, path), bytes)
  }

  test('S4-TK-06: copies a file of the workbench and says so in one sentence', async () => {
    const session = await composioSession()
    await put(session, 'output.csv', Buffer.from('a,b\n1,2\n'))
    const done = await toolkit.call('workbench_download', {
      remote_path: '/home/user/output.csv',
      local_path: 'local/path/output.csv',
      session_id: session,
    })
    const path = local('local/path/output.csv')
    expect(textOf(done)).toBe(`Successfully downloaded /home/user/output.csv to ${path}. Local path: ${path}`)
    expect(await readFile(path, 'utf8')).toBe('a,b\n1,2\n')
    expect(done.structuredContent).toMatchObject({ session_id: session, verified: true, size: 8 })
    const missing = await toolkit.call('workbench_download', {
      remote_path: '/home/user/none.csv',
      local_path: 'none.csv',
      session_id: session,
    })
    expect([missing.isError, textOf(missing)]).toEqual([true, 'Error: File not found'])
    expect(faultOf(missing)).toMatchObject({ error: 'File not found', successful: false })
    await expect(stat(local('none.csv'))).rejects.toThrow('ENOENT')
  })

  test.each(['text', 'base64', 'address', 'downloaded'] as const)(
    'S4-TK-07: CODEINTERPRETER_GET_FILE_CMD that answers in the form "%s" gives the very bytes',
    async (form) => {
      composio.getFile = form
      const session = await composioSession()
      for (const [name, bytes] of [
        ['text.md', Buffer.from('Grüße, ganz in Ordnung\n')],
        ['looks-like-base64.txt', Buffer.from('YWJjZA==')],
        ['binary.bin', Buffer.concat([Buffer.from([0, 255, 254, 0x80]), randomBytes(200_000)])],
        ['empty', Buffer.alloc(0)],
      ] as const) {
        await put(session, name, bytes)
        const before = composio.executed.length
        const given = { remote_path: `/home/user/${name}`, local_path: `${form}/${name}`, session_id: session }
        const done = await toolkit.call('workbench_download', given)
        expect(textOf(done), name).toContain('Successfully downloaded')
        expect((await readFile(local(`${form}/${name}`))).equals(bytes), name).toBe(true)
        expect(composio.executed.slice(before).map(({ slug }) => slug)).toContain('CODEINTERPRETER_GET_FILE_CMD')
        expect(await readdir(local(form))).toContain(name)
      }
    },
  )

  test('a large file comes in parts, each with its hash', async () => {
    const bytes = randomBytes(9 * MEGABYTE + 1)
    const session = await composioSession()
    await put(session, 'large.bin', bytes)
    const told: Progress[] = []
    const before = runs().length
    const given = { remote_path: '/home/user/large.bin', local_path: 'large-down.bin', session_id: session }
    const done = await toolkit.call('workbench_download', given, { onprogress: (one) => void told.push(one) })
    expect(done.structuredContent).toMatchObject({ size: bytes.length, sha256: hashOf(bytes), verified: true })
    expect((await readFile(local('large-down.bin'))).equals(bytes)).toBe(true)
    expect(operations(before).map(({ name }) => name)).toEqual(['stat', ...Array.from({ length: 10 }, () => 'read')])
    expect(told.at(-1)).toMatchObject({ progress: bytes.length, total: bytes.length })
    expect(told).toHaveLength(10)
  })

  test('an answer that names another file of this machine is not followed', async () => {
    const session = await composioSession()
    await put(session, 'x.txt', Buffer.from('remote'))
    composio.getFile = 'text'
    const before = composio.executed.length
    // The script's answer comes first; then the answer of the tool that gets the file.
    const leading = { file: { uri: '/etc/passwd', file_downloaded: true } }
    const given = { remote_path: '/home/user/unseen.txt', local_path: 'passwd', session_id: session }
    composio.nextGetFile.push(leading)
    const refused = await toolkit.call('workbench_download', given)
    expect([refused.isError, textOf(refused)]).toEqual([
      true,
      expect.stringContaining('not a file in the temporary folder'),
    ])
    await expect(stat(local('passwd'))).rejects.toThrow('ENOENT')
    expect(composio.executed.length).toBeGreaterThan(before)
  })
})

describe('failures', () => {
  const upload = { local_path: 'file.txt', remote_path: '/home/user/f.txt' }
  const download = { local_path: 'down.txt', remote_path: '/home/user/f.txt' }

  test('without a key or a user, the sentence names the variable, and everything else works', async () => {
    const bare = await machine.start({})
    for (const [name, given] of [
      ['workbench_upload', upload],
      ['workbench_download', download],
      ['upload_to_composio', { path: 'file.txt' }],
    ] as const) {
      const refused = await bare.call(name, given)
      expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('COMPOSIO_API_KEY is not set')])
    }
    expect((await bare.call('write_local_file', { path: 'x.txt', content: 'x' })).isError).toBeUndefined()
    const nobody = await machine.start({ ...variables(), DEFAULT_USER_ID: '' })
    expect(textOf(await nobody.call('workbench_upload', upload))).toContain('set DEFAULT_USER_ID')
  })

  test('a key that is refused is not repeated in the answer', async () => {
    const wrong = await machine.start({ ...variables(), COMPOSIO_API_KEY: 'ak_secret_wrong' })
    const refused = await wrong.call('workbench_upload', upload)
    expect(textOf(refused)).toBe(
      'Error: Composio does not accept the key (HTTP 401: Invalid API key). Check COMPOSIO_API_KEY.',
    )
    expect(JSON.stringify(refused)).not.toContain('ak_secret_wrong')
  })

  test.each([
    [403, 'does not permit'],
    [404, 'cannot find this'],
    [409, 'current state'],
  ])('HTTP %i is told with its status and what it means', async (status, words) => {
    const session = await composioSession()
    composio.next.push(status)
    const refused = await toolkit.call('workbench_upload', { ...upload, session_id: session })
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining(words)])
    expect(textOf(refused)).toContain(`HTTP ${status}`)
    expect(faultOf(refused)).toMatchObject({ successful: false, status })
  })

  test('a failure of a tool keeps its words and its data', async () => {
    const failed = { data: { hint: 'restart the sandbox' }, error: 'The sandbox is out of memory', log_id: 'log_9' }
    composio.next.push(failed)
    const refused = await toolkit.call('workbench_upload', upload)
    expect(textOf(refused)).toBe('Error: The sandbox is out of memory')
    expect(faultOf(refused)).toMatchObject({ ...failed, successful: false })
  })

  test('a session that has ended is opened anew, unless the caller named it', async () => {
    await toolkit.call('workbench_upload', upload)
    composio.endSessions()
    expect(textOf(await toolkit.call('workbench_upload', upload))).toContain('Successfully uploaded')
    const named = await toolkit.call('workbench_upload', { ...upload, session_id: 'trs_gone' })
    expect([named.isError, textOf(named)]).toEqual([true, expect.stringContaining('Session trs_gone not found')])
  })
})

/** A session of the tool router, as another program opened it. */
async function composioSession(): Promise<string> {
  const answer = await fetch(`${composio.url}/api/v3.1/tool_router/session`, {
    method: 'POST',
    headers: { 'x-api-key': API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: 'ada' }),
  })
  return ((await answer.json()) as { session_id: string }).session_id
}
