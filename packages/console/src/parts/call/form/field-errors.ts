/** Arranges validation errors as the form library expects them: a tree by argument path, with lists of sentences. */
import type { ErrorSchema } from '@rjsf/utils'
import type { ArgumentError } from '../runs.ts'

type Tree = { __errors?: string[]; [name: string]: Tree | string[] | undefined }

export function errorTreeOf(errors: readonly ArgumentError[]): ErrorSchema {
  const root: Tree = {}
  for (const { path, message } of errors) {
    let at = root
    for (const part of path.split('/').slice(1)) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      // A name that every object has is no place in arguments.
      if (name === '__proto__' || name === '__errors') break
      at = (Object.hasOwn(at, name) ? at[name] : (at[name] = {})) as Tree
    }
    ;(at.__errors ??= []).push(message)
  }
  return root as ErrorSchema
}
