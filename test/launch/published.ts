/** The packages as a release has them. A run of the whole suite has built them (test/setup/program.ts); any other run builds them here. */
import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const BUILD = join(import.meta.dirname, '../../tools/build.ts')
export const PACKAGES = ['gateway', 'bridge', 'uru', 'toolkit']

/** Puts each of them into `<folder>/<name>/package`, apart from the checkout, whose dependencies they must not find. */
export async function layPublished(folder: string): Promise<void> {
  const built = process.env['TEST_PACKAGE']
  if (built === undefined) {
    const places = PACKAGES.map((name) => join(folder, name))
    await promisify(execFile)(process.execPath, [BUILD, ...places])
    return
  }
  const published = join(built, '../..')
  for (const name of PACKAGES)
    await cp(join(published, name, 'package'), join(folder, name, 'package'), { recursive: true })
}
