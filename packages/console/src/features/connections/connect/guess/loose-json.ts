/** JSON as people have it in their files: with comments, commas at the end, or a piece without its outer braces. Pure. */
export function readLoosely(text: string): unknown {
  const plain = withoutComments(text.trim()).replaceAll(/,(\s*[}\]])/g, '$1')
  for (const form of [text, plain, `{${plain.replace(/,\s*$/, '')}}`]) {
    try {
      return JSON.parse(form) as unknown
    } catch {
      // The next form may be it.
    }
  }
  return undefined
}

const withoutComments = (text: string): string =>
  text.replaceAll(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[^]*?\*\//g, (_, literal: string | undefined) => literal ?? '')
