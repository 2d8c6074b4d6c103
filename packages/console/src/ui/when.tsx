/** A time as people say it, with the exact one beside the pointer and for screen readers. On the first screen: without a library. */
import { useEffect, useState } from 'react'
import { exactTime, relativeTime } from './times.ts'

const TICK_MS = 30_000

export function When({ at, never = '–' }: { at: string | Date | null | undefined; never?: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  if (at === null || at === undefined) return <>{never}</>
  const date = new Date(at)
  return (
    <time dateTime={date.toISOString()} title={exactTime(date)}>
      {relativeTime(date, now)}
    </time>
  )
}
