import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { sourceOf } from './document.ts'

const sent = async (source: string) => {
  const found = await sourceOf(source)
  return 'document_gzip' in found ? gunzipSync(Buffer.from(found.document_gzip, 'base64')).toString() : ''
}

test('a folder is sent as one document, without any file that lies outside of it', async () => {
  const around = await mkdtemp(join(tmpdir(), 'documents-'))
  try {
    const folder = join(around, 'api')
    await mkdir(folder)
    const refs = ['inside.yml', '../outside.yml', 'link.yml'].map((name, at) => `  /${at}: { $ref: "${name}" }\n`)
    await writeFile(join(folder, 'openapi.yaml'), `openapi: 3.0.3\npaths:\n${refs.join('')}`)
    await writeFile(join(folder, 'inside.yml'), 'get: { operationId: inside }\n')
    await writeFile(join(around, 'outside.yml'), 'get: { operationId: outside }\n')
    await symlink(join(around, 'outside.yml'), join(folder, 'link.yml'))
    const text = await sent(folder)
    expect(text).toContain('"operationId":"inside"')
    expect(text).not.toContain('operationId":"outside')
    expect(text).toContain('"$ref":"../outside.yml"')
    expect(await sent(join(folder, 'inside.yml'))).toBe('get: { operationId: inside }\n')
    await expect(sent(around)).rejects.toThrow('contains no OpenAPI document')
  } finally {
    await rm(around, { recursive: true })
  }
})

test('a ZIP archive is sent as it is, and a text that is not UTF-8 is refused', async () => {
  const around = await mkdtemp(join(tmpdir(), 'documents-'))
  try {
    const [archive, latin] = [join(around, 'shop.zip'), join(around, 'latin.yaml')]
    const bytes = zipSync({ 'openapi.yaml': Buffer.from('openapi: 3.0.3') })
    await writeFile(archive, bytes)
    expect(await sourceOf(archive)).toEqual({ document_zip: Buffer.from(bytes).toString('base64') })
    await writeFile(latin, Buffer.from([0x61, 0x3a, 0x20, 0xe4]))
    await expect(sourceOf(latin)).rejects.toThrow('is not text in UTF-8')
  } finally {
    await rm(around, { recursive: true })
  }
})
