/** The files of the console: where they are served, and where not. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createConsoleDoor } from './console-door.ts'
import { readSite } from './site.ts'

const SCRIPT = 'export const words = "tools, tools and tools again"'.repeat(40)

describe('the console', () => {
  let folder: string
  let ask: (path: string, headers?: Record<string, string>) => Promise<Response>
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolway-site-'))
    await mkdir(join(folder, 'site/assets'), { recursive: true })
    await writeFile(join(folder, 'site/index.html'), '<!doctype html><div id="console"></div>')
    await writeFile(join(folder, 'site/assets/main-1.js'), SCRIPT)
    await writeFile(join(folder, 'secret.txt'), 'not of the site')
    const door = createConsoleDoor(await readSite(join(folder, 'site')))
    ask = async (path, headers = {}) => door.request(path, { headers })
  })
  afterAll(() => rm(folder, { recursive: true }))

  test.each([
    '/',
    '/connections',
    '/connections/github',
    '/tools/',
    '/settings/integrations?connected=1',
    '/o/acme',
    '/o/acme/connections/github',
  ])('has its page at %s, which loads and runs only what is ours and stands in no frame', async (path) => {
    const answer = await ask(path)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('id="console"')
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(/script-src[^;]*unsafe/.test(policy)).toBe(false)
    expect(answer.headers.get('cache-control')).toBe('no-cache')
  })

  test.each([
    '/nothing',
    '/tools/sync/version',
    '/connections/github/more',
    '/settings/other',
    '/oauth/other',
    '/assets/other.js',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/../secret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/constructor',
    '/index.html',
    '/api/v1/nothing',
    '/o/acme/nothing',
    '/o/acme/t/default/nothing',
  ])('has nothing at %s', async (path) => {
    expect((await ask(path)).status).toBe(404)
  })

  test('says a file once: it may be kept for good, and is asked for by its tag', async () => {
    const first = await ask('/assets/main-1.js')
    expect(first.headers.get('cache-control')).toContain('immutable')
    expect(first.headers.get('x-content-type-options')).toBe('nosniff')
    const again = await ask('/assets/main-1.js', { 'if-none-match': first.headers.get('etag') ?? '' })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  test.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
    ['identity', null, (bytes: Buffer) => bytes],
  ])('is packed as a browser takes it: %s', async (accepted, coding, unpack) => {
    const answer = await ask('/assets/main-1.js', { 'accept-encoding': accepted })
    expect(answer.headers.get('content-encoding')).toBe(coding)
    expect(answer.headers.get('vary')).toBe('Accept-Encoding')
    expect(unpack(Buffer.from(await answer.arrayBuffer())).toString()).toBe(SCRIPT)
  })

  test('that was not built says so, and what there is without it', async () => {
    const door = createConsoleDoor(await readSite(join(folder, 'nowhere')))
    const answer = await door.request('/')
    expect(answer.status).toBe(503)
    expect(await answer.text()).toContain('npm start')
  })
})
