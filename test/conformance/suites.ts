/**
 * The official suites that are run, the revision each is run against, and the scenarios that must pass.
 *
 * The requirements of a suite and a revision are read from the suite itself and not repeated here. Scenarios of extensions are on
 * no revision's list: they are run and counted separately.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'

/** The root of the repository: suites are started there and reports written there. */
export const ROOT = join(import.meta.dirname, '../..')

/** A published revision of MCP that a suite speaks. */
export type Revision = '2025-03-26' | '2025-11-25' | '2026-07-28'

/**
 * The party under test: a server at an address, a client that the suite starts with the address of its own server, or an
 * authorization server.
 */
export type Leg = ListedLeg | 'authorization'
type ListedLeg = 'server' | 'client'

/** One run of one official suite. */
export interface Suite {
  name: string
  leg: Leg
  revision: Revision
  program: string
  /** The arguments that make the suite run all of them; a client suite runs each one separately. */
  selection: readonly string[]
  /** The scenarios that decide the exit code: each of them runs and passes, or is expected to fail. */
  requires: readonly string[]
  /** Run without deciding anything. */
  reports: readonly string[]
  /** The test server that the suite is run against. */
  fixture: 'everything' | 'extensions'
  /** Scenarios that are run one by one, because no selection of the suite holds them alone. */
  each?: readonly string[]
}

const program = (alias: string) => join(ROOT, 'node_modules', alias, 'dist/index.js')
const OLDER = program('conformance-016')
const NEWER = program('conformance-020')

/** 0.1.16 has no frozen lists, so it is asked which scenarios it has: all of them are required, but those of extensions. */
function older(leg: ListedLeg): Suite {
  const listed = execFileSync(process.execPath, [OLDER, 'list', `--${leg}`], { encoding: 'utf8' })
  const all = [...listed.matchAll(/^ {2}- (\S+)(?: \[(\S+)\])?/gm)]
  const named = (extension: boolean) =>
    all.flatMap(([, scenario = '', of]) => ((of === 'extension') === extension ? [scenario] : []))
  return {
    name: '0.1.16',
    leg,
    revision: '2025-11-25',
    program: OLDER,
    selection: ['--suite', 'all'],
    requires: named(false),
    reports: named(true),
    fixture: 'everything',
  }
}

const Requirements = z.object({
  server: z.array(z.string()),
  client: z.array(z.string()),
  not_scored: z.array(z.object({ scenario: z.string(), leg: z.string() })).default([]),
})

function newer(leg: ListedLeg, revision: Revision): Suite {
  const file = join(ROOT, 'node_modules/conformance-020/requirements', `${revision}.yaml`)
  const lists = Requirements.parse(parse(readFileSync(file, 'utf8')))
  const reported = lists.not_scored.filter((one) => one.leg === leg).map(({ scenario }) => scenario)
  return {
    name: revision,
    leg,
    revision,
    program: NEWER,
    selection: ['--requirements', revision],
    requires: lists[leg],
    reports: reported,
    fixture: 'everything',
  }
}

/** No revision requires an extension; where a fixture of ours serves one, its scenarios must pass all the same. */
const EXTENSIONS = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
  'sep-2640-skills-enumeration',
  'sep-2640-skills-directory',
  'sep-2640-skills-manifest',
]

const extensions: Suite = {
  name: 'extensions',
  leg: 'server',
  revision: '2026-07-28',
  program: NEWER,
  selection: [],
  requires: EXTENSIONS,
  reports: [],
  fixture: 'extensions',
  each: EXTENSIONS,
}

const OLDEST = ['auth/2025-03-26-oauth-metadata-backcompat', 'auth/2025-03-26-oauth-endpoint-fallback']

/** Servers of before there was metadata of protected resources: no list holds them, and the newer suite still has them. */
const oldest: Suite = {
  name: '2025-03-26',
  leg: 'client',
  revision: '2025-03-26',
  program: NEWER,
  selection: [],
  requires: OLDEST,
  reports: [],
  fixture: 'everything',
}

/** The scenarios for authorization servers: they stand on no frozen list, so the suite is asked which it has. */
function authorization(revision: Revision): Suite {
  const listed = execFileSync(process.execPath, [NEWER, 'list', '--authorization', '--spec-version', revision], {
    encoding: 'utf8',
  })
  const requires = [...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, scenario = '']) => scenario)
  if (requires.length === 0) throw new Error(`the suite has no scenario for authorization servers of ${revision}`)
  return {
    name: `authorization ${revision}`,
    leg: 'authorization',
    revision,
    program: NEWER,
    selection: ['--spec-version', revision],
    requires,
    reports: [],
    fixture: 'everything',
  }
}

/** Every suite of a leg, in the order they run. */
export const listSuites = (leg: Leg): Suite[] =>
  leg === 'authorization' ? [authorization('2025-11-25'), authorization('2026-07-28')] : listOf(leg)

const listOf = (leg: ListedLeg): Suite[] => [
  older(leg),
  newer(leg, '2025-11-25'),
  newer(leg, '2026-07-28'),
  ...(leg === 'server' ? [extensions] : [oldest]),
]

/** The arguments of one run against a server; one scenario is chosen by its name at the suite's revision. */
export function serverArguments(suite: Suite, { url, out, scenario }: { url: string; out: string; scenario?: string }) {
  const selection = scenario === undefined ? suite.selection : single(suite, scenario)
  return [suite.program, 'server', '--url', url, '-o', out, ...selection]
}

/** The arguments of one run against an authorization server, for a client that it knows, sent back to `port`. */
export const authorizationArguments = (
  { program: path, selection }: Suite,
  { issuer, clientId, port, out }: { issuer: string; clientId: string; port: number; out: string },
): string[] => [
  path,
  'authorization',
  '--url',
  issuer,
  '--client-id',
  clientId,
  '--resource',
  `${issuer}/mcp`,
  '-p',
  String(port),
  '-o',
  out,
  ...selection,
]

/** The arguments that run one scenario against the client that `command` starts. */
export const clientArguments = (suite: Suite, run: { scenario: string; command: string; out: string }): string[] => [
  suite.program,
  'client',
  '--command',
  run.command,
  '-o',
  run.out,
  ...single(suite, run.scenario),
]

const single = ({ program: path, revision, each }: Suite, scenario: string) => [
  '--scenario',
  scenario,
  ...(path === NEWER ? ['--spec-version', revision] : []),
  // Extensions stand on no revision's list.
  ...(each === undefined ? [] : ['--force']),
]
