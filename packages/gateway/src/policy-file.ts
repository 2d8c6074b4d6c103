/**
 * `policy.yaml` of the contract gateway, versions 1 and 2 (ledger S1-POL-08): what is exposed, and which values arguments may have.
 *
 * Version 1 names what is exposed; version 2 exposes what the backend offers to agents, but for a denylist. Both are read as what
 * they are here: the selection of a toolset, and rules. It is read strictly: a name that is not known, or a limit that nobody could
 * keep, is an error with line and column, because a limit that is silently not there is worse than a gateway that does not start.
 */
import { readFileSync } from 'node:fs'
import { RuleWords } from '@toolway/contract'
import { z } from 'zod'
import { wordIssues, type Complain } from './config-file-fault.ts'
import { readYaml } from './config-file-yaml.ts'
import { ConfigFault } from './config/fault.ts'

const ToolName = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,128}$/, 'must be the name of a tool: letters, digits, "_", "-" and "."')
const Clamp = z
  .strictObject({
    max: z.number().optional(),
    min: z.number().optional(),
    default: z.union([z.string(), z.number(), z.boolean()]).optional(),
    /** A value outside the limits is changed (`clamp`, unless said otherwise), or the call is refused (`reject`). */
    mode: z.enum(['clamp', 'reject']).optional(),
  })
  .refine(
    ({ max, min, default: unsaid }) => [max, min, unsaid].some((value) => value !== undefined),
    'needs max, min or default',
  )
  .refine(
    ({ mode, max, min }) => mode !== 'reject' || max !== undefined || min !== undefined,
    'has mode reject, which needs max or min',
  )
  .refine(({ min, max }) => min === undefined || max === undefined || min <= max, 'has a min above its max')
  .refine(
    ({ min = -Infinity, max = Infinity, default: unsaid }) =>
      typeof unsaid !== 'number' || (unsaid >= min && unsaid <= max),
    'has a default outside its own limits',
  )

const TTL = 'must be a whole number of seconds from 1 to 86400'
const ttl = z.int(TTL).min(1, TTL).max(86_400, TTL)

const Settings = z.strictObject({
  block_side_effects: z.boolean().default(true),
  side_effects_allowlist: z.array(ToolName).default([]),
  /** Where tools with side effects are not blocked: each call of one is confirmed in its client (ledger S1-EVO-04). */
  confirm_side_effects: z.boolean().default(true),
  validate_facets: z.boolean().default(true),
  contract_cache_ttl: ttl.default(300),
  metadata_cache_ttl: ttl.default(600),
})

const File = z.strictObject({
  version: z
    .union([z.number(), z.string()])
    .transform(String)
    .refine((text) => /^[12](\.\d+)?$/.test(text), 'must be "1.0" or "2.0"'),
  allowlist: z.array(ToolName).optional(),
  denylist: z.array(ToolName).default([]),
  clamps: z.record(ToolName, z.record(z.string().min(1).max(100), Clamp)).default({}),
  settings: Settings.prefault({}),
})

const NAMES = [...Object.keys(File.shape), ...Object.keys(Settings.shape), 'max', 'min', 'default', 'mode']

/** Tools that were renamed since files of version 1 were written: a file that names the old one means the new one. */
const RENAMED: Readonly<Record<string, string>> = { materialize_text: 'get_content' }

/** As it was written, and what follows. */
export interface CuratorePolicy {
  readonly version: string
  readonly denylist: readonly string[]
  /** Undefined in version 2. */
  readonly allowlist: readonly string[] | undefined
  readonly settings: z.output<typeof Settings>
  readonly clamps: z.output<typeof File>['clamps']
  /** Patterns over `alias__tool`, as a toolset selects. */
  selection(alias: string): { readonly include: string[]; readonly exclude: string[] }
  readonly rules: readonly RuleWords[]
  /** Whether some calls are confirmed first. */
  readonly confirms: boolean
}

/** Throws ConfigFault with file, line and column. */
export function readPolicyFile(path: string): CuratorePolicy {
  return readPolicy(path, readText(path))
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    throw new ConfigFault(
      `The policy file ${path} cannot be read (${(thrown as NodeJS.ErrnoException).code}): check the path and its permissions.`,
    )
  }
}

export function readPolicy(path: string, text: string): CuratorePolicy {
  const { value, complain } = readYaml(path, text)
  if (value === null || value === undefined) throw new ConfigFault(`${path}: the file is empty: it needs a version.`)
  const parsed = File.safeParse(value)
  if (!parsed.success) throw wordIssues(complain, parsed.error.issues, NAMES)
  return describe(parsed.data, complain)
}

function describe(file: z.output<typeof File>, complain: Complain): CuratorePolicy {
  const { version, denylist, settings } = file
  const first = version.startsWith('1')
  if (first && file.allowlist === undefined)
    throw complain(['version'], 'is 1, which requires an allowlist: the names of the tools that are exposed')
  if (!first && (file.allowlist ?? []).length > 0)
    throw complain(
      ['allowlist'],
      'belongs to version 1: version 2 exposes what the backend offers to agents, except for the denylist',
    )
  const allowlist = first ? withRenamed(file.allowlist ?? []) : undefined
  return {
    version,
    denylist,
    allowlist,
    settings,
    clamps: file.clamps,
    selection: (alias) => ({
      include: (allowlist ?? ['*']).map((name) => `${alias}__${name}`),
      exclude: withRenamed(denylist).map((name) => `${alias}__${name}`),
    }),
    rules: [...effectRules(settings), ...clampRules(file.clamps)],
    confirms: !settings.block_side_effects && settings.confirm_side_effects,
  }
}

const withRenamed = (names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => (Object.hasOwn(RENAMED, name) ? [name, RENAMED[name] ?? name] : [name]))),
]

const NO_EFFECTS = 'no-side-effects'
/** Name of the rule whose question the client of the call answers. */
export const CONFIRM = 'confirm-side-effects'

/** Tools with a side effect are hidden, or confirmed at each call, unless the file names them (ledger S1-LST-06, S1-EXP-04, S1-EVO-04). */
function effectRules(settings: z.output<typeof Settings>): RuleWords[] {
  const { block_side_effects: blocks, confirm_side_effects: confirms, side_effects_allowlist: names } = settings
  if (!blocks && !confirms) return []
  const restriction = RuleWords.parse({
    match: { effects: ['write', 'destructive'] },
    ...(blocks
      ? { name: NO_EFFECTS, action: 'hide', reason: 'This profile exposes no tool with side effects.' }
      : {
          name: CONFIRM,
          action: 'approve',
          parameters: { by: { self: true } },
          reason: 'Calls to tools with side effects are confirmed first.',
        }),
  })
  if (names.length === 0) return [restriction]
  const lift = RuleWords.parse({
    name: 'side-effects-allowed',
    action: 'allow',
    match: { tools: withRenamed(names) },
    parameters: { lifts: [restriction.name] },
    reason: 'The policy file lists these tools in side_effects_allowlist.',
  })
  return [restriction, lift]
}

/** A limit is one rule; a limit that refuses has a rule of its own for what is sent where nothing is said. */
function clampRules(clamps: z.output<typeof File>['clamps']): RuleWords[] {
  const taken = new Set<string>()
  return Object.entries(clamps).flatMap(([tool, parameters]) =>
    Object.entries(parameters).flatMap(([parameter, { mode = 'clamp', max, min, default: unsaid }]) => {
      const limitRule = (action: 'clamp' | 'reject', limits: Readonly<Record<string, unknown>>) =>
        RuleWords.parse({
          name: freeName(taken, `${action}.${tool}.${parameter}`),
          action,
          match: { tools: withRenamed([tool]) },
          parameters: { parameter: parameter.replaceAll(/[.\\]/g, '\\$&'), ...limits },
          reason: `The policy file limits ${parameter} of ${tool}.`,
        })
      const bounds = { ...(max === undefined ? {} : { max }), ...(min === undefined ? {} : { min }) }
      const otherwise = unsaid === undefined ? {} : { default: unsaid }
      if (mode === 'clamp') return [limitRule('clamp', { ...bounds, ...otherwise })]
      return [limitRule('reject', bounds), ...(unsaid === undefined ? [] : [limitRule('clamp', otherwise)])]
    }),
  )
}

/** Rule names are small letters and short, names of tools are neither. */
function freeName(taken: Set<string>, requested: string): string {
  const base = requested.toLowerCase().replaceAll(/[^a-z0-9._-]/g, '-')
  const nameWithEnding = (ending: string) => base.slice(0, 64 - ending.length).replace(/[._-]+$/, '') + ending
  let name = nameWithEnding('')
  for (let next = 2; taken.has(name); next++) name = nameWithEnding(`-${next}`)
  taken.add(name)
  return name
}
