/** A reason why one page was not saved, as a sentence for the model. It never ends the crawl of the other pages. */
export class PageProblem extends Error {
  override readonly name = 'PageProblem'
  /** Whether the same request may succeed a little later. */
  readonly passing: boolean
  /** Milliseconds that the server asked to be left alone for. */
  readonly retryAfter: number | undefined

  constructor(message: string, { passing = false, retryAfter, cause }: ProblemOptions = {}) {
    super(message, { cause })
    this.passing = passing
    this.retryAfter = retryAfter
  }
}

interface ProblemOptions {
  readonly passing?: boolean
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}
