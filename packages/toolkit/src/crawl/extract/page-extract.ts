/** A page to be read, and what was read of it. */
import type { PageForm } from '../media-type.ts'

export interface Extract {
  readonly title: string
  readonly description: string
  /** As the page says it; empty where it does not. */
  readonly date: string
  /** Markdown. */
  readonly text: string
  readonly words: number
}

export interface ExtractTask {
  readonly form: PageForm
  readonly contentType: string
  readonly url: string
  readonly body: Uint8Array
}
