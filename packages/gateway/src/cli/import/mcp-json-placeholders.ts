/**
 * Resolves the placeholders in a client's settings.
 *
 * The forms differ by client and are read in any file: `${input:id}` and `${env:NAME}` (VS Code), `${env:NAME}`, `${userHome}`,
 * `${workspaceFolder}` (Cursor), `${VAR}` and `${VAR:-default}` (Claude Code). Values come from the caller; the environment of
 * this process is never read. A placeholder without a value is reported by name, never replaced by an empty text: a server
 * started with an empty token fails in ways that are hard to see.
 */
export interface PlaceholderValues {
  home: string
  /** Path separator of the system the servers will run on. */
  separator: string
  workspace?: string | undefined
  inputs: Readonly<Record<string, string>>
  variables: Readonly<Record<string, string | undefined>>
}

export type Missing = { kind: 'input' | 'variable' | 'workspace' | 'unknown'; name: string }

export interface Filled {
  value: string
  /** True when a variable or an input went into the value: screens mask it. */
  secret: boolean
  missing: Missing[]
}

const PLACEHOLDER = /\$\{([^${}]*)\}/g

/** Fills the placeholders of one text. Placeholders without a value stay as written and are listed. */
export function fillPlaceholders(text: string, values: PlaceholderValues): Filled {
  const missing: Missing[] = []
  let secret = false
  const value = text.replaceAll(PLACEHOLDER, (written, inside: string) => {
    const found = lookUp(inside, values)
    if (typeof found.value === 'string') {
      secret ||= found.secret
      return found.value
    }
    missing.push(found.value)
    return written
  })
  return { value, secret, missing }
}

function lookUp(inside: string, values: PlaceholderValues): { value: string | Missing; secret: boolean } {
  const place = placeOf(inside, values)
  if (place !== undefined) return { value: place, secret: false }
  if (inside.startsWith('input:')) return named('input', inside.slice(6), values.inputs)
  if (inside.startsWith('env:')) return variable(inside.slice(4), values)
  const shell = /^([A-Za-z_]\w*)(?::-([^]*))?$/.exec(inside)
  if (!shell?.[1]) return { value: { kind: 'unknown', name: firstPart(inside) }, secret: false }
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

function variable(name: string, values: PlaceholderValues) {
  if (name === 'HOME' || name === 'USERPROFILE') return { value: values.variables[name] ?? values.home, secret: false }
  return named('variable', name, values.variables)
}

function named(kind: Missing['kind'], name: string, from: Readonly<Record<string, string | undefined>>) {
  const value = Object.hasOwn(from, name) ? from[name] : undefined
  return { value: value ?? { kind, name }, secret: true }
}
