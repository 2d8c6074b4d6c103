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
      const entries = Object.entries<unknown>(admin)
      // Packing finds what neighbours have in common, and the first page is counted in bytes.
      const operations = entries.filter((entry): entry is [string, Told] => isOperation(entry[1])).toSorted(byPath)
      const others = entries.filter(([, value]) => !isOperation(value)).map(([name]) => nameOf(name))
      return [OF, ...operations.map(([name, operation]) => dataOf(name, operation)), ...others].join('\n')
    },
  }
}

const nameOf = (name: string) => `export { ${name} } from '${REAL}'`
const ROOT = '/api/v1/'
/** The common part of 250 operations is written once. */
const OF = `const of = (method, path) => ({ method, path: '${ROOT}' + path })`

function dataOf(name: string, { method, path }: Told): string {
  if (!path.startsWith(ROOT)) return `export const ${name} = ${JSON.stringify({ method, path })}`
  return `export const ${name} = /*#__PURE__*/ of(${JSON.stringify(method)}, ${JSON.stringify(path.slice(ROOT.length))})`
}

const byPath = ([, a]: [string, Told], [, b]: [string, Told]) =>
  a.path.localeCompare(b.path) || a.method.localeCompare(b.method)

interface Told {
  readonly method: string
  readonly path: string
}
const isOperation = (value: unknown): value is Told =>
  typeof value === 'object' && value !== null && 'needs' in value && 'method' in value && 'path' in value
