/**
 * The folders and the environment of a child: a folder of its own (0700) that is its HOME, with its npm cache and working
 * folder inside, a short temporary folder, and an environment of five names and the declared ones. It never passes on a
 * variable of the gateway or of the worker.
 */
import { constants } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ChildError } from '../child-error.ts'
import type { Order } from '../frame.ts'
import { makeTemporary, type Temporary } from './temporary-folder.ts'

/** Without a network, npx and uvx take what they fetched at an earlier start, and say at once what was never fetched. */
const OFFLINE = { npm_config_offline: 'true', UV_OFFLINE: '1' }

/** Git refuses repositories of another user, and a confined server is not the user whose folders it was allowed. */
const REPOSITORIES = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' }

const surroundings = (confinement: Order['confinement']): Record<string, string> =>
  confinement === undefined || confinement.driver === 'none'
    ? {}
    : {
        ...(confinement.network === 'none' ? OFFLINE : {}),
        ...(confinement.allowPaths.length === 0 ? {} : REPOSITORIES),
      }

async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // The child may have put a link here in an earlier life, or puts one now in another, to have us change what it points at.
  await using opened = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
    (cause: unknown) => {
      throw new ChildError(
        'START_FAILED',
        'A folder of this server was replaced by something else. Remove it and start again.',
        { cause },
      )
    },
  )
  await opened.chmod(0o700)
}

export interface Residence {
  cwd: string
  environment: Record<string, string>
  /** The folder of npm's cache; a declared variable may name another, which is not looked into. */
  npm: string
  /** Its TMPDIR, which goes when the child has ended. */
  temporary: Temporary
}

/** Makes the folders of a child and words its environment; a declared variable wins over one of ours. */
export async function prepareFolders(order: Order): Promise<Residence> {
  const { home, path, lang } = order
  const [tmp, npm, work] = [join(home, 'tmp'), join(home, 'npm'), join(home, 'work')]
  for (const folder of [home, tmp, npm, work]) await ownFolder(folder)
  const cwd = resolve(work, order.cwd ?? '.')
  const there = await stat(cwd).catch(() => undefined)
  if (!there?.isDirectory()) {
    throw new ChildError('FOLDER_NOT_FOUND', `The working folder "${cwd}" does not exist. Create it or omit it.`)
  }
  const temporary = await makeTemporary(home, tmp)
  return {
    cwd,
    npm,
    temporary,
    environment: {
      PATH: path,
      HOME: home,
      TMPDIR: temporary.path,
      LANG: lang,
      npm_config_cache: npm,
      ...surroundings(order.confinement),
      ...order.inherited,
      ...order.environment,
    },
  }
}
