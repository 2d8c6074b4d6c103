/** Open a browser where a person sits in front of one. No shell reads the address. */
import { spawn } from 'node:child_process'

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  linux: ['xdg-open'],
}

/** Whether it was tried: what became of it nobody can tell. */
export function openBrowser(url: string, lookup: (name: string) => string | undefined): boolean {
  const [program, ...args] = OPENERS[process.platform] ?? []
  const screen = process.platform !== 'linux' || (lookup('DISPLAY') ?? lookup('WAYLAND_DISPLAY')) !== undefined
  if (program === undefined || !screen || !process.stderr.isTTY) return false
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
  return true
}
