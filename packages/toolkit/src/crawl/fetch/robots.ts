/**
 * Rules of sites for robots (RFC 9309). Each host's robots.txt is read once for a run, through the same guarded requests as pages. A
 * file that is not there allows everything; one that cannot be read allows nothing.
 */
import robotsParser from 'robots-parser'
import { PageProblem } from '../page-problem.ts'
import type { Answer } from './request.ts'

/** A CommonJS module whose types say that it is another kind. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default

/** RFC 9309, section 2.5: at least this much of a file is read; what is beyond does not count. */
export const MOST_ROBOTS = 500 * 1024
/** Characters of lines with wildcards, whose comparison costs their length times that of the address. */
const MOST_WILDCARDS_CHARACTERS = 64 * 1024

export interface RobotsRules {
  isAllowed(url: URL): boolean
  /** Milliseconds between two requests. */
  readonly delay: number
}

/** The name that groups of a robots.txt know this crawler by: "toolway-toolkit" in `Mozilla/5.0 (compatible; toolway-toolkit/1.0)`. */
export function robotsNameOf(userAgent: string): string {
  const compatible = /\(compatible; *([^/;) ]+)/.exec(userAgent)?.[1]
  return compatible ?? userAgent.split('/', 1)[0]?.trim() ?? '*'
}

const rulesOf = (delay: number, isAllowed: RobotsRules['isAllowed']): RobotsRules => ({ delay, isAllowed })
const ALL = rulesOf(0, () => true)
const NOTHING = rulesOf(0, () => false)

export function readRobots(url: URL, answer: Answer, name: string, longestDelay: number): RobotsRules {
  if (answer.status >= 500) return NOTHING
  if (answer.status >= 400) return ALL
  const text = answer.body.toString('utf8').replace(/^\uFEFF/, '')
  const wildcards = text.split(/[\r\n]+/).filter((line) => line.includes('*', line.indexOf(':') + 1))
  const starred = wildcards.filter((line) => !/^\s*user-agent/i.test(line))
  if (starred.reduce((sum, line) => sum + line.length, 0) > MOST_WILDCARDS_CHARACTERS) return NOTHING
  const rules = parseRobots(url.href, text)
  const delay = Math.min(longestDelay, Math.max(0, (rules.getCrawlDelay(name) ?? 0) * 1000))
  return rulesOf(delay, (page) => rules.isAllowed(page.href, name) !== false)
}

export class Robots {
  readonly #read: (robots: URL) => Promise<RobotsRules>
  readonly #known = new Map<string, Promise<RobotsRules>>()

  constructor(read: (robots: URL) => Promise<RobotsRules>) {
    this.#read = read
  }

  /** The pause between requests to the host. Throws a `PageProblem` where the site does not allow the page. */
  async admit(url: URL): Promise<number> {
    const known = this.#known.get(url.origin) ?? this.#read(new URL('/robots.txt', url))
    this.#known.set(url.origin, known)
    const rules = await known
    if (rules.isAllowed(url)) return rules.delay
    throw new PageProblem(
      rules === NOTHING
        ? 'The site’s robots.txt cannot be read, so the page is not fetched (setting --robots).'
        : 'The site’s robots.txt does not allow this page (setting --robots).',
    )
  }
}
