/** The title of a toolset, as its makers wrote it; those that come with the gateway are named in the reader's language. */
import type { Toolset } from '@toolway/contract/admin'
import { texts } from '../texts/texts.ts'

export function titleOf({ slug, title, origin }: Pick<Toolset, 'slug' | 'title' | 'origin'>): string {
  const supplied: Readonly<Record<string, string>> = texts.toolsets.suppliedTitles
  return origin === 'supplied' ? (supplied[slug] ?? title) : title
}
