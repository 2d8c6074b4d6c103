/** A request that is refused, in a sentence for whoever asked. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: 'INVALID_ARGUMENT' | 'NOT_FOUND' | 'TOO_LARGE'
  /** For programs, beside the sentence: becomes the structured content of the error result. */
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(message: string, code: Refusal['code'] = 'INVALID_ARGUMENT') {
    super(message)
    this.code = code
    this.details = undefined
  }
}
