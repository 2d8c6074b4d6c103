/**
 * The declaration file (`TOOLWAY_CONFIG`): organizations, connections, toolsets and keys as YAML, read strictly.
 *
 * A value that may be a secret is a text, `{ env: NAME }` or `{ file: path }`. What stands at the top belongs to the
 * organization `default`. Errors name the place by its path and by line and column.
 */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Alias, Slug, ToolsetSettings, REVISIONS } from '@toolway/contract'
import { isMap, isScalar, LineCounter, parseDocument, type Document } from 'yaml'
import { z } from 'zod'
import { ConfigFault } from './config.ts'

const Value = z.union([
  z.string(),
  z.strictObject({ env: z.string().min(1) }),
  z.strictObject({ file: z.string().min(1) }),
])
const Values = z.record(z.string(), Value)

const shared = {
  title: z.string().min(1).optional(),
  enabled: z.boolean().default(true),
  revision: z.enum(['auto', ...REVISIONS]).default('auto'),
  timeout: z.number().positive().max(3600).default(60),
}
const Remote = z.strictObject({ ...shared, url: Value, headers: Values.default({}) })
const Process = z.strictObject({
  ...shared,
  command: z.string().min(1),
  args: z.array(Value).default([]),
  environment: Values.default({}),
})
const Connection = z.union([Remote, Process])

const Toolset = ToolsetSettings.extend({ title: z.string().min(1).optional() })
const Key = z.strictObject({ value: Value, toolset: Slug.optional() })

const members = {
  connections: z.record(Alias, Connection).default({}),
  toolsets: z.record(Slug, Toolset).default({}),
  keys: z.record(z.string().min(1), Key).default({}),
}
const File = z.strictObject({
  ...members,
  organizations: z.record(Slug, z.strictObject({ ...members, name: z.string().min(1).optional() })).default({}),
})

export interface DeclaredConnection {
  readonly alias: string
  readonly title: string
  readonly enabled: boolean
  readonly revision: z.output<typeof Remote>['revision']
  readonly timeout: number
  readonly wire:
    | { readonly kind: 'http'; readonly url: string; readonly headers: Record<string, string> }
    | {
        readonly kind: 'process'
        readonly command: string
        readonly args: string[]
        readonly environment: Record<string, string>
      }
}
export interface Declared {
  readonly slug: string
  readonly name: string | undefined
  readonly connections: readonly DeclaredConnection[]
  readonly toolsets: readonly { slug: string; title: string; settings: ToolsetSettings }[]
  readonly keys: readonly { name: string; value: string; toolset: string | undefined }[]
}

const KEY_FORM = /^uru_[0-9a-f]{64}$/

/** Read and check the file, and look its values up. Throws ConfigFault with file, line and column. */
export function readConfigFile(path: string, lookup: (name: string) => string | undefined): Declared[] {
  const text = readText(path)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true })
  const [broken] = document.errors
  if (broken !== undefined) {
    const { line, col } = lines.linePos(broken.pos[0])
    throw new ConfigFault(`${path}:${line}:${col} is not YAML: ${broken.message.split('\n')[0]}`)
  }
  const parsed = File.safeParse(document.toJS() ?? {})
  if (!parsed.success) throw wordIssue(path, document, lines, parsed.error.issues)
  const fill = createFill(path, lookup)
  const { organizations, ...own } = parsed.data
  const all = [
    declared('default', undefined, own, fill),
    ...Object.entries(organizations).map(([slug, { name, ...rest }]) => declared(slug, name, rest, fill)),
  ]
  if (organizations['default'] === undefined) return all
  throw new ConfigFault(`${path}: the organization "default" stands at the top of the file, not under organizations.`)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code
    throw new ConfigFault(
      `TOOLWAY_CONFIG names ${path}, which cannot be read (${code}): check the path and its permissions.`,
    )
  }
}

type Fill = (value: z.output<typeof Value>, place: string) => string

function createFill(path: string, lookup: (name: string) => string | undefined): Fill {
  return (value, place) => {
    if (typeof value === 'string') return value
    if ('env' in value) {
      const text = lookup(value.env)
      if (text === undefined)
        throw new ConfigFault(`${path}: ${place} needs the environment variable ${value.env}, which is not set.`)
      return text
    }
    const file = resolve(dirname(path), value.file)
    try {
      return readFileSync(file, 'utf8').trim()
    } catch (thrown) {
      throw new ConfigFault(
        `${path}: ${place} names ${file}, which cannot be read (${(thrown as NodeJS.ErrnoException).code}).`,
      )
    }
  }
}

type Members = Omit<z.output<typeof File>, 'organizations'>

function declared(
  slug: string,
  name: string | undefined,
  { connections, toolsets, keys }: Members,
  fill: Fill,
): Declared {
  const fillAll = (values: z.output<typeof Values>, place: string) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, fill(value, `${place}.${key}`)]))
  return {
    slug,
    name,
    connections: Object.entries(connections).map(([alias, connection]) => {
      const place = `connections.${alias}`
      const { title = alias, enabled, revision, timeout } = connection
      const wire =
        'url' in connection
          ? {
              kind: 'http' as const,
              url: fill(connection.url, `${place}.url`),
              headers: fillAll(connection.headers, `${place}.headers`),
            }
          : {
              kind: 'process' as const,
              command: connection.command,
              args: connection.args.map((arg, index) => fill(arg, `${place}.args[${index}]`)),
              environment: fillAll(connection.environment, `${place}.environment`),
            }
      return { alias, title, enabled, revision, timeout, wire }
    }),
    toolsets: Object.entries(toolsets).map(([toolset, { title, ...settings }]) => ({
      slug: toolset,
      title: title ?? toolset,
      settings,
    })),
    keys: Object.entries(keys).map(([key, { value, toolset }]) => {
      const text = fill(value, `keys.${key}.value`)
      if (!KEY_FORM.test(text)) throw new ConfigFault(`keys.${key}.value is not uru_ and 64 hexadecimal digits.`)
      return { name: key, value: text, toolset }
    }),
  }
}

type Issue = z.core.$ZodIssue

function wordIssue(path: string, document: Document, lines: LineCounter, issues: readonly Issue[]): ConfigFault {
  const issue = deepest(issues)
  const keys = issue.path.map(String)
  const name = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined
  const at = placeOf(document, lines, name === undefined ? keys : [...keys, name])
  const where = keys.length === 0 ? 'the top of the file' : keys.join('.')
  const problem = name === undefined ? issue.message : `"${name}" is not known here`
  return new ConfigFault(`${path}${at}: ${where}: ${problem}.`)
}

/** A union reports each of its branches: the one that got furthest is the one that was meant. */
function deepest(issues: readonly Issue[]): Issue {
  const flat = issues.flatMap((issue): Issue[] => {
    if (issue.code !== 'invalid_union') return [issue]
    const branches = issue.errors.map((branch) =>
      deepest(branch.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }))),
    )
    return [branches.find((inner) => inner.code === 'unrecognized_keys') ?? branches[0] ?? issue]
  })
  return flat.reduce((best, issue) => (issue.path.length > best.path.length ? issue : best))
}

function placeOf(document: Document, lines: LineCounter, path: readonly string[]): string {
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    if (!isMap(parent)) continue
    const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === path[length - 1])
    if (pair !== undefined && isScalar(pair.key) && pair.key.range != null) {
      const { line, col } = lines.linePos(pair.key.range[0])
      return `:${line}:${col}`
    }
  }
  return ''
}
