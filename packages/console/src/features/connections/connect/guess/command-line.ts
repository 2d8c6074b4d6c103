/**
 * Reads the connection from a terminal command line. Pure.
 *
 * It supports the lines that users are given to copy: a program with its variables, `docker run -e …`, `npx mcp-remote URL`, and
 * the commands that add a server to a client (`claude mcp add …`, `codex mcp add …`, `gemini mcp add …`, `code --add-mcp …`).
 */
import { draft, valueOf, type Draft, type Value } from '../draft.ts'
import type { ReadConfiguration } from './read-configuration.ts'
import { carriedBy, headerIn, optionsIn, remoteOf } from './remote.ts'
import { splitWords } from './split-words.ts'

const PROGRAMS =
  /^(?:npx|uvx|uv|docker|podman|node|python[\d.]*|bunx?|deno|go|pipx|java|dotnet|pnpm|yarn|npm|ruby|php|cargo|env|cmd|cmd\.exe)$/
const VARIABLE = /^([A-Za-z_]\w*)=(.*)$/s

/** Whether it is a line for a terminal at all. */
export const isCommand = (text: string): boolean => {
  const words = wordsIn(text)
  const [first = ''] = words
  const program = first.split(/[\\/]/).at(-1) ?? ''
  return (
    PROGRAMS.test(program) ||
    /^(?:\/|\.\.?\/|~\/|[A-Za-z]:\\)/.test(first) ||
    (VARIABLE.test(first) && words.length > 1) ||
    isClientLine(words)
  )
}

/** Without the sign in front of it that documentation shows. */
const wordsIn = (text: string) => splitWords(text.trim().replace(/^[$>]\s+/, ''))

const isClientLine = ([program = '', noun, verb]: readonly string[]) =>
  (/^(?:claude|codex|gemini|cursor)$/.test(program) && noun === 'mcp' && verb?.startsWith('add') === true) ||
  (/^code(?:-insiders)?$/.test(program) && noun === '--add-mcp')

/** Undefined for a line of a client that names no server. */
export function draftOfCommand(text: string, read: ReadConfiguration): Draft | undefined {
  const words = wordsIn(text)
  return isClientLine(words) ? ofClientLine(words, read) : ofProgram(words)
}

function ofProgram(input: readonly string[], known: readonly Value[] = [], name = ''): Draft | undefined {
  let words = [...input]
  const environment = [...known]
  if (words[0] === 'env') words.shift()
  for (let found = VARIABLE.exec(words[0] ?? ''); found !== null; found = VARIABLE.exec(words[0] ?? '')) {
    environment.push(valueOf(found[1] ?? '', found[2] ?? ''))
    words.shift()
  }
  // Windows' own way to start a script.
  if (/^cmd(?:\.exe)?$/.test(words[0] ?? '') && words[1]?.toLowerCase() === '/c') words = words.slice(2)
  const [command, ...args] = words
  if (command === undefined) return undefined
  const remote = carriedBy(words)
  if (remote !== undefined) return { ...remote, name }
  const inner = /^(?:docker|podman)$/.test(command) ? ofContainer(args) : { args, environment: [] }
  return draft({
    kind: 'program',
    command,
    args: inner.args,
    environment: [...environment, ...inner.environment],
    name,
    auth: 'none',
  })
}

/** Variables of the container are the connection's, so that their values are kept as secrets and not in a command line. */
function ofContainer(input: readonly string[]): { args: string[]; environment: Value[] } {
  const args: string[] = []
  const environment: Value[] = []
  for (let at = 0; at < input.length; at++) {
    const word = input[at] ?? ''
    const joined = /^--env=(.*)$/s.exec(word)?.[1]
    const pair = joined ?? (word === '-e' || word === '--env' ? input[++at] : undefined)
    if (pair === undefined) args.push(word)
    else {
      const [name = '', ...value] = pair.split('=')
      args.push('-e', name)
      environment.push(valueOf(name, value.join('=')))
    }
  }
  return { args, environment }
}

/** `claude mcp add [options] NAME -- COMMAND…`, or `… NAME URL`; `add-json NAME JSON`. */
function ofClientLine(words: readonly string[], read: ReadConfiguration): Draft | undefined {
  const [, noun, verb] = words
  if (noun === '--add-mcp') return read(words[2] ?? '')?.drafts[0]
  const rest = words.slice(3)
  if (verb === 'add-json') {
    const found = read(rest.at(-1) ?? '')?.drafts[0]
    return found === undefined ? undefined : { ...found, name: rest.at(-2) ?? '' }
  }
  const environment = optionsIn(rest, ['-e', '--env']).flatMap((text) => {
    const [name = '', ...value] = text.split('=')
    return [valueOf(name, value.join('='))]
  })
  const headers = optionsIn(rest, ['-H', '--header']).flatMap(headerIn)
  const end = rest.indexOf('--')
  const plain = withoutOptions(end < 0 ? rest : rest.slice(0, end))
  const url = [...plain, ...optionsIn(rest, ['--url'])].find((word) => /^https?:\/\//.test(word))
  const [name = ''] = plain.filter((word) => word !== url)
  if (url !== undefined) return { ...remoteOf({ url, headers }), name }
  return ofProgram(end < 0 ? plain.slice(1) : rest.slice(end + 1), environment, name)
}

const WITH_VALUE = new Set([
  '-e',
  '--env',
  '-H',
  '--header',
  '-s',
  '--scope',
  '-t',
  '--transport',
  '--url',
  '--bearer-token-env-var',
])

function withoutOptions(words: readonly string[]): string[] {
  const left: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (WITH_VALUE.has(word)) at++
    else if (!word.startsWith('--')) left.push(word)
  }
  return left
}
