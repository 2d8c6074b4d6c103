/** The two organizations: by slug, with the word that stands in the texts of each. The first is the default one. */
export const SIDES = ['default', 'zebrafish'] as const
export type Side = (typeof SIDES)[number]
export const WORDS: Readonly<Record<Side, string>> = { default: 'armadillo', zebrafish: 'quetzal' }
export const otherOf = (side: Side): Side => (side === 'default' ? 'zebrafish' : 'default')
