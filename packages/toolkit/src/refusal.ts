/** A request that is refused, in a sentence for whoever asked. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: 'INVALID_ARGUMENT' | 'NOT_FOUND' | 'TOO_LARGE'

  constructor(message: string, code: Refusal['code'] = 'INVALID_ARGUMENT') {
    super(message)
    this.code = code
  }
}
