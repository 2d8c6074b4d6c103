/**
 * A workbench: a remote sandbox with files below `/home/user`. Files are carried to and from it in parts, so that a transfer of any size
 * takes constant memory and can go on where it ended. Drivers: Composio's (`composio-workbench.ts`) and any MCP server that runs code
 * (`own-workbench.ts`).
 */
import type { RemotePath } from '../files/paths.ts'

export interface RemoteFile {
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
}

/** How one operation is carried out. */
export interface Doing {
  /** Aborted when the caller gives up. */
  readonly signal: AbortSignal
}

export interface Workbench {
  /** Names the sandbox, where it is one of several. */
  readonly session: string | undefined
  /** Bytes of one part, at first; a part that is refused as too large is sent in smaller ones. */
  readonly parts: { readonly write: number; readonly read: number }
  /** Undefined where there is no file. Throws a `Refusal` for a folder. */
  stat(path: RemotePath, doing: Doing): Promise<RemoteFile | undefined>
  /** The leftovers of an upload that ended; undefined where there are none. */
  statPart(path: RemotePath, doing: Doing): Promise<RemoteFile | undefined>
  /** Writes at `offset` of the hidden part and cuts off what was behind it: the same call twice does the same. */
  writePart(path: RemotePath, offset: number, bytes: Uint8Array, doing: Doing): Promise<void>
  /** Checks size and hash of the part on the remote side and puts it in the place of the file in one step. */
  finish(path: RemotePath, expected: RemoteFile, doing: Doing): Promise<void>
  /** Bytes from `offset` on, fewer at the end. Their hash is checked. */
  readPart(path: RemotePath, offset: number, size: number, doing: Doing): Promise<Uint8Array>
  /** The whole of a small file, by a way of its own; undefined where the driver has none. */
  readonly fetchWhole?: (path: RemotePath, doing: Doing) => Promise<WholeFile>
}

/** A file as a driver got it at once. */
export type WholeFile =
  /** Whether a text is the content or its base64 is not said; the hash tells. */
  | { readonly kind: 'content'; readonly candidates: readonly Uint8Array[] }
  /** Bytes as they come; `close` in any case. */
  | { readonly kind: 'stream'; readonly bytes: AsyncIterable<Uint8Array> }

/** Where workbenches come from: the `client` of a `WorkbenchBridge`. */
export interface WorkbenchClient {
  /** @param session one that is there already; else one is made, or the last one is used. */
  open(user: string | undefined, session: string | undefined, doing: Doing): Promise<Workbench>
  /** The session of this user has ended: it is not used again. */
  forget?(user: string | undefined, session: string): Promise<void>
}
