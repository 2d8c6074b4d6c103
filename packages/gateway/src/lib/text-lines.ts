/**
 * The lines of a file, one after the other, in bounded memory.
 *
 * A line ends at a line feed and nowhere else: Node's own reader also breaks at U+2028, which stands as itself in JSON.
 */
import { createReadStream } from 'node:fs'

/** The last line counts without its line feed, too. Throws what the file system says, and `RangeError` for a longer line. */
export async function* readLines(path: string, longest = 16 * 1024 * 1024): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 256 * 1024 })) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > longest) throw new RangeError(`a line is longer than ${longest} characters`)
    yield* lines
  }
  if (rest !== '') yield rest
}
