/**
 * The folders below which connections may allow paths (`TOOLWAY_SANDBOX_ROOTS`): what an administration operation refuses, the worker
 * refuses at the start in the same words, and `toolway doctor` names.
 */
import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isInside } from './paths.ts'

const ORGANIZATION = '{organization}'

/** Those of one organization, by its slug. A folder for each organization is nobody's where none is said. */
export const rootsOf = (forms: readonly string[], organization: string | undefined): string[] =>
  forms.flatMap((form) => {
    if (!form.includes(ORGANIZATION)) return [form]
    return organization === undefined ? [] : [form.replaceAll(ORGANIZATION, organization)]
  })

/** @param path without links, and so are `roots` */
export const isInRoots = (path: string, roots: readonly string[]): boolean => roots.some((root) => isInside(path, root))

/** An allowed path without the mark of one that may only be read. */
export const plainPath = (text: string): string => (text.endsWith(':ro') ? text.slice(0, -':ro'.length) : text)

/** Without links, as far as it is there: a folder may be allowed before it is made. */
export function realPlace(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(realPlace(above), basename(path))
  }
}

export const outsideWords = (roots: readonly string[]): string =>
  `it is outside the folders that TOOLWAY_SANDBOX_ROOTS lists for this organization (${roots.join(', ') || 'none'})`

/** Of an administrator of an organization. */
export const NO_ROOTS_WORDS = 'TOOLWAY_SANDBOX_ROOTS is not set, so only a platform administrator can allow paths'
