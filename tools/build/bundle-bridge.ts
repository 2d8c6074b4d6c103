/**
 * Bundles the bridge into one file that needs nothing but Node 20, with the code it uses from the other packages of this
 * workspace. It fails on third-party code, which would cost each start of each client.
 */
import { isBuiltin } from 'node:module'
import { build } from 'esbuild'

export interface BridgeBundleParts {
  readonly root: string
  /** The file that starts it. */
  readonly source: string
  /** Where the bundle goes; its folder is made. */
  readonly file: string
}

export async function bundleBridge({ root, source, file }: BridgeBundleParts): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [source],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: { js: '#!/usr/bin/env node' },
    metafile: true,
    logLevel: 'warning',
  })
  const [output] = Object.values(metafile.outputs)
  const foreign = Object.entries(output?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 && path.includes('node_modules/') ? [path] : [],
  )
  const missing = (output?.imports ?? []).flatMap(({ path }) => (isBuiltin(path) ? [] : [path]))
  if (foreign.length > 0) throw new Error(`The bridge would carry code of others: ${foreign.join(', ')}.`)
  if (missing.length > 0) throw new Error(`The bridge would need ${missing.join(', ')} at run time.`)
}
