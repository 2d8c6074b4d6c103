/**
 * Messages of clients that come to one process of a port and are for another, which no balancer keeps apart by a header there: answers
 * and `cancelled` of a legacy session, whose call runs in the process that was asked for it, and what is posted to a stream of
 * HTTP+SSE. They go over the channel of the processes and are written down nowhere.
 */
import { type Message, isResponse } from '@toolway/protocol'
import { cancelNamedRequest, settleQuestion } from './request-channel.ts'
import type { PostedMessage } from '../persistent/sse-door.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { ProcessPlace } from '../../lib/process-place.ts'

const SESSION = 'message of a session'
const STREAM = 'message to a stream'

interface SessionMessage {
  readonly owner: string
  readonly session: string
  readonly message: Message
}

export interface ProcessMessages {
  /** Whether another process had the session's call is not known: it is told, and nothing waits for it. */
  tell(owner: string, session: string, message: Message): void
  /** Whether another process has the stream and took the message. */
  post(posted: PostedMessage): Promise<boolean>
  /** How this process takes what others were sent. */
  onPost(take: (posted: PostedMessage) => Promise<boolean>): void
}

export function createProcessMessages(place: ProcessPlace, sessions: Pick<Sessions, 'get' | 'holds'>): ProcessMessages {
  place.answer(SESSION, (facts) => {
    const { owner, session: id, message } = facts as SessionMessage
    if (!sessions.holds(id)) return
    const session = sessions.get(owner, id)
    if (isResponse(message)) settleQuestion(session, message)
    else if ('method' in message) cancelNamedRequest(session, message)
  })
  return {
    tell: (owner, session, message) => void place.ask(SESSION, { owner, session, message } satisfies SessionMessage),
    post: async (posted) => (await place.ask(STREAM, posted)).includes(true),
    onPost: (take) => place.answer(STREAM, (facts) => take(facts as PostedMessage)),
  }
}
