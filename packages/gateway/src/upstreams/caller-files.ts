/**
 * The stored files of one caller, as upstreams use them: what a call refers to is opened for its caller alone, and what a server gives
 * is stored for it. Throws `file.*`.
 */
export interface FileFacts {
  readonly id: string
  /** `toolway://files/<id>`. */
  readonly uri: string
  readonly name: string
  readonly mediaType: string
  /** Bytes. */
  readonly size: number
}

export interface CallerFiles {
  /** Throws `file.unknown` for what is not a file of the caller. */
  find(uri: string): Promise<FileFacts>
  /** All of the content, read once. Throws as `find` does. */
  open(uri: string): Promise<AsyncIterable<Uint8Array>>
  /**
   * Stores content that a server gave. Absent where a rule takes members out of results: nothing may then be stored before the result
   * is reduced.
   */
  readonly put?: (
    file: Pick<FileFacts, 'name' | 'mediaType'> & { readonly size?: number | undefined },
    content: AsyncIterable<Uint8Array>,
  ) => Promise<FileFacts>
}

/** The link to a stored file, as content of a result. */
export const linkTo = ({ uri, name, mediaType, size }: FileFacts) => ({
  type: 'resource_link',
  uri,
  name,
  mimeType: mediaType,
  size,
})
