/** The lines of an exported file, each checked for its shape, in bounded memory. */
import { readLines } from '../../lib/text-lines.ts'
import { ChainLine } from '../chain/chain-lines.ts'
import type { Broken } from '../chain/verify.ts'

export async function* readExport(path: string): AsyncGenerator<ChainLine | Broken> {
  let line = 0
  for await (const text of readLines(path)) {
    line++
    if (text.trim() !== '') yield parseLine(text) ?? { type: 'broken', line }
  }
}

function parseLine(text: string): ChainLine | undefined {
  try {
    return ChainLine.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
