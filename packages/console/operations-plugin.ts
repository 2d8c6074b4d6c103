/**
 * Replaces each operation by its method and path in a browser build, which needs no more of it: schemas, and the library
 * that they are written in, are loaded only where a form uses one. Types stay those of the contract.
 */
import * as admin from '@toolway/contract/admin'
import type { Plugin } from 'vite'

const NAME = '@toolway/contract/admin'
const LIGHT = '\0operations'
const REAL = `${NAME}?real`

export function operationsAsData(): Plugin {
  return {
    name: 'operations-as-data',
    enforce: 'pre',
    resolveId(source, importer) {
      if (source === NAME) return LIGHT
      return source === REAL ? this.resolve(NAME, importer, { skipSelf: true }) : undefined
    },
    load(id) {
      if (id !== LIGHT) return undefined
      const lines = Object.entries(admin).map(([name, value]) =>
        isOperation(value) ? dataOf(name, value) : nameOf(name),
      )
      return lines.join('\n')
    },
  }
}

const nameOf = (name: string) => `export { ${name} } from '${REAL}'`
const dataOf = (name: string, { method, path }: Told) => `export const ${name} = ${JSON.stringify({ method, path })}`

interface Told {
  readonly method: string
  readonly path: string
}
const isOperation = (value: unknown): value is Told =>
  typeof value === 'object' && value !== null && 'needs' in value && 'method' in value && 'path' in value
