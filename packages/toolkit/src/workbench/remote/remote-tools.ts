/** Remote tools by their slugs, whatever way leads to them: Composio's REST interface, or an MCP endpoint. */
import type { Doing } from '../workbench.ts'

export interface RemoteCall extends Doing {
  readonly user: string | undefined
  /** Of Composio's tool router; undefined: none, or the other end keeps it. */
  readonly session: string | undefined
  /** The tool's progress, where the way can tell of it. */
  onProgress?(message: string): void
}

export interface RemoteTools {
  /** Bytes that one call can carry there and back. */
  readonly parts: { readonly write: number; readonly read: number }
  /** A session for a user; undefined where the other end keeps sessions itself. */
  openSession(user: string | undefined, doing: Doing): Promise<string | undefined>
  forgetSession(user: string | undefined, session: string): Promise<void>
  /** Resolves with the tool's `data`. Throws a `RemoteFailure` in the words of the tool where it says `successful: false`. */
  call(slug: string, input: Readonly<Record<string, unknown>>, call: RemoteCall): Promise<unknown>
}
