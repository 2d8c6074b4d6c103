/**
 * Fetches pages: turns for all requests and for each host, robots.txt, redirects judged hop by hop, and repeats of what may pass.
 * Nothing is remembered but cached rules of the run; no cookies, no credentials, no Referer.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { retry, retryAfter, type Passing } from '@toolway/protocol/retry'
import { PageProblem } from '../page-problem.ts'
import { createCrawlTurns, type CrawlTurns } from '../crawl-turns.ts'
import type { CrawlSettings } from '../settings.ts'
import { createAgent } from './connector.ts'
import { pageAddress } from './page-address.ts'
import { requestOnce, type Answer, type RequestOptions } from './request.ts'
import { MOST_ROBOTS, readRobots, Robots, robotsNameOf } from './robots.ts'
import type { HostSlots, Slots } from './slots.ts'

export interface Fetched extends Answer {
  /** Where the last redirect led. */
  readonly url: URL
}

type Reads = RequestOptions['reads']

interface Asked {
  readonly most: number
  readonly reads: Reads
  /** Milliseconds that are left of the page's own. */
  left: number
  /** The pause between requests to the host, once the site has allowed the page. */
  admit(url: URL): Promise<number>
}

export class PageFetcher implements AsyncDisposable {
  readonly #settings: CrawlSettings
  readonly #signal: AbortSignal
  readonly #agent
  readonly #slots: Slots
  readonly #hosts: HostSlots
  readonly #robots: Robots

  constructor(settings: CrawlSettings, signal: AbortSignal, turns: CrawlTurns = createCrawlTurns(settings)) {
    this.#settings = settings
    this.#signal = signal
    this.#agent = createAgent(settings)
    this.#slots = turns.requests
    this.#hosts = turns.hosts
    this.#robots = new Robots((url) => this.#readRobots(url))
  }

  /** @param reads whether the body of an answer is read. Throws a `PageProblem`, or what the signal was aborted with. */
  fetch(url: URL, reads: Reads): Promise<Fetched> {
    const { robots, maxBytes, pageTimeout } = this.#settings
    const admit = robots === 'obey' ? (hop: URL) => this.#robots.admit(hop) : () => Promise.resolve(0)
    return this.#withRepeats(url, { most: maxBytes, reads, left: pageTimeout, admit })
  }

  async #readRobots(url: URL) {
    const { pageTimeout, longestCrawlDelay, userAgent } = this.#settings
    const reads: Reads = ({ status }) => status < 300
    const request: Asked = { most: MOST_ROBOTS, reads, left: pageTimeout, admit: () => Promise.resolve(0) }
    const answer = await this.#withRepeats(url, request)
    return readRobots(url, answer, robotsNameOf(userAgent), longestCrawlDelay)
  }

  async #withRepeats(url: URL, request: Asked): Promise<Fetched> {
    const signal = this.#signal
    const work = async () => {
      const fetched = await this.#follow(url, request)
      if (mayChange(fetched)) throw new PassingAnswer(fetched)
      return fetched
    }
    const evaluate = (thrown: unknown): Passing | undefined => {
      if (thrown instanceof PassingAnswer)
        return { wanted: retryAfter(thrown.fetched.header('retry-after'), Date.now()) ?? 0, done: 'maybe' }
      return thrown instanceof PageProblem && thrown.passing && request.left > 0
        ? { wanted: 0, done: 'maybe' }
        : undefined
    }
    try {
      return await retry(work, {
        limits: this.#settings.retries,
        evaluate,
        idempotent: true,
        signal,
        now: () => performance.now(),
        random: () => Math.random(),
        pause: (milliseconds) => pause(milliseconds, undefined, { signal }),
      })
    } catch (thrown) {
      if (thrown instanceof PassingAnswer) return thrown.fetched
      throw thrown
    }
  }

  async #follow(first: URL, request: Asked): Promise<Fetched> {
    let url = first
    for (let hop = 0; hop <= this.#settings.redirects; hop++) {
      const answer = await this.#turn(url, request)
      const location = isRedirect(answer.status) ? answer.header('location') : ''
      if (location === '') return { ...answer, url }
      url = pageAddress(location, url)
    }
    throw new PageProblem(`The page redirects more than ${this.#settings.redirects} times.`)
  }

  async #turn(url: URL, request: Asked): Promise<Answer> {
    const delay = await request.admit(url)
    using _host = await this.#hosts.take(url.hostname, delay, this.#signal)
    using _turn = await this.#slots.take(this.#signal)
    if (request.left <= 0) throw new PageProblem('Loading the page took too long and was stopped.')
    const began = performance.now()
    try {
      const { most, reads, left: timeout } = request
      const parts = { agent: this.#agent, settings: this.#settings }
      return await requestOnce(parts, url, { most, reads, timeout, signal: this.#signal })
    } finally {
      request.left -= performance.now() - began
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy()
  }
}

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

/** An answer of the server that a later one may replace. */
class PassingAnswer extends Error {
  readonly fetched: Fetched

  constructor(fetched: Fetched) {
    super(`HTTP ${fetched.status}`)
    this.fetched = fetched
  }
}

const mayChange = ({ status }: Answer): boolean => status === 429 || (status >= 500 && status !== 501 && status !== 505)
