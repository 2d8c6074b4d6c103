/** Files for tools of Composio: uploaded by the toolkit's process, and attached to a mail at the double, which refuses unknown keys. */
import { createHash, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { API_KEY, startComposio, type ComposioDouble } from '../peers/composio/composio-double.ts'
import { createMachine, textOf, type Machine, type Progress, type Toolkit } from './toolkit-process.ts'

let composio: ComposioDouble
let machine: Machine
let toolkit: Toolkit
beforeAll(async () => {
  composio = await startComposio([{ slug: 'GMAIL_SEND_EMAIL', toolkit: 'gmail' }], { acts: true })
  composio.accounts.push({ id: 'ca_ada', user: 'ada', toolkit: 'gmail', status: 'ACTIVE' })
  machine = await createMachine()
  toolkit = await machine.start({ ...variables(), TOOLWAY_CRAWL_ALLOW_PRIVATE: 'true' })
})
afterAll(async () => {
  await machine?.[Symbol.asyncDispose]()
  await composio?.[Symbol.asyncDispose]()
})

const variables = () => ({ COMPOSIO_API_KEY: API_KEY, COMPOSIO_BASE_URL: composio.url, DEFAULT_USER_ID: 'ada' })
const md5Of = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

/** As an agent sends it: GMAIL_SEND_EMAIL with an attachment. */
async function sendMail(attachment: object) {
  const answer = await fetch(`${composio.url}/api/v3.1/tools/execute/GMAIL_SEND_EMAIL`, {
    method: 'POST',
    headers: { 'x-api-key': API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({
      user_id: 'ada',
      arguments: { recipient_email: 'bob@example.com', subject: 'Report', body: 'See the attachment.', attachment },
    }),
  })
  return (await answer.json()) as { successful: boolean; error: string | null }
}

test('S4-TK-11: upload_to_composio answers with the key in both spellings, the address and the paths', async () => {
  const bytes = randomBytes(3_000_000)
  await writeFile(join(machine.root, 'report.pdf'), bytes)
  const told: Progress[] = []
  const done = await toolkit.call(
    'upload_to_composio',
    { path: 'report.pdf' },
    { onprogress: (one) => void told.push(one) },
  )
  const [first] = composio.storage.uploads
  const [key, stored] = first ?? ['']
  expect(JSON.parse(textOf(done))).toEqual(done.structuredContent)
  expect(done.structuredContent).toEqual({
    s3_key: key,
    s3key: key,
    remote_path: key,
    s3_url: `${composio.url}/storage/${key}`,
    local_path: join(machine.root, 'report.pdf'),
    mimetype: 'application/pdf',
    name: 'report.pdf',
    size: bytes.length,
  })
  expect(stored).toMatchObject({
    filename: 'report.pdf',
    md5: md5Of(bytes),
    tool_slug: 'GMAIL_SEND_EMAIL',
    toolkit_slug: 'gmail',
  })
  expect((await readFile(stored?.path ?? '')).equals(bytes)).toBe(true)
  expect(told.at(-1)).toMatchObject({ progress: bytes.length, total: bytes.length })
  // The key of the project goes to Composio, not to the storage.
  expect(JSON.stringify(composio.storage.headers)).not.toContain(API_KEY)
  expect(JSON.stringify(done)).not.toMatch(/Signature|X-Amz/)

  const typed = await toolkit.call('upload_to_composio', {
    path: 'report.pdf',
    mime_type: 'application/x-report',
    toolkit: 'slack',
    tool: 'SLACK_UPLOAD_FILE',
  })
  expect(typed.structuredContent).toMatchObject({ mimetype: 'application/x-report' })
  expect([...composio.storage.uploads.values()].at(-1)).toMatchObject({ tool_slug: 'SLACK_UPLOAD_FILE' })
})

test('S4-TK-12: a report that is written here is uploaded and sent as an attachment by its s3_key', async () => {
  const content = '<h1>Report</h1>'
  expect(textOf(await toolkit.call('write_local_file', { path: 'report.html', content }))).toContain(
    'Successfully wrote',
  )
  const { structuredContent: uploaded } = await toolkit.call('upload_to_composio', { path: 'report.html' })
  const attachment = { name: uploaded?.['name'], mimetype: uploaded?.['mimetype'], s3key: uploaded?.['s3_key'] }
  expect(await sendMail(attachment)).toMatchObject({ successful: true, error: null })
  expect(composio.executed.at(-1)).toMatchObject({ slug: 'GMAIL_SEND_EMAIL', arguments: { attachment } })
  const stored = composio.storage.uploads.get(String(uploaded?.['s3_key']))
  expect(await readFile(stored?.path ?? '', 'utf8')).toBe(content)
  expect(await sendMail({ ...attachment, s3key: 'projects/pr_test/requests/gmail/unknown' })).toMatchObject({
    successful: false,
    error: expect.stringContaining('does not exist') as string,
  })
})

test('a file that the storage has already is not sent again', async () => {
  await writeFile(join(machine.root, 'twice.txt'), 'twice')
  const first = await toolkit.call('upload_to_composio', { path: 'twice.txt' })
  const before = composio.storage.requests.length
  const second = await toolkit.call('upload_to_composio', { path: 'twice.txt' })
  expect(second.structuredContent).toEqual(first.structuredContent)
  expect(composio.storage.requests).toHaveLength(before)
})

test('an upload that is cut or refused for a moment is sent again, with a new address', async () => {
  await writeFile(join(machine.root, 'cut.bin'), randomBytes(2_000_000))
  composio.storage.next.push('cut', 503)
  const done = await toolkit.call('upload_to_composio', { path: 'cut.bin' })
  expect(done.isError).toBeUndefined()
  composio.storage.next.push(403)
  await writeFile(join(machine.root, 'refused.bin'), randomBytes(10))
  const refused = await toolkit.call('upload_to_composio', { path: 'refused.bin' })
  expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('HTTP 403')])
})

test('an address in a private network is not reached unless the toolkit was started so', async () => {
  await writeFile(join(machine.root, 'guarded.txt'), 'guarded')
  const guarded = await machine.start(variables())
  const before = composio.storage.requests.length
  const refused = await guarded.call('upload_to_composio', { path: 'guarded.txt' })
  expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('not public')])
  expect(composio.storage.requests).toHaveLength(before)
})

test('S4-SRV-02: with every tool but the uploads, no byte of a file leaves this machine', async () => {
  const secret = randomBytes(48).toString('base64')
  const before = { asked: composio.asked.length, stored: composio.storage.requests.length }
  const { tools } = await toolkit.client.listTools()
  const article = { url: 'https://example.com', title: secret, content: secret, status: 'success' }
  const CALLS: Readonly<Record<string, object>> = {
    save_corpus: { articles: [article], workspace_path: 'private' },
    write_local_file: { path: 'private/report.md', content: secret },
    append_to_file: { path: 'private/report.md', content: secret },
    list_directory: { path: 'private' },
    read_research_files: { paths: ['private/report.md'] },
    compress_files: { paths: ['private/report.md'], archive_path: 'private/report.zip' },
    extract_files: { archive_path: 'private/report.zip', folder: 'private/out' },
    crawl_parallel: { urls: [`${composio.url}/storage/page`], session_dir: 'private' },
    batch_tool_execute: { calls: [{ tool: 'list_directory', arguments: { path: 'private' } }] },
  }
  const uploads = ['workbench_upload', 'upload_to_composio', 'upload_file']
  const others = tools
    .map(({ name }) => name)
    .filter((name) => !uploads.includes(name) && name !== 'workbench_download')
  for (const name of others) {
    const given = CALLS[name]
    expect(given, `a call of ${name}`).toBeDefined()
    expect((await toolkit.call(name, given ?? {})).isError, name).not.toBe(true)
  }
  // The crawler asks for its page and the rules of the site, and sends nothing.
  expect(composio.asked.slice(before.asked)).toEqual(['GET /robots.txt'])
  expect(composio.storage.requests.slice(before.stored).every((one) => one.startsWith('GET '))).toBe(true)
  // A download asks for a file by its name; nothing of the files here goes along.
  await toolkit.call('workbench_download', { remote_path: '/home/user/x', local_path: 'private/x' })
  const sent = JSON.stringify([composio.asked, composio.executed, composio.headers, composio.storage.requests])
  for (const form of [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)])
    expect(sent).not.toContain(form)
})
