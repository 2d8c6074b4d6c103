/** Whether a request comes from a page of this gateway: the cookies of a visitor come along from pages of others as well. */
import type { IncomingMessage } from 'node:http'
import { Fault } from '@toolway/contract'

/** Throws `request.origin`, also for a request that names no origin at all. */
export function refuseOthersPages({ headers }: Pick<IncomingMessage, 'headers'>, publicUrl: string): void {
  const own = [URL.parse(publicUrl)?.origin, `http://${headers.host}`, `https://${headers.host}`]
  const origin = headers.origin?.toLowerCase()
  if (origin === undefined || !own.includes(origin)) throw new Fault('request.origin')
}
