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

/**
 * Leads every path below /home/user into the folder that is named first, and refuses every other one that is written. It runs the scripts
 * of one session one after another, as a notebook does: a line with their length, their text; back the same of what they printed.
 */
const JAIL = `
import builtins, contextlib, io, os, sys, traceback
home, requests, answers = sys.argv[1], sys.stdin.buffer, sys.stdout.buffer
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
names = {"__name__": "__main__"}
for line in iter(requests.readline, b""):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(requests.read(int(line)), "<workbench>", "exec"), names)
        except BaseException:
            traceback.print_exc(file=printed)
    text = printed.getvalue().encode()
    answers.write(str(len(text)).encode() + b"\\n" + text)
    answers.flush()
`

/** Runs the scripts of one session. */
interface Kernel {
  run(code: string): Promise<string>
  close(): void
}

function startKernel(python: string, home: string): Kernel {
  const child = spawn(python, ['-I', '-c', JAIL, home], { stdio: ['pipe', 'pipe', 'inherit'], env: {} })
  const waiting: { resolve(text: string): void; reject(thrown: unknown): void }[] = []
  let chunks: Buffer[] = []
  let held = 0
  let wanted: number | undefined
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    held += chunk.length
    // Copied only once an answer is whole, and at its head.
    while (wanted === undefined ? chunks.some((one) => one.includes(10)) : held >= wanted) take()
  })
  function take(): void {
    const all = Buffer.concat(chunks)
    const from = wanted === undefined ? all.indexOf(10) + 1 : wanted
    if (wanted === undefined) wanted = Number(all.subarray(0, from).toString())
    else {
      waiting.shift()?.resolve(all.subarray(0, from).toString())
      wanted = undefined
    }
    chunks = [all.subarray(from)]
    held = all.length - from
  }
  child.once('close', () => waiting.forEach(({ reject }) => reject(new Error('the sandbox has ended'))))
  child.stdin.on('error', () => {})
  return {
    run: (code) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject })
        const bytes = Buffer.from(code)
        child.stdin.write(`${bytes.length}\n`)
        child.stdin.write(bytes)
      }),
    close: () => void child.kill(),
  }
}

export async function createSandboxes(): Promise<Sandboxes> {
  const base = await mkdtemp(join(tmpdir(), 'composio-sandboxes-'))
  const kernels = new Map<string, Kernel>()
  const homeOf = (session: string) => join(base, session.replace(/[^\w-]/g, '_'))
  return {
    homeOf,
    async run(session, code) {
      const home = homeOf(session)
      await mkdir(home, { recursive: true })
      if (PYTHON === undefined) return { stdout: await runInNode(code, home), stderr: '' }
      const kernel = kernels.get(session) ?? startKernel(PYTHON, home)
      kernels.set(session, kernel)
      return { stdout: await kernel.run(code), stderr: '' }
    },
    async [Symbol.asyncDispose]() {
      for (const kernel of kernels.values()) kernel.close()
      await rm(base, { recursive: true, force: true })
    },
  }
}

/** The inputs of a script of the toolkit: the two literals of its last line. */
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

async function runInNode(code: string, home: string): Promise<string> {
  const given = givenIn(code)
  const led = (path: string) => home + path.slice('/home/user'.length)
  const script = javascriptScript({ ...given, path: led(given.path), folder: led(given.folder), part: led(given.part) })
  const child = spawn(process.execPath, ['-'], { stdio: ['pipe', 'pipe', 'inherit'], env: {} })
  child.stdin.end(script)
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
