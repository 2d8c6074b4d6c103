/** Settings of a kind of connection between what is kept and what is typed. Pure. */

export type OwnSettings = Readonly<Record<string, unknown>>

/** One on each line: `old = now`. */
export const pairLines = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([old, now]) => `${old} = ${now}`)
    .join('\n')

/** A line without both names says nothing yet. */
export const pairsIn = (lines: string): Record<string, string> =>
  Object.fromEntries(
    lines.split('\n').flatMap((line): [string, string][] => {
      const [old = '', now = ''] = line.split('=', 2).map((word) => word.trim())
      return old === '' || now === '' ? [] : [[old, now]]
    }),
  )

/** The settings that differ. A text that was taken away is left out: it cannot be unsaid. */
export const ownChange = (kept: OwnSettings, draft: OwnSettings): OwnSettings =>
  Object.fromEntries(
    Object.entries(draft).filter(
      ([name, value]) => value !== '' && JSON.stringify(value) !== JSON.stringify(kept[name]),
    ),
  )
