/**
 * Settings of the workbench and the uploads, from the variables of the process: which way leads to remote tools, and with which key. A key
 * comes from a variable only, never from a command line.
 */
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import { LANGUAGES, type Language } from './scripts/script.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const Url = z.url({ protocol: /^https?$/ })
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
  const given = Object.keys(Variables.shape).flatMap((name) => {
    const value = environment[name]
    return value === undefined || value === '' ? [] : [[name, value]]
  })
  const { data, error } = Variables.safeParse(Object.fromEntries(given))
  if (data !== undefined) return data
  const [issue] = error.issues
  throw new Refusal(`The variable ${issue?.path.join('.')} does not fit: ${issue?.message}.`)
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
  return { own: ownIn(variables), way: wayIn(variables), user: variables.DEFAULT_USER_ID }
}

function ownIn(said: Variables): OwnWorkbench | undefined {
  const { TOOLWAY_WORKBENCH_COMMAND: command, TOOLWAY_WORKBENCH_URL: url, TOOLWAY_WORKBENCH_TOOL: tool } = said
  if (command === undefined && url === undefined) return undefined
  if (tool === undefined) throw new Refusal('Set TOOLWAY_WORKBENCH_TOOL to the name of the tool that runs code.')
  const key = said.TOOLWAY_WORKBENCH_KEY
  return {
    server: command === undefined ? { url: url ?? '', key } : { command },
    tool,
    argument: said.TOOLWAY_WORKBENCH_ARGUMENT,
    more: said.TOOLWAY_WORKBENCH_ARGUMENTS,
    language: said.TOOLWAY_WORKBENCH_LANGUAGE,
    home: said.TOOLWAY_WORKBENCH_HOME.replace(/\/+$/, ''),
  }
}

function wayIn(said: Variables): Way | undefined {
  const { TOOLWAY_URL: gateway, TOOLWAY_KEY: gatewayKey, COMPOSIO_API_KEY: key, COMPOSIO_MCP_URL: mcp } = said
  if (gateway !== undefined && gatewayKey !== undefined)
    return {
      kind: 'gateway',
      url: gateway,
      key: gatewayKey,
      alias: said.TOOLWAY_COMPOSIO,
      organization: said.TOOLWAY_ORGANIZATION ?? organizationIn(gateway),
    }
  if (key === undefined) return undefined
  if (mcp !== undefined) return { kind: 'mcp', url: mcp, key }
  return { kind: 'rest', url: said.COMPOSIO_BASE_URL, key }
}

/** An address of an endpoint names its organization, `/o/SLUG/…`; the plain one is that of the default organization. */
const organizationIn = (url: string): string => /^\/o\/([^/]+)\//.exec(new URL(url).pathname)?.[1] ?? 'default'

export const NO_WAY =
  'The variable COMPOSIO_API_KEY is not set. Set it with DEFAULT_USER_ID, or set TOOLWAY_URL and TOOLWAY_KEY of a gateway that is connected to Composio.'
