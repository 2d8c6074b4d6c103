/** Settings of the toolkit: the options of its command line. */
import { parseArgs } from 'node:util'
import type { Budgets } from './budgets.ts'
import { CRAWL_HELP, CRAWL_OPTIONS, crawlVariables } from './crawl/settings.ts'
import { LIMITS } from './limits.ts'
import { Refusal } from './refusal.ts'

export const HELP = `toolway-toolkit: files on this machine as MCP tools, over stdio

  --root FOLDER         a folder in which files can be read and written; relative paths start in the first one. Can be
                        repeated. TOOLWAY_TOOLKIT_ROOT also sets one. A client that provides its own folders
                        can use those inside these roots. If omitted, the client's folders are used.
  --max-tool-calls N    maximum number of tool calls in a session
  --max-calls TOOL=N    maximum number of calls to one tool; can be repeated
  --max-message BYTES   maximum size of a message from the client; default and maximum: 67108864 (64 MiB)
  --max-text N          maximum characters of a text that is written or appended; default: 16777216, maximum: 67108864
${CRAWL_HELP}  --version             show the version
  --help                show this text
`

export interface Settings {
  readonly roots: readonly string[]
  readonly budgets: Budgets
  /** Bytes of one message of the client. */
  readonly message: number
  /** Characters of one text that is written or added. */
  readonly text: number
  /** The variables of the process, and in place of some of them what options say. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly asks: 'help' | 'version' | undefined
}

/** Throws a `Refusal` or a `TypeError` (`parseArgs`) for options that do not fit. */
export function readSettings(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Settings {
  const { values } = parseArgs({
    args: [...words],
    options: {
      root: { type: 'string', multiple: true },
      'max-tool-calls': { type: 'string' },
      'max-calls': { type: 'string', multiple: true },
      'max-message': { type: 'string' },
      'max-text': { type: 'string' },
      ...CRAWL_OPTIONS,
      version: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const named = environment['TOOLWAY_TOOLKIT_ROOT']
  const all = values['max-tool-calls']
  return {
    roots: values.root ?? (named === undefined || named === '' ? [] : [named]),
    budgets: {
      ...(all === undefined ? {} : { all: countOf('--max-tool-calls', all) }),
      byTool: new Map(values['max-calls']?.map(toolAndCount)),
    },
    message: sizeOf('--max-message', values['max-message'], 'bytes') ?? LIMITS.message,
    text: sizeOf('--max-text', values['max-text'], 'characters') ?? LIMITS.text,
    environment: { ...environment, ...crawlVariables(values) },
    asks: values.help === true ? 'help' : values.version === true ? 'version' : undefined,
  }
}

/** A message bounds each text in it, so that no size is larger than the largest message. */
function sizeOf(option: string, text: string | undefined, unit: 'bytes' | 'characters'): number | undefined {
  if (text === undefined) return undefined
  const size = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(size >= 1_024 && size <= LIMITS.message))
    throw new Refusal(`${option} must be 1024 to ${LIMITS.message} ${unit}, not ${JSON.stringify(text)}.`)
  return size
}

function countOf(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Refusal(`${option} must be a number of calls, not ${JSON.stringify(text)}.`)
  return Number(text)
}

function toolAndCount(text: string): [string, number] {
  const at = text.lastIndexOf('=')
  if (at < 1) throw new Refusal(`--max-calls must be TOOL=N, not ${JSON.stringify(text)}.`)
  return [text.slice(0, at), countOf('--max-calls', text.slice(at + 1))]
}

/** A budget of a tool that does not exist would be one that never holds. */
export function refuseUnknownTools({ byTool }: Budgets, names: readonly string[]): void {
  const unknown = [...byTool.keys()].filter((name) => !names.includes(name))
  if (unknown.length > 0)
    throw new Refusal(`--max-calls contains ${unknown.join(', ')}, which is not a tool. Tools: ${names.join(', ')}.`)
}
