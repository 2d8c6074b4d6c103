/**
 * The folders of a program outside the system's: where its command, its interpreter, its script and the programs of PATH are
 * installed. They are given to it to read. A folder above the whole of somebody's files (a home, the root) is never taken whole.
 */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { isInside } from './paths.ts'

/** Of the system's programs: shown to every child. */
export const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix/store']
const NEVER_WHOLE = new Set([
  '/',
  '/home',
  '/root',
  '/tmp',
  '/var',
  '/srv',
  '/mnt',
  '/media',
  '/etc',
  '/run',
  '/proc',
  '/sys',
  '/dev',
])
const INSTALLED = ['lib', 'lib64', 'libexec', 'pyvenv.cfg', 'node_modules', 'pkg']
const HOMES = /^(?:\/home\/[^/]+|\/root|\/Users\/[^/]+)(?:\/\.local)?$/

export interface ReadableParts {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly path: string
}

export interface ReadableFolders {
  /** All of them, absolute, none inside another. */
  readonly all: readonly string[]
  /** Those without which it cannot start: of its command and its script. */
  readonly needed: readonly string[]
}

export function readableFolders({ command, args, cwd, path }: ReadableParts): ReadableFolders {
  const script = args.find((arg) => isAbsolute(arg) && isProgramFile(arg))
  const needed = [...ofProgram(command), ...(script === undefined ? [] : ofScript(script)), cwd]
  const besides = path
    .split(':')
    .filter((folder) => isAbsolute(folder) && existsSync(folder))
    .map((folder) => resolve(folder))
    .flatMap(ofPathFolder)
  return {
    all: outermost([...needed, ...ofProgram(process.execPath), ...besides]),
    needed: outermost(needed),
  }
}

/** The first argument that is one is the program of an interpreter: `node server.js`, `go run server.go`, `java -jar server.jar`. */
const SOURCE = /\.(?:[cm]?[jt]sx?|pyz?|go|rb|php|pl|lua|sh|jar|dll|wasm|exs?|r)$/i
function isProgramFile(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true && (SOURCE.test(path) || (found.mode & 0o111) !== 0)
}

/** Also where a link leads there. */
const isWhole = (path: string): boolean => NEVER_WHOLE.has(path) || HOMES.test(path)

function outermost(paths: readonly string[]): string[] {
  const found = [...new Set(paths.map((path) => resolve(path)))].filter(
    (path) => existsSync(path) && !isWhole(real(path)),
  )
  const outside = found.filter((path) => !SYSTEM.some((value) => isInside(path, value)))
  return outside.filter((path) => !outside.some((value) => value !== path && isInside(path, value)))
}

const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** A link is followed to where the program is installed, and the first line of a script to its interpreter. */
function ofProgram(file: string): string[] {
  const target = real(file)
  const interpreter = interpreterOf(target)
  return [
    prefixOf(file),
    prefixOf(target),
    ...(interpreter === undefined ? [] : [prefixOf(interpreter), prefixOf(real(interpreter))]),
  ]
}

/** Where a program is installed: its outermost node_modules, the folder above its `bin`, or the file alone. */
function prefixOf(file: string): string {
  const modules = outermostModules(file)
  if (modules !== undefined) return modules
  const folder = dirname(file)
  return folderPrefix(folder) ?? (isWhole(folder) ? file : folder)
}

function folderPrefix(folder: string): string | undefined {
  const above = dirname(folder)
  const isPrograms = ['bin', 'sbin', 'shims', 'Scripts'].includes(basename(folder))
  if (!isPrograms || isWhole(above)) return undefined
  return INSTALLED.some((name) => existsSync(join(above, name))) ? above : undefined
}

function ofPathFolder(folder: string): string[] {
  if (isWhole(folder)) return []
  return [outermostModules(folder) ?? folderPrefix(folder) ?? folder]
}

function outermostModules(path: string): string | undefined {
  const at = `${path}${sep}`.indexOf(`${sep}node_modules${sep}`)
  return at === -1 ? undefined : path.slice(0, at + '/node_modules'.length)
}

function interpreterOf(file: string): string | undefined {
  if (!isFile(file)) return undefined
  try {
    const opened = openSync(file, 'r')
    const bytes = Buffer.alloc(256)
    const length = readSync(opened, bytes)
    closeSync(opened)
    return /^#!\s*(\/\S+)/.exec(bytes.toString('utf8', 0, length))?.[1]
  } catch {
    return undefined
  }
}

/** The package of a script: the workspace or the package around it, otherwise its folder; and modules of the folders above. */
function ofScript(script: string): string[] {
  const file = real(script)
  const modules = outermostModules(file)
  if (modules !== undefined) return [modules]
  const folders: string[] = []
  for (let at = dirname(file); !NEVER_WHOLE.has(at) && !HOMES.test(at); at = dirname(at)) folders.push(at)
  const packages = folders.filter((folder) => isPackage(folder))
  const workspace = packages.findLast((folder) => hasWorkspaces(folder))
  const whole = workspace ?? packages[0] ?? folders[0] ?? file
  const named = folders.map((folder) => join(folder, 'node_modules')).filter((folder) => existsSync(folder))
  return [whole, script, ...named]
}

const isPackage = (folder: string): boolean =>
  ['package.json', 'pyproject.toml', 'setup.py', 'go.mod'].some((name) => existsSync(join(folder, name)))

function hasWorkspaces(folder: string): boolean {
  try {
    const read: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return typeof read === 'object' && read !== null && 'workspaces' in read
  } catch {
    return readdirSync(folder).includes('pnpm-workspace.yaml')
  }
}
