/** The documentation at /docs: its pages, its files, and nothing else. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSite } from '../console/site.ts'
import { createDocsDoor } from './docs-door.ts'

const INLINE = 'document.documentElement.classList.add("dark")'
/** `printf %s … | openssl dgst -sha256 -binary | base64` */
const HASH = 'sha256-+jXBBVrxtk8tcWi34/+64B/q/AmYPxbCP60MxuNQyBo='

describe('the documentation', () => {
  let folder: string
  let ask: (path: string) => Promise<Response>
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolway-docs-'))
    await mkdir(join(folder, 'site/guides'), { recursive: true })
    await mkdir(join(folder, 'site/assets'))
    const page = `<!doctype html><script src="/docs/assets/app.js"></script><script id="theme">${INLINE}</script><h1>Limits</h1>`
    await writeFile(join(folder, 'site/index.html'), '<!doctype html><h1>Documentation</h1>')
    await writeFile(join(folder, 'site/guides/limits.html'), page)
    await writeFile(join(folder, 'site/assets/app.js'), 'export {}')
    await writeFile(join(folder, 'secret.txt'), 'not of the site')
    const door = createDocsDoor(await readSite(join(folder, 'site')))
    ask = async (path) => door.request(path)
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('has its pages at addresses without an ending, and allows the script that stands in one by its hash alone', async () => {
    for (const path of ['/docs', '/docs/']) expect(await (await ask(path)).text()).toContain('Documentation')
    const answer = await ask('/docs/guides/limits')
    expect(await answer.text()).toContain('Limits')
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain(`script-src 'self' '${HASH}';`)
    expect(policy).not.toMatch(/script-src[^;]*unsafe/)
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    expect((await ask('/docs')).headers.get('content-security-policy')).toContain("script-src 'self';")
  })

  test('serves files with a long lifetime, and nothing that is not of the site', async () => {
    const file = await ask('/docs/assets/app.js')
    expect(file.headers.get('content-type')).toContain('text/javascript')
    expect(file.headers.get('cache-control')).toContain('immutable')
    for (const path of ['/docs/none', '/docs/guides/limits.html', '/docs/../secret.txt', '/docs/%2e%2e/secret.txt'])
      expect((await ask(path)).status, path).toBe(404)
  })

  test('that was not built says how', async () => {
    const door = createDocsDoor(await readSite(join(folder, 'nowhere')))
    const answer = await door.request('/docs/guides/limits')
    expect(answer.status).toBe(503)
    expect(await answer.text()).toContain('npm run docs')
  })
})
