/**
 * The program that tests start as `toolway`. The long form of the whole suite builds the published package once and names its folder
 * in TEST_PACKAGE (tools/test.mjs): the tests then run what is published, and each process is ready in half the time. All other runs
 * start the sources.
 */
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

export interface Program {
  /** The file that `npx toolway` runs. */
  readonly launcher: string
  /** The file that the launcher hands over to. */
  readonly main: string
}

/** The sources of the checkout, which find the other packages beside them: the published gateway takes the toolkit from npm. */
export const SOURCES: Program = {
  launcher: join(ROOT, 'packages/gateway/bin/toolway.mjs'),
  main: join(ROOT, 'packages/gateway/src/main.ts'),
}

const published = process.env['TEST_PACKAGE']
export const PROGRAM: Program =
  published === undefined
    ? SOURCES
    : { launcher: join(published, 'bin/toolway.mjs'), main: join(published, 'dist/main.mjs') }
