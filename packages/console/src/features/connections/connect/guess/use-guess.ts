/** What a text is; the reader of configurations is loaded for the first text that needs it. */
import type { CatalogEntry } from '@toolway/contract'
import { useEffect, useState } from 'react'
import { guess, type Guess } from './guess.ts'
import type { ReadConfiguration } from './read-configuration.ts'

export function useGuess(text: string, catalog: readonly CatalogEntry[]): Guess {
  const [read, setRead] = useState<ReadConfiguration>()
  const found = guess(text, catalog, read)
  const needsReader = found.kind === 'unread'
  useEffect(() => {
    if (needsReader) void import('./configuration.ts').then(({ readConfiguration }) => setRead(() => readConfiguration))
  }, [needsReader])
  return found
}
