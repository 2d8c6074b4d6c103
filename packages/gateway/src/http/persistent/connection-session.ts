/** The session of a legacy client on a persistent connection: opened once, used by this connection alone, and ended with it. */
import { Fault } from '@toolway/contract'
import { responseOf, type Request } from '@toolway/protocol'
import type { AuditEntryBuilder } from '../../call/audit-entry.ts'
import { createListChangeDetector } from '../../call/discovery/difference.ts'
import type { RequestDispatcher } from '../../call/dispatch.ts'
import type { Changes } from '../../catalog/changes.ts'
import type { Session, Sessions } from '../../sessions/sessions.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { Answer } from '../../upstreams/upstream.ts'

export interface ConnectionSessionParts {
  readonly dispatcher: Pick<RequestDispatcher, 'initialize'>
  readonly sessions: Sessions
  readonly changes: Changes
}

/** The connection, as its session needs it. */
interface PersistentConnection {
  send(message: object): number
  close(reason: Fault): void
  isEnded(): boolean
}

export class ConnectionSession {
  readonly #parts: ConnectionSessionParts
  readonly #connection: PersistentConnection
  #opened: { readonly session: Session; readonly owner: string; stopHearing(): void } | undefined
  /** A session is being opened, which takes a moment where requests are counted elsewhere. */
  #opening = false

  constructor(parts: ConnectionSessionParts, connection: PersistentConnection) {
    this.#parts = parts
    this.#connection = connection
  }

  get opened(): Session | undefined {
    return this.#opened?.session
  }

  /** The client's session, as long as it exists; each use keeps it alive. */
  of({ owner }: RequestContext): Session | undefined {
    return this.#opened === undefined ? undefined : this.#parts.sessions.get(owner, this.#opened.session.id)
  }

  open(request: Request, requestContext: RequestContext, audit: AuditEntryBuilder): Promise<void> | void {
    if (this.#opened !== undefined || this.#opening) throw new Fault('session.open')
    const begun = this.#parts.dispatcher.initialize(requestContext, request)
    if (!(begun instanceof Promise)) return this.#hold(request, requestContext, audit, begun)
    this.#opening = true
    return begun.then((made) => this.#hold(request, requestContext, audit, made)).finally(() => (this.#opening = false))
  }

  #hold(
    request: Request,
    requestContext: RequestContext,
    audit: AuditEntryBuilder,
    { answer, session }: { answer: Answer; session: Session },
  ): void {
    // The line may have ended while the opening was counted.
    if (this.#connection.isEnded()) return this.#parts.sessions.end(requestContext.owner, session.id)
    audit.note({ eraClient: session.revision, bytesOut: this.#connection.send(responseOf(request, answer)) })
    session.stream = (message) => void this.#connection.send(message)
    const listsDiffer = createListChangeDetector(requestContext, session.caller, session.announced)
    const stopHearing = this.#parts.changes.listen(requestContext.organizationId, {
      sees: (connectionId) => requestContext.sees(connectionId),
      onChange: (kind) => {
        if (listsDiffer(kind))
          void this.#connection.send({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` })
      },
    })
    this.#opened = { session, owner: requestContext.owner, stopHearing }
    // Somebody else may end it: one that is needed more, or whoever runs the gateway.
    session.ended.signal.addEventListener('abort', () => this.#connection.close(new Fault('session.unknown')), {
      once: true,
    })
  }

  /** Ends the calls of its batches, too. */
  end(): void {
    if (this.#opened === undefined) return
    const { session, owner, stopHearing } = this.#opened
    stopHearing()
    session.stream = undefined
    if (!session.ended.signal.aborted) this.#parts.sessions.end(owner, session.id)
  }
}
