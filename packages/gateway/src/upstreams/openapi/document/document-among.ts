/**
 * Which of several files is the OpenAPI document: one named `openapi.yaml` or alike, nearest to the top, else the only one whose text
 * says that it is one. Pure; where it cannot be decided the words say what to do.
 */
const NAME = /^(?:openapi|swagger|api|index)\.(?:ya?ml|json)$/i
const ORDER = ['openapi', 'swagger', 'api', 'index']
const DOCUMENT = /\.(?:ya?ml|json)$/i
const MARK = /(?:^[ \t]*|[{,]\s{0,99})["']?(?:openapi|swagger)["']?\s*:\s*["']?[1-9]/m

const depthOf = (path: string) => path.split('/').length
const baseOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const rankOf = (path: string) =>
  ORDER.indexOf(
    baseOf(path)
      .replace(/\.\w+$/, '')
      .toLowerCase(),
  )

/** `problem` goes on after a word for what the files are in. `textOf`: undefined for what is no text. */
export function documentAmong(
  paths: readonly string[],
  textOf: (path: string) => string | undefined,
): string | { readonly problem: string } {
  const isDocument = (path: string) => MARK.test(textOf(path) ?? '')
  const named = paths
    .filter((path) => NAME.test(baseOf(path)))
    .toSorted((path, other) => depthOf(path) - depthOf(other) || rankOf(path) - rankOf(other))
  const first = named.find(isDocument)
  if (first !== undefined) return first
  const marked = paths.filter((path) => DOCUMENT.test(path) && !named.includes(path)).filter(isDocument)
  const top = Math.min(...marked.map(depthOf))
  const nearest = marked.filter((path) => depthOf(path) === top)
  const [only] = nearest
  if (only !== undefined && nearest.length === 1) return only
  if (only === undefined)
    return { problem: 'contains no OpenAPI document: one file must begin with "openapi" or "swagger"' }
  const names = nearest.slice(0, 3).map((path) => JSON.stringify(path.slice(0, 100)))
  return {
    problem: `contains ${nearest.length} OpenAPI documents (${names.join(', ')}${nearest.length > 3 ? ', …' : ''}): name the right one openapi.yaml or openapi.json`,
  }
}
