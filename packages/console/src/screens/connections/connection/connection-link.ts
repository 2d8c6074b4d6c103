/**
 * The way of a person to the server's own sign-in, in a window of its own, and back: that it went well is told by the gateway, on
 * the stream of events, and never by a page of somebody else's.
 */
import { linkConnection, type Account, type GatewayEvent } from '@toolway/contract/admin'
import { useCallback, useState } from 'react'
import { call } from '../../../data/call.ts'
import { useEvents } from '../../../data/live.ts'
import { sayProblem } from './connection-ways.tsx'

const SHAPE = 'popup,width=600,height=760'

export interface Wanted {
  readonly owner: Account['owner']
  readonly account?: string | undefined
}

export interface Linking {
  /** Where the person has to go; undefined while nobody is on the way. */
  readonly url: string | undefined
  /** The browser would not open a window: the person opens it by the address. */
  readonly blocked: boolean
  begin(wanted: Wanted): void
  stop(): void
}

export function useLinking(
  path: { readonly organization: string; readonly connection: string },
  onConnected: () => void,
): Linking {
  const [way, setWay] = useState<{ url: string; blocked: boolean; opened: Window | null }>()
  const hear = useCallback(
    (event: GatewayEvent) => {
      if (way === undefined || event.type !== 'integrations_changed') return
      if (event.id !== path.connection || event.action !== 'connected') return
      way.opened?.close()
      setWay(undefined)
      onConnected()
    },
    [way, path.connection, onConnected],
  )
  useEvents(hear)
  const begin = async ({ owner, account }: Wanted) => {
    // Opened before anything is waited for: later the browser takes it for a window that nobody asked for.
    const opened = window.open('', 'toolway-connect', SHAPE)
    try {
      const body = { owner, ...(account === undefined ? {} : { account }) }
      const { url } = await call(linkConnection, { path, body })
      setWay({ url, blocked: opened === null, opened })
      if (opened !== null) opened.location.href = url
    } catch (thrown) {
      opened?.close()
      sayProblem(thrown)
    }
  }
  return {
    url: way?.url,
    blocked: way?.blocked ?? false,
    begin: (wanted) => void begin(wanted),
    stop() {
      way?.opened?.close()
      setWay(undefined)
    },
  }
}
