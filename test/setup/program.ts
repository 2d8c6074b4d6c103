/**
 * The program that tests start as `toolway`. The long form of the whole suite builds the published package once and names its folder
 * in TEST_PACKAGE (tools/test.mjs): the tests then run what is published, and each process is ready in half the time. All other runs
 * start the sources.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

export interface Program {
  /** The file that `npx toolway` runs. */
  readonly launcher: string
  /** The file that the launcher hands over to. */
  readonly main: string
  /** The module from which `main` takes `run`, the whole command line. */
  readonly commands: string
}

/** The sources of the checkout, which find the other packages beside them: the published gateway takes the toolkit from npm. */
export const SOURCES: Program = {
  launcher: join(ROOT, 'packages/gateway/bin/toolway.mjs'),
  main: join(ROOT, 'packages/gateway/src/main.ts'),
  commands: join(ROOT, 'packages/gateway/src/cli/program.ts'),
}

const published = process.env['TEST_PACKAGE']
export const PROGRAM: Program = published === undefined ? SOURCES : programIn(published)

function programIn(folder: string): Program {
  const dist = join(folder, 'dist')
  // The bundler puts a hash into the name of each module that is loaded later.
  const commands = readdirSync(dist).filter((name) => /^program-\w+\.mjs$/.test(name))
  if (commands.length !== 1) throw new Error(`${dist} has ${commands.length} modules of the command line.`)
  return {
    launcher: join(folder, 'bin/toolway.mjs'),
    main: join(dist, 'main.mjs'),
    commands: join(dist, commands[0] ?? ''),
  }
}
