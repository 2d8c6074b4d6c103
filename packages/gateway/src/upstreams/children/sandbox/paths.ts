/** Comparison of absolute paths without links. */

/** True for the folder itself and for everything below it. */
export const isInside = (path: string, folder: string): boolean =>
  path === folder || folder === '/' || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
