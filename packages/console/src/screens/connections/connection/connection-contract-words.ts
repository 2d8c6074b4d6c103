/** Words of a contract backend between what is kept and what is typed. Pure. */
import type { ContractWords } from '@toolway/contract'

/** One on each line: `old = now`. */
export const aliasLines = (aliases: Readonly<Record<string, string>>): string =>
  Object.entries(aliases)
    .map(([old, now]) => `${old} = ${now}`)
    .join('\n')

/** A line without both names says nothing yet. */
export const aliasesIn = (lines: string): Record<string, string> =>
  Object.fromEntries(
    lines.split('\n').flatMap((line): [string, string][] => {
      const [old = '', now = ''] = line.split('=', 2).map((word) => word.trim())
      return old === '' || now === '' ? [] : [[old, now]]
    }),
  )

/** What is another. A name of the organization that was taken away is not said: it cannot be unsaid. */
export const contractChange = (kept: ContractWords, draft: ContractWords): ContractWords =>
  Object.fromEntries(
    Object.entries(draft).filter(
      ([name, value]) => value !== '' && JSON.stringify(value) !== JSON.stringify(kept[name as keyof ContractWords]),
    ),
  )
