/** Pairs of texts as lines, one on each: `old = now`. */

export const pairLines = (pairs: unknown): string =>
  typeof pairs === 'object' && pairs !== null
    ? Object.entries(pairs)
        .map(([old, now]) => `${old} = ${String(now)}`)
        .join('\n')
    : ''

/** A line without both names says nothing yet. */
export const pairsIn = (lines: string): Record<string, string> =>
  Object.fromEntries(
    lines.split('\n').flatMap((line): [string, string][] => {
      const [old = '', now = ''] = line.split('=', 2).map((word) => word.trim())
      return old === '' || now === '' ? [] : [[old, now]]
    }),
  )
