/**
 * Bundles `uru-mcp` into one file that needs nothing but Node 18, the oldest that the source system's package ran under. Returns the
 * modules of others in it, relative to `root`.
 */
import { isBuiltin } from 'node:module'
import { build } from 'esbuild'
import type { BridgeBundleParts } from './bundle-bridge.ts'

export async function bundleUru({ root, source, file }: BridgeBundleParts): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [source],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node18',
    banner: { js: '#!/usr/bin/env node' },
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  const [output] = Object.values(metafile.outputs)
  const missing = (output?.imports ?? []).flatMap(({ path }) => (isBuiltin(path) ? [] : [path]))
  if (missing.length > 0) throw new Error(`uru-mcp would need ${missing.join(', ')} at run time.`)
  return Object.entries(output?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []))
}
