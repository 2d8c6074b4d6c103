/** The words of a form: what stands in its fields, and what is wrong with them once somebody has tried to send it. */
import { useState, type FormEvent } from 'react'

/** @param send is called with words that have no faults */
export function useWords<Words>(
  first: () => Words,
  faultsOf: (words: Words) => Readonly<Record<string, string>>,
  send: (words: Words) => void,
) {
  const [words, setWords] = useState(first)
  const [tried, setTried] = useState(false)
  return {
    words,
    faults: tried ? faultsOf(words) : {},
    put: (change: Partial<Words>) => setWords((before) => ({ ...before, ...change })),
    submit: (event: FormEvent) => {
      event.preventDefault()
      setTried(true)
      if (Object.keys(faultsOf(words)).length === 0) send(words)
    },
  }
}
