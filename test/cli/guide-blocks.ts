/** The shell blocks of a guide, run in one shell as a reader would paste them, in the folder of a running installation. */
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TOOLWAY, type Installation, type Settings } from './installation.ts'

export const readGuide = (name: string): Promise<string> =>
  readFile(join(import.meta.dirname, '../../docs/guides', name), 'utf8')

/** The blocks but those that start a gateway, which the test has done. */
export const blocksOf = (guide: string): string[] =>
  [...guide.matchAll(/```sh\n([^`]*)```/g)]
    .map(([, block = '']) => block)
    .filter((block) => !/^npx toolway start/m.test(block))

/** What the blocks printed; the last line says whether all of them ended well. */
export async function runBlocks(here: Installation, blocks: readonly string[], variables: Settings): Promise<string> {
  const script = [
    'set -euo pipefail',
    `npx() { shift; "${process.execPath}" "${TOOLWAY}" "$@"; }`,
    ...blocks,
    'echo; echo ended in peace',
  ].join('\n')
  const child = spawn('bash', ['-c', script], {
    cwd: here.folder,
    env: { PATH: process.env['PATH'], HOME: here.folder, TOOLWAY_DATA: here.data, ...variables },
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (out += chunk.toString()))
  await new Promise((resolve) => child.once('close', resolve))
  return out
}
