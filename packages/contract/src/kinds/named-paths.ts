/** Absolute paths that the arguments of a program name, such as `/srv/files` and `--root=/srv/files`, and whether they are allowed. */

/** Places that hold nothing of a user, or may never be allowed. */
const NOT_MEANT = /^\/(?:(?:usr|bin|sbin|lib|lib32|lib64|opt|proc|sys|dev|run|nix)(?:\/|$)|$)/

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)
const trimmed = (path: string): string => path.replace(/\/+$/, '')

/** Without those of the system's programs; none twice. */
export function namedPaths(args: readonly string[]): readonly string[] {
  const found = args.flatMap((arg) => /^(?:--?[\w-]+=)?(\/.*)$/s.exec(arg)?.[1] ?? [])
  return [...new Set(found)].filter((path) => !path.startsWith('//') && !NOT_MEANT.test(path))
}

/** @param allowed as a connection has them, `:ro` behind those that may only be read */
export const notAllowed = (paths: readonly string[], allowed: readonly string[]): readonly string[] => {
  const folders = allowed.map((path) => trimmed(path.replace(/:ro$/, '')))
  return paths.filter((path) => !folders.some((folder) => isWithin(trimmed(path), folder)))
}

/** The sentence of log, check and doctor. */
export const notAllowedWords = (path: string, alias = 'ALIAS'): string =>
  `${path} is not allowed in the sandbox: add it to the allowed paths of the connection (toolway connection allow ${alias} --allow-path ${path}, or append :ro for read-only access).`
