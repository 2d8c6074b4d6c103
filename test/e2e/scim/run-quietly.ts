/** Runs a program while this process goes on serving, and resolves to what it prints. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export async function runQuietly(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(program, [...args], { maxBuffer: 16 * 1024 * 1024 })
  return stdout
}
