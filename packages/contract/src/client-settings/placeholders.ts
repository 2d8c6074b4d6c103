/**
 * Resolves the placeholders in a client's settings.
 *
 * The forms differ by client and are read in any file: `${input:id}` and `${env:NAME}` (VS Code), `${userHome}`, `${workspaceFolder}`
 * (Cursor), `${VAR}`, `${VAR:-default}` and `$VAR` (Claude Code, Gemini CLI), `{env:NAME}` (opencode), `%VAR%` (Windows),
 * `${{ secrets.NAME }}` and `{{NAME}}` (Continue, LibreChat), `~` before a separator. Values come from the caller; the environment of
 * this process is never read. A placeholder without a value is reported by name, never replaced by an empty text: a server started
 * with an empty token fails in ways that are hard to see.
 */
export interface PlaceholderValues {
  /** Placeholders stay as they are written: whoever shows them asks for their values. */
  keep?: boolean | undefined
  home: string
  /** Path separator of the system the servers will run on. */
  separator: string
  workspace?: string | undefined
  inputs: Readonly<Record<string, string>>
  /** May be a look-up that lists no names: never spread. */
  variables: Readonly<Record<string, string | undefined>>
  /** Variables of the entry itself, which stand before all others. */
  own?: Readonly<Record<string, string>>
}

/** Inputs that VS Code asks for before it starts a server, by id; `fallback` is what it proposes. */
export type FileInputs = ReadonlyMap<string, { description: string; fallback?: string; secret?: true }>

export type Missing = { kind: 'input' | 'variable' | 'workspace' | 'unknown'; name: string }

export interface Filled {
  value: string
  /** True when a variable or an input went into the value: screens mask it. */
  secret: boolean
  missing: Missing[]
}

/** `${{ … }}`, `{{ … }}`, `${…}` and opencode's `{env:…}` and `{file:…}`; the groups are their insides. */
const BRACED = /\$?\{\{\s*([^{}]*?)\s*\}\}|\$\{([^${}]*)\}|(?<!\$)\{((?:env|file):[^{}]*)\}/g
/**
 * `$NAME` and PowerShell's `$env:NAME`, only where a word begins: inside of a word it is part of a password. Capitals only, as
 * variables are written.
 */
const BARE = /(?<=^|[\s/\\:=,;@"'([])\$(?:env:([A-Za-z_]\w*)|([A-Z_][A-Z0-9_]+))(?![\w$(])/g
/** `%NAME%`; in an address, two digits after a percent sign are a byte. */
const WINDOWS = /(?<![\w%])%([A-Za-z_][\w()]{2,})%(?![\w%])/g
const BYTE = /^[0-9A-F]{2}/i

/** The text with an `x` for each placeholder, to be judged without their values. */
export const withoutPlaceholders = (text: string): string =>
  text.replaceAll(new RegExp(`${BRACED.source}|${BARE.source}|${WINDOWS.source}`, 'g'), 'x')

/** Fills the placeholders of one text. Placeholders without a value stay as written and are listed. */
export function fillPlaceholders(text: string, values: PlaceholderValues): Filled {
  if (values.keep === true) return { value: text, secret: false, missing: [] }
  const missing: Missing[] = []
  let secret = false
  const valueFor = (written: string, found: Found) => {
    if (typeof found.value === 'string') {
      secret ||= found.secret
      return found.value
    }
    missing.push(found.value)
    return written
  }
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  // In one pass, so that what a value holds is never read as a placeholder.
  const pattern = new RegExp(`${BRACED.source}|${BARE.source}|${WINDOWS.source}`, 'g')
  const value = text.replaceAll(pattern, (written: string, ...groups: (string | undefined)[]) => {
    const [double, braced, single, shell, bare, windows] = groups
    if (double !== undefined) return valueFor(written, ofDouble(double, written, values))
    if (braced !== undefined) return valueFor(written, lookUp(braced, values))
    if (single !== undefined) return valueFor(written, ofOpencode(single, values))
    if (windows !== undefined)
      return isAddress && BYTE.test(windows) ? written : valueFor(written, variable(windows, values))
    return valueFor(written, variable(shell ?? bare ?? '', values))
  })
  return { value: withHome(value, isAddress, values), secret, missing }
}

/** `~` at the begin of a path, also as the value of a flag. */
const withHome = (text: string, isAddress: boolean, { home }: PlaceholderValues) =>
  isAddress ? text : text.replace(/^(-{0,2}[\w-]+=)?~(?=[\\/]|$)/, (_, flag: string = '') => `${flag}${home}`)

type Found = { value: string | Missing; secret: boolean }

const unknownVariable = (name: string): Found => ({ value: { kind: 'unknown', name }, secret: false })

/** Values that Continue and LibreChat keep elsewhere: asked for by their last name. */
function ofDouble(inside: string, written: string, values: PlaceholderValues): Found {
  const name = /(?:^|\.)([A-Za-z_][\w-]*)$/.exec(inside)?.[1]
  if (name === undefined) return unknownVariable(firstPart(inside))
  const set = variable(name, values)
  if (typeof set.value === 'string' || written.startsWith('$') || !Object.hasOwn(values.inputs, name)) return set
  return namedVariable('input', name, values.inputs)
}

const ofOpencode = (inside: string, values: PlaceholderValues): Found =>
  inside.startsWith('env:') ? variable(inside.slice(4), values) : unknownVariable(firstPart(inside))

function lookUp(inside: string, values: PlaceholderValues): Found {
  const value = placeOf(inside, values)
  if (value !== undefined) return { value, secret: false }
  if (inside.startsWith('input:')) return namedVariable('input', inside.slice(6), values.inputs)
  const env = /^env[:.]([^]*)$/.exec(inside)?.[1]
  const shell = /^([A-Za-z_]\w*)(?:(?::[-=]|-)([^]*)|:\?[^]*)?$/.exec(env ?? inside)
  if (!shell?.[1]) return env === undefined ? unknownVariable(firstPart(inside)) : variable(env, values)
  const set = variable(shell[1], values)
  const isSet = typeof set.value === 'string' && set.value !== ''
  return shell[2] === undefined || isSet ? set : { value: shell[2], secret: false }
}

/** Removes the text after a colon, because it may be a default and so a value. */
const firstPart = (inside: string) => inside.replace(/:[^]*$/, ':…')

/** Places of the machine, which are no secrets. */
function placeOf(name: string, { home, separator, workspace }: PlaceholderValues): string | Missing | undefined {
  if (name === 'userHome') return home
  if (name === 'pathSeparator' || name === '/') return separator
  if (name !== 'workspaceFolder' && name !== 'workspaceFolderBasename' && name !== 'cwd') return undefined
  if (workspace === undefined) return { kind: 'workspace', name }
  return name === 'workspaceFolderBasename' ? (workspace.split(/[\\/]/).findLast(Boolean) ?? workspace) : workspace
}

function variable(name: string, values: PlaceholderValues): Found {
  if (values.own !== undefined && Object.hasOwn(values.own, name)) return namedVariable('variable', name, values.own)
  if (name === 'HOME' || name === 'USERPROFILE') return { value: values.variables[name] ?? values.home, secret: false }
  return namedVariable('variable', name, values.variables)
}

function namedVariable(kind: Missing['kind'], name: string, from: Readonly<Record<string, string | undefined>>): Found {
  const value = Object.hasOwn(from, name) ? from[name] : undefined
  return { value: value ?? { kind, name }, secret: true }
}
