/**
 * Turns that all runs of the crawler in one process share, so that many calls at once ask no host more often, and hold no more pages in
 * memory and no more threads, than one call does.
 */
import { HostSlots, Slots } from './fetch/slots.ts'
import type { CrawlSettings } from './settings.ts'

export interface CrawlTurns {
  /** Pages that are fetched, read and saved. */
  readonly pages: Slots
  readonly requests: Slots
  readonly hosts: HostSlots
  readonly threads: Slots
}

export const createCrawlTurns = ({ concurrency, perHost, extractionThreads }: CrawlSettings): CrawlTurns => ({
  pages: new Slots(concurrency * 2),
  requests: new Slots(concurrency),
  hosts: new HostSlots(perHost),
  threads: new Slots(extractionThreads),
})
