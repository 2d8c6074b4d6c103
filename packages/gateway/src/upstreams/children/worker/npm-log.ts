/**
 * Reads from npm's debug log why npm could not fetch a program. npm writes nothing to stderr while it retries a registry; its
 * debug log has the cause from the first try. It is read where the child exited, wrote nothing to stdout and named no error on
 * stderr.
 *
 * The folder is the child's own, so its contents are untrusted: no link is followed, only plain files are read, and few bytes of
 * them.
 */
import { constants } from 'node:fs'
import { lstat, open, opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { namesError } from '../../program-report.ts'

const NAME = /^[\w.:-]{1,100}-debug-\d\.log$/
/** npm keeps ten; more in the folder are not npm's. */
const MOST_FILES = 200
/** One run of npx may start npm itself. */
const MOST_READ = 3
/** The end of a log: the error that ended it is there, and in a log of usual length the first try too. */
const MOST_BYTES = 256 * 1024
const LINE = /^\d+ (error|http|verbose stack) (.+)$/
const USER = /\/\/[^/@\s]+@/g

/**
 * The first line of npm's log that names an error; undefined where there is none, or the log is of an earlier start.
 * @param cache npm's cache inside the folder of the child
 * @param since milliseconds since 1970 when the child was started
 */
export async function errorInNpmLog(cache: string, since: number): Promise<string | undefined> {
  try {
    for (const file of await newest(join(cache, '_logs'))) {
      const line = tellingLineOf(await endOf(file, since))
      if (line !== undefined) return line
    }
  } catch {
    // No npm, no log.
  }
  return undefined
}

/** Names begin with the time. */
async function newest(folder: string): Promise<string[]> {
  for (const value of [dirname(folder), folder]) if (!(await lstat(value)).isDirectory()) return []
  const names: string[] = []
  let seen = 0
  for await (const { name } of await opendir(folder)) {
    if (NAME.test(name)) names.push(name)
    if (++seen === MOST_FILES) break
  }
  return names
    .toSorted()
    .toReversed()
    .slice(0, MOST_READ)
    .map((name) => join(folder, name))
}

/** Empty for what is no plain file, and for one that was written last before `since`. */
async function endOf(file: string, since: number): Promise<string> {
  // Without O_NONBLOCK a named pipe would be waited for.
  await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const { size, mtimeMs } = await handle.stat().then((stat) => (stat.isFile() ? stat : { size: 0, mtimeMs: 0 }))
  if (size === 0 || mtimeMs < since) return ''
  const { buffer, bytesRead } = await handle.read({
    buffer: Buffer.alloc(Math.min(size, MOST_BYTES)),
    position: Math.max(0, size - MOST_BYTES),
  })
  return buffer.toString('utf8', 0, bytesRead)
}

function tellingLineOf(text: string): string | undefined {
  for (const line of text.split('\n')) {
    const [, level, message] = LINE.exec(line.trimEnd()) ?? []
    // Worded as npm words it on stderr.
    if (message !== undefined && namesError(message)) return `npm ${level} ${message.replaceAll(USER, '//')}`
  }
  return undefined
}
