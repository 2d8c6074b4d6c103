/** The MCP client of both eras: requests, sessions and channels over transports that their owners bring. */
export {
  errorAnswer,
  header,
  hearUntil,
  isInitializeRefused,
  isSameId,
  isStreamType,
  lost,
  malformedUpstream,
  maskedResult,
  readAs,
  readEvent,
} from './answer.ts'
export { callOn } from './channel-call.ts'
export { createChannel } from './channel.ts'
export type { Channel } from './channel.ts'
export { createEventStream, EventTooLarge } from './event-stream.ts'
export type { EventStream } from './event-stream.ts'
export { createFetchTransport } from './fetch-transport.ts'
export { discover as discoverOn, initialize as initializeOn } from './greeting.ts'
export { initialize, InitializeRefused, openLegacySession, sessionOf, StreamTaken } from './legacy-session.ts'
export type { LegacySession, OpenOptions } from './legacy-session.ts'
export { createLogLevel } from './log-level.ts'
export type { LogLevel } from './log-level.ts'
export {
  checkEnvelope,
  discover,
  exchange,
  hearAcknowledged,
  listen,
  listenRequest,
  NOBODY,
  OWN_CAPABILITIES,
  TASKED,
} from './modern.ts'
export type { ListenOptions } from './modern.ts'
export { openPipeSession } from './pipe-session.ts'
export type { Pipe, PipeEventSink } from './pipe.ts'
export {
  changedList,
  forCaller,
  HUMAN,
  isMore,
  LIST_KINDS,
  MOST_QUESTIONS,
  PROGRESS,
  REPEATABLE,
  tokenOf,
} from './request.ts'
export type {
  Answer,
  ClientRequest,
  CredentialHeaders,
  ListKind,
  ServerInfo,
  ProgressHandle,
  SessionRequest,
} from './request.ts'
export { SessionLost, withLossSign } from './session-loss.ts'
export type { SessionDoubt } from './session-loss.ts'
export type { Incoming, Outgoing, Peer, Transport } from './transport.ts'
