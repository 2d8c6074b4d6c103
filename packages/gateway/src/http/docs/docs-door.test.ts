/** The documentation at /docs: its pages, its files, and nothing else. */
import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDocsDoor } from './docs-door.ts'
import { openDocs } from './docs-site.ts'

const INLINE = 'document.documentElement.classList.add("dark")'
/** `printf %s … | openssl dgst -sha256 -binary | base64` */
const HASH = 'sha256-+jXBBVrxtk8tcWi34/+64B/q/AmYPxbCP60MxuNQyBo='

describe('the documentation', () => {
  let folder: string
  let ask: (path: string, headers?: Record<string, string>) => Promise<Response>
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolway-docs-'))
    await mkdir(join(folder, 'site/guides'), { recursive: true })
    await mkdir(join(folder, 'site/assets'))
    const page = `<!doctype html><script src="/docs/assets/app.js"></script><script id="theme">${INLINE}</script><h1>Limits</h1>`
    await writeFile(join(folder, 'site/index.html'), '<!doctype html><h1>Documentation</h1>')
    await writeFile(join(folder, 'site/guides/limits.html'), page)
    await writeFile(join(folder, 'site/assets/app.js'), 'export {}')
    await writeFile(join(folder, 'site/assets/home.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47]))
    await writeFile(join(folder, 'secret.txt'), 'not of the site')
    const door = createDocsDoor(await openDocs(join(folder, 'site')))
    ask = async (path, headers = {}) => door.request(path, { headers })
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

  test('sends a picture as it is to a browser that accepts packed answers, and says so', async () => {
    const packed = { 'accept-encoding': 'gzip, deflate, br' }
    const picture = await ask('/docs/assets/home.png', packed)
    expect(picture.headers.get('content-encoding')).toBeNull()
    expect([...new Uint8Array(await picture.arrayBuffer())]).toEqual([0x89, 0x50, 0x4e, 0x47])
    expect((await ask('/docs/assets/app.js', packed)).headers.get('content-encoding')).toBe('br')
  })

  describe('that was not there when the gateway started', () => {
    const note = (words: object) => writeFile(join(folder, 'later.progress'), JSON.stringify(words))
    let later: (path: string) => Promise<Response>
    beforeAll(async () => {
      const door = createDocsDoor(await openDocs(join(folder, 'later')))
      later = async (path) => door.request(path)
    })

    test('says how to build it', async () => {
      const answer = await later('/docs/guides/limits')
      expect(answer.status).toBe(503)
      expect(await answer.text()).toContain('npm run docs')
      expect(answer.headers.get('refresh')).toBeNull()
    })

    test('says that it is being built and since when, and asks again by itself', async () => {
      await note({ began: Date.now() - 12_000 })
      const answer = await later('/docs')
      expect(answer.status).toBe(503)
      expect(await answer.text()).toMatch(/1[2-9] seconds so far/)
      expect(answer.headers.get('refresh')).toBe('3')
      expect(answer.headers.get('retry-after')).toBe('3')
    })

    test('says why it could not be built, and does not wait for a builder that was killed', async () => {
      await note({ failed: 'npm error <ENOSPC>' })
      const failed = await later('/docs')
      const page = await failed.text()
      expect(page).toContain('npm run docs')
      // The output of a builder may name paths of the host.
      expect(page).not.toContain('ENOSPC')
      expect(failed.headers.get('refresh')).toBeNull()
      await note({ began: Date.now() - 120_000 })
      const long = new Date(Date.now() - 60_000)
      await utimes(join(folder, 'later.progress'), long, long)
      expect(await (await later('/docs')).text()).toContain('The documentation is not built')
    })

    test('is served without a restart once it is there, and in its next version, too', async () => {
      const build = async (name: string, words: string) => {
        await mkdir(join(folder, name))
        await writeFile(join(folder, name, 'index.html'), `<!doctype html><h1>${words}</h1>`)
      }
      await build('later', 'First')
      expect(await (await later('/docs')).text()).toContain('First')
      await build('next', 'Second edition')
      await rename(join(folder, 'later'), join(folder, 'older'))
      // Between the two there is none on the disk.
      expect(await (await later('/docs')).text()).toContain('First')
      await rename(join(folder, 'next'), join(folder, 'later'))
      expect(await (await later('/docs')).text()).toContain('Second edition')
    })
  })
})
