/**
 * Settings of the workbench and the uploads, from the variables of the process: which way leads to remote tools, and with which key. A key
 * comes from a variable only, never from a command line.
 */
import { endpointOf } from '@toolway/contract'
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import { LANGUAGES, type Language } from './scripts/script.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const Url = z
  .url({ protocol: /^https?$/ })
  .refine(
    (url) => URL.parse(url)?.username === '' && URL.parse(url)?.password === '',
    'contains a user name or password',
  )
const isTrue = z.enum(['true', '1', 'yes', 'false', '0', 'no']).transform((word) => ['true', '1', 'yes'].includes(word))
const Key = z.string().regex(/^[\x21-\x7e]+$/, 'has spaces or line breaks: set the key alone')
const Command = z.string().transform((text, context): [string, ...string[]] => {
  const words = text.trimStart().startsWith('[') ? (jsonIn(text) ?? []) : text.trim().split(/\s+/)
  const list = z.tuple([z.string().min(1)], z.string()).safeParse(words)
  if (list.success) return list.data
  context.addIssue('is a program and its arguments, or a JSON list of them')
  return z.NEVER
})
const JsonObject = z.string().transform(jsonIn).pipe(z.record(z.string(), z.json()))

const Variables = z.object({
  COMPOSIO_API_KEY: Key.optional(),
  COMPOSIO_BASE_URL: Url.optional(),
  COMPOSIO_MCP_URL: Url.optional(),
  DEFAULT_USER_ID: z.string().optional(),
  TOOLWAY_URL: Url.optional(),
  TOOLWAY_KEY: Key.optional(),
  TOOLWAY_ORGANIZATION: z.string().optional(),
  TOOLWAY_COMPOSIO: z.string().default('composio'),
  TOOLWAY_WORKBENCH_COMMAND: Command.optional(),
  TOOLWAY_WORKBENCH_URL: Url.optional(),
  TOOLWAY_WORKBENCH_KEY: Key.optional(),
  TOOLWAY_WORKBENCH_TOOL: z.string().optional(),
  TOOLWAY_WORKBENCH_ARGUMENT: z.string().default('code'),
  TOOLWAY_WORKBENCH_ARGUMENTS: JsonObject.default({}),
  TOOLWAY_WORKBENCH_LANGUAGE: z.enum(LANGUAGES).default('python'),
  TOOLWAY_ALLOW_HTTP: isTrue.default(false),
  TOOLWAY_WORKBENCH_HOME: z.string().startsWith('/').default('/home/user'),
})
type Variables = z.output<typeof Variables>

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Throws a `Refusal` that names the variable. */
export function readVariables(environment: Environment): Variables {
  const variables = Object.keys(Variables.shape).flatMap((name) => {
    const value = environment[name]
    return value === undefined || value === '' ? [] : [[name, value]]
  })
  const { data, error } = Variables.safeParse(Object.fromEntries(variables))
  if (data !== undefined) return data
  const [issue] = error.issues
  throw new Refusal(`The variable ${issue?.path.join('.')} is not valid: ${issue?.message}.`)
}

export interface OwnWorkbench {
  readonly server:
    | { readonly command: readonly [string, ...string[]] }
    | { readonly url: string; readonly key: string | undefined }
  readonly tool: string
  readonly argument: string
  readonly more: z.output<typeof JsonObject>
  readonly language: Language
  readonly home: string
}

/** The way to Composio's tools, in the order in which they are preferred: a gateway applies rules and keeps records. */
export type Way =
  | {
      readonly kind: 'gateway'
      readonly url: string
      readonly key: string
      readonly alias: string
      readonly organization: string
    }
  | { readonly kind: 'mcp'; readonly url: string; readonly key: string }
  | { readonly kind: 'rest'; readonly url: string | undefined; readonly key: string }

export interface WorkbenchSettings {
  readonly own: OwnWorkbench | undefined
  readonly way: Way | undefined
  readonly user: string | undefined
}

export function readWorkbenchSettings(environment: Environment): WorkbenchSettings {
  const variables = readVariables(environment)
  refuseHalves(variables)
  refusePlainHttp(variables)
  return { own: ownIn(variables), way: wayIn(variables), user: variables.DEFAULT_USER_ID }
}

/** A setting that is there by half would leave the other way in use, past the rules of a gateway. */
function refuseHalves(input: Variables): void {
  if ((input.TOOLWAY_URL === undefined) !== (input.TOOLWAY_KEY === undefined)) {
    const [there, missing] =
      input.TOOLWAY_KEY === undefined ? ['TOOLWAY_URL', 'TOOLWAY_KEY'] : ['TOOLWAY_KEY', 'TOOLWAY_URL']
    throw new Refusal(`The variable ${there} is set but ${missing} is not: set both, or neither.`, 'NEEDS_AUTH')
  }
  const ways = [input.TOOLWAY_WORKBENCH_COMMAND, input.TOOLWAY_WORKBENCH_URL].filter((way) => way !== undefined).length
  if (ways === 2) throw new Refusal('Set one of TOOLWAY_WORKBENCH_COMMAND and TOOLWAY_WORKBENCH_URL, not both.')
  if (ways === 0 && input.TOOLWAY_WORKBENCH_TOOL !== undefined)
    throw new Refusal(
      'TOOLWAY_WORKBENCH_TOOL is set without a server: set TOOLWAY_WORKBENCH_COMMAND or TOOLWAY_WORKBENCH_URL.',
    )
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Keys and files go over plain HTTP on this machine only, unless that is allowed. */
function refusePlainHttp(input: Variables): void {
  if (input.TOOLWAY_ALLOW_HTTP) return
  for (const name of ['COMPOSIO_BASE_URL', 'COMPOSIO_MCP_URL', 'TOOLWAY_URL', 'TOOLWAY_WORKBENCH_URL'] as const) {
    const url = URL.parse(input[name] ?? '')
    if (url?.protocol === 'http:' && !LOOPBACK.test(url.hostname))
      throw new Refusal(
        `The variable ${name} points to ${url.origin}, which would receive keys and files unencrypted: use https:, or set TOOLWAY_ALLOW_HTTP=true.`,
      )
  }
}

function ownIn(input: Variables): OwnWorkbench | undefined {
  const { TOOLWAY_WORKBENCH_COMMAND: command, TOOLWAY_WORKBENCH_URL: url, TOOLWAY_WORKBENCH_TOOL: tool } = input
  if (command === undefined && url === undefined) return undefined
  if (tool === undefined) throw new Refusal('Set TOOLWAY_WORKBENCH_TOOL to the name of the tool that runs code.')
  const key = input.TOOLWAY_WORKBENCH_KEY
  return {
    server: command === undefined ? { url: url ?? '', key } : { command },
    tool,
    argument: input.TOOLWAY_WORKBENCH_ARGUMENT,
    more: input.TOOLWAY_WORKBENCH_ARGUMENTS,
    language: input.TOOLWAY_WORKBENCH_LANGUAGE,
    home: input.TOOLWAY_WORKBENCH_HOME.replace(/\/+$/, ''),
  }
}

function wayIn(input: Variables): Way | undefined {
  const { TOOLWAY_URL: gateway, TOOLWAY_KEY: gatewayKey, COMPOSIO_API_KEY: key, COMPOSIO_MCP_URL: mcp } = input
  if (gateway !== undefined && gatewayKey !== undefined)
    return {
      kind: 'gateway',
      url: endpointOf(gateway) ?? gateway,
      key: gatewayKey,
      alias: input.TOOLWAY_COMPOSIO,
      organization: input.TOOLWAY_ORGANIZATION ?? organizationIn(gateway),
    }
  if (key === undefined) return undefined
  if (mcp !== undefined) return { kind: 'mcp', url: mcp, key }
  return { kind: 'rest', url: input.COMPOSIO_BASE_URL, key }
}

/** An address of an endpoint names its organization, `/o/SLUG/…`; the plain one is that of the default organization. */
const organizationIn = (url: string): string => /^\/o\/([^/]+)\//.exec(new URL(url).pathname)?.[1] ?? 'default'

export const NO_WAY =
  'The variable COMPOSIO_API_KEY is not set. Set it with DEFAULT_USER_ID, or set TOOLWAY_URL and TOOLWAY_KEY for a gateway that is connected to Composio.'
