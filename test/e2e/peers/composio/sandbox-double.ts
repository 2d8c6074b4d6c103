/**
 * The sandbox of a session: it runs Python scripts, with `/home/user` led into a folder of its own. Where no Python is installed, it reads
 * what the toolkit's scripts were given and does the same by the toolkit's scripts for Node.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { javascriptScript } from '../../../../packages/toolkit/src/workbench/scripts/javascript.ts'
import type { Given } from '../../../../packages/toolkit/src/workbench/scripts/script.ts'

export interface Ran {
  readonly stdout: string
  readonly stderr: string
}

export interface Sandboxes extends AsyncDisposable {
  /** The folder that `/home/user` is for a session. */
  homeOf(session: string): string
  run(session: string, code: string): Promise<Ran>
}

/** Undefined where there is none. */
export const PYTHON: string | undefined = (() => {
  try {
    return execFileSync('python3', ['-I', '-c', 'import sys; print(sys.executable)'], { stdio: 'pipe' })
      .toString()
      .trim()
  } catch {
    return undefined
  }
})()

/** Leads every path below /home/user into the folder that is named first, and refuses every other one that is written. */
const JAIL = `
import builtins, os, sys
home, code = sys.argv[1], sys.stdin.read()
def led(path):
    text = os.fspath(path) if not isinstance(path, int) else path
    if isinstance(text, str) and (text + "/").startswith("/home/user/"):
        return home + text[len("/home/user"):]
    return text
def leading(act, count=1):
    return lambda *given, **named: act(*[led(one) for one in given[:count]], *given[count:], **named)
def opened(path, mode="r", *given, **named):
    if led(path) == path and any(letter in mode for letter in "wax+"):
        raise PermissionError("outside of /home/user: " + str(path))
    return real_open(led(path), mode, *given, **named)
real_open, builtins.open = builtins.open, opened
for name in ("stat", "lstat", "mkdir", "makedirs", "remove", "unlink", "listdir", "truncate", "system"):
    setattr(os, name, leading(getattr(os, name)))
for name in ("replace", "rename"):
    setattr(os, name, leading(getattr(os, name), 2))
exec(compile(code, "<workbench>", "exec"), {"__name__": "__main__"})
`

export async function createSandboxes(): Promise<Sandboxes> {
  const base = await mkdtemp(join(tmpdir(), 'composio-sandboxes-'))
  const homeOf = (session: string) => join(base, session.replace(/[^\w-]/g, '_'))
  return {
    homeOf,
    async run(session, code) {
      const home = homeOf(session)
      await mkdir(home, { recursive: true })
      return PYTHON === undefined
        ? run(process.execPath, ['-'], inNode(code, home))
        : run(PYTHON, ['-I', '-c', JAIL, home], code)
    },
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  }
}

function run(program: string, given: readonly string[], input: string): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, given, { stdio: 'pipe', env: { PATH: process.env['PATH'] } })
    const said = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
    for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk: Buffer) => said[name].push(chunk))
    child.once('error', reject)
    child.once('close', () => {
      resolve({ stdout: Buffer.concat(said.stdout).toString(), stderr: Buffer.concat(said.stderr).toString() })
    })
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

/** What a script of the toolkit was given: the two literals of its last line. */
export function givenIn(code: string): Given {
  const [said = '', bytes = ''] = [...code.matchAll(/b64decode\("([A-Za-z0-9+/=]*)"\)/g)].map(([, literal]) => literal)
  const { nonce, path, folder, part, ...operation } = JSON.parse(Buffer.from(said, 'base64').toString()) as Given &
    object
  return {
    nonce,
    path,
    folder,
    part,
    operation: { ...operation, bytes: Buffer.from(bytes, 'base64') } as unknown as Given['operation'],
  }
}

function inNode(code: string, home: string): string {
  const given = givenIn(code)
  const led = (path: string) => home + path.slice('/home/user'.length)
  return javascriptScript({ ...given, path: led(given.path), folder: led(given.folder), part: led(given.part) })
}
