/** What a request's target names: a path, and in the absolute form an authority before it (RFC 9112, section 3.2). */

export interface Target {
  /** Without the query. */
  readonly path: string
  readonly authority: string | undefined
}

const ABSOLUTE = /^https?:\/\/([^/?#]*)([^?#]*)/i

export function targetOf(url = '/'): Target {
  const absolute = url.startsWith('/') ? null : ABSOLUTE.exec(url)
  if (absolute !== null) return { path: absolute[2] === '' ? '/' : (absolute[2] ?? '/'), authority: absolute[1] ?? '' }
  return { path: url.split('?', 1)[0] ?? '/', authority: undefined }
}
