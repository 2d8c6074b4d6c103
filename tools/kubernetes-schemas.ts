/**
 * `npm run counterparts:schemas` brings the JSON schemas of a Kubernetes version for kubeconform into the cache of the counterparts:
 * from the Python package `kubernetes-validate`, which holds them, through pip, and that of a ServiceMonitor from the Go module of the
 * Prometheus operator. Each schema becomes one file with all it refers to. Where pip, Go or a package is not to be had it says so
 * and succeeds: the tests then say that they ran without.
 */
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

const PACKAGE = { name: 'kubernetes-validate', version: '1.37.0' }
const OPERATOR = 'github.com/prometheus-operator/prometheus-operator@v0.85.0'
const OPERATOR_FILE = 'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml'
/** The oldest version that the chart names, and the newest that there is. */
export const KUBERNETES_VERSIONS = ['1.27.0', '1.37.0'] as const

const cache = join(import.meta.dirname, '..', 'node_modules', '.cache', 'counterparts')
const folderOf = (version: string) => join(cache, `kubernetes-schemas-${version}`)
const DEFINITION = /^\/api\/_definitions\.json#\/\$defs\//

/** The file of the ServiceMonitor, in the folder of each version. */
const MONITOR = 'servicemonitor-monitoring-v1.json'

/** Whether the schema of a ServiceMonitor is there, too. */
export const hasMonitorSchema = (version: string): boolean => existsSync(join(folderOf(version), MONITOR))

/** The argument of kubeconform that finds the schemas of a version; undefined where nobody brought them. */
export function schemaLocation(version: string): string | undefined {
  const folder = folderOf(version)
  return existsSync(folder) ? `${folder}/{{ .ResourceKind }}{{ .KindSuffix }}.json` : undefined
}

type Json = { [name: string]: Json } | readonly Json[] | string | number | boolean | null

/** One schema with the definitions that it needs, referred to inside of the same file. */
function standalone(schema: Json, definitions: Readonly<Record<string, Json>>): Json {
  const needed: Record<string, Json> = {}
  const within = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(within)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        if (key !== '$ref' || typeof inner !== 'string') return [key, within(inner)]
        const name = inner.replace(DEFINITION, '').replace(/^#\/\$defs\//, '')
        if (!Object.hasOwn(needed, name)) {
          needed[name] = {}
          needed[name] = within(definitions[name] ?? {})
        }
        return [key, `#/definitions/${name}`]
      }),
    )
  }
  const { $id: _, $schema: __, ...own } = within(schema) as Record<string, Json>
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...own, definitions: needed }
}

function convert(from: string, to: string): number {
  const read = (file: string) => JSON.parse(readFileSync(join(from, file), 'utf8')) as Record<string, Json>
  const definitions = read('_definitions.json')['$defs'] as Record<string, Json>
  const made = `${to}.new`
  rmSync(made, { recursive: true, force: true })
  mkdirSync(made, { recursive: true })
  const kinds = readdirSync(from).filter((file) => !file.startsWith('_') && isKind(read(file)))
  for (const file of kinds) writeFileSync(join(made, file), JSON.stringify(standalone(read(file), definitions)))
  rmSync(to, { recursive: true, force: true })
  renameSync(made, to)
  return kinds.length
}

/** An object that has a kind of its own, rather than a part of one. */
const isKind = ({ properties }: Record<string, Json>): boolean =>
  properties !== undefined &&
  ['apiVersion', 'kind', 'metadata'].every((name) => Object.hasOwn(properties as object, name))

interface Definition {
  readonly spec: { readonly versions: readonly { name: string; schema: { openAPIV3Schema: Json } }[] }
}

/** An object takes no names but its own, as the others do. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed)
  if (schema === null || typeof schema !== 'object') return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  const isOpen = 'properties' in inner && !('additionalProperties' in inner) && inner['type'] === 'object'
  return isOpen ? { ...inner, additionalProperties: false } : inner
}

function bringMonitor(): number {
  const { stdout, status } = spawnSync('go', ['mod', 'download', '-json', OPERATOR], { encoding: 'utf8', cwd: cache })
  if (status !== 0) return say(`${OPERATOR} is not to be had here: a ServiceMonitor is not checked.`)
  const { Dir: folder } = JSON.parse(stdout) as { Dir: string }
  const { spec } = parse(readFileSync(join(folder, OPERATOR_FILE), 'utf8')) as Definition
  const schema = closed(spec.versions.find(({ name }) => name === 'v1')?.schema.openAPIV3Schema ?? {}) as {
    properties: Record<string, Json>
  }
  schema.properties['metadata'] = { type: 'object' }
  for (const version of KUBERNETES_VERSIONS) writeFileSync(join(folderOf(version), MONITOR), JSON.stringify(schema))
  return say('ServiceMonitor: 1 schema.')
}

function bring(): number {
  const status = bringAll()
  if (status !== 0 || KUBERNETES_VERSIONS.some((version) => schemaLocation(version) === undefined)) return status
  return KUBERNETES_VERSIONS.every(hasMonitorSchema) ? status : bringMonitor()
}

function bringAll(): number {
  if (KUBERNETES_VERSIONS.every((version) => schemaLocation(version) !== undefined))
    return say('The schemas of Kubernetes are there.')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'pip-'))
  try {
    const wanted = `${PACKAGE.name}==${PACKAGE.version}`
    const words = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--root-user-action=ignore',
      '--no-deps',
      '--no-compile',
      '--target',
      folder,
      wanted,
    ]
    const { status } = spawnSync('python3', words, { stdio: ['ignore', 'ignore', 'inherit'] })
    if (status !== 0) return say(`${wanted} is not to be had here: objects of Kubernetes are not checked.`)
    for (const version of KUBERNETES_VERSIONS) {
      const from = join(folder, 'kubernetes_validate', 'kubernetes-json-schema', `v${version}-local-strict`)
      say(`Kubernetes ${version}: ${convert(from, folderOf(version))} schemas.`)
    }
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function say(sentence: string): number {
  console.log(sentence)
  return 0
}

if (import.meta.main) process.exitCode = bring()
