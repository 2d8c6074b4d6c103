import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../../config.ts'
import { compileCacheToHide } from '../../lib/keep-compiled.ts'
import { registryHosts, sandboxOf } from './sandbox-settings.ts'

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

test('a server sees neither the secrets of organizations nor the files of settings, whatever its connection allows', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-settings-'))
  const settings = {
    TOOLWAY_DATA: '/srv/toolway/data',
    TOOLWAY_SECRET_FOLDER: '/srv/toolway/secrets/{organization}',
    TOOLWAY_CONFIG: '/srv/toolway/toolway.yaml',
    DATABASE_URL_FILE: join(folder, 'address'),
  }
  await writeFile(settings.DATABASE_URL_FILE, 'postgresql://localhost/toolway')
  const { config, origins } = loadConfig(settings, folder)
  const { TOOLWAY_DATA: data, TOOLWAY_CONFIG: declared, DATABASE_URL_FILE: address } = settings
  expect(sandboxOf(config, SILENT, origins).hiddenPaths).toEqual(
    expect.arrayContaining([data, '/srv/toolway/secrets', declared, address]),
  )
  // Code that the gateway runs as it finds it is nobody's to write; `npm test` keeps some.
  const compiled = compileCacheToHide()
  if (process.env['NODE_COMPILE_CACHE'] !== undefined) expect(compiled).toBeDefined()
  expect(sandboxOf(config, SILENT, origins).hiddenPaths).toEqual(
    expect.arrayContaining(compiled === undefined ? [] : [compiled]),
  )
  await rm(folder, { recursive: true })
})

test('a package registry may lie in the own network, and with PyPI the host of its files', () => {
  const hosts = (npm: string | undefined, python: string | undefined) =>
    registryHosts({ TOOLWAY_NPM_REGISTRY: npm, TOOLWAY_PYTHON_INDEX: python })
  expect(hosts(undefined, undefined)).toEqual([])
  expect(hosts('https://npm.example/a/', 'https://pypi.example/simple')).toEqual(['npm.example', 'pypi.example'])
  expect(hosts(undefined, 'https://pypi.org/simple')).toEqual(['pypi.org', 'files.pythonhosted.org'])
})
