/**
 * The program of the worker: keeps compiled code in the folder that the gateway names as its first argument, and loads the rest. Its
 * environment is empty, so that no child finds anything there.
 */
import module from 'node:module'

const [, , compiled] = process.argv
if (compiled !== undefined) module.enableCompileCache(compiled)
await import('./worker-main.ts')
