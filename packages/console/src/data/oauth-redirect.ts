/**
 * A person leaves for a vendor's page, in a window of its own, and comes back to a page of the console in it.
 *
 * No script of ours is in the vendor's page, and none of theirs reaches ours (Cross-Origin-Opener-Policy). That somebody is back is
 * told from page to page of this origin.
 */
import { useEffect } from 'react'

/** A page that was waiting for it has taken over, and the window may close. */
export type Arrival =
  | { readonly connected: string }
  | { readonly error: string; readonly why: string | undefined; readonly details: string }

type DepartureMessage = { readonly arrived: Arrival } | { readonly taken: true }

const CHANNEL = 'toolway.departures'
/** Milliseconds in which a page that waits answers. */
const ANSWER_MS = 600
const WINDOW = 'popup,width=600,height=780'

export interface AwayWindow {
  /** False where the browser opened none: then it is this window that goes. */
  readonly opened: boolean
  go(url: string): void
  close(): void
}

/** To be called in the very handler of a click: later a browser takes it for an advertisement. */
export function openAwayWindow(): AwayWindow {
  const away = window.open('about:blank', '_blank', WINDOW)
  // Where the page is not served by https, its policy alone does not keep a vendor's page from leading this one elsewhere.
  if (away !== null) away.opener = null
  return {
    opened: away !== null,
    go: (url) => (away === null ? window.location.assign(url) : away.location.replace(url)),
    close: () => away?.close(),
  }
}

/** Whether another page was waiting for it. */
export async function tellArrival(arrived: Arrival): Promise<boolean> {
  const channel = new BroadcastChannel(CHANNEL)
  try {
    return await new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(false), ANSWER_MS)
      channel.addEventListener('message', ({ data }: MessageEvent<DepartureMessage>) => {
        if ('taken' in data) resolve(true)
      })
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches no other origin
      channel.postMessage({ arrived } satisfies DepartureMessage)
    })
  } finally {
    channel.close()
  }
}

/** @param take says whether this page was waiting for it */
export function useArrivals(take: (arrival: Arrival) => boolean): void {
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL)
    channel.addEventListener('message', ({ data }: MessageEvent<DepartureMessage>) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches no other origin
      if ('arrived' in data && take(data.arrived)) channel.postMessage({ taken: true } satisfies DepartureMessage)
    })
    return () => channel.close()
  }, [take])
}
