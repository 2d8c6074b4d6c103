/** A short name for machines, made of a title for people: it begins with a letter. Empty where nothing of the title fits. */
const MOST = 39

export const slugOf = (title: string): string =>
  title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, MOST)
    .replace(/-+$/, '')
