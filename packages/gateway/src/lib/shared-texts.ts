/** A cache that several gateways share: texts that one fetched and the others need not fetch again. */

export interface SharedTexts {
  /** Undefined where nothing is kept, or the cache does not answer. Never rejects. */
  load(name: string): Promise<string | undefined>
  /** Keeps a text for so many milliseconds. Nobody waits for it, and a failure is only that it is not kept. */
  keep(name: string, text: string, milliseconds: number): void
}
