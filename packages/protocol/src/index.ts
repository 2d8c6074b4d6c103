export type { McpRequest, Caller } from './mcp-request.ts'
export { adaptTool, STRUCTURED_SINCE, wrapsOutput } from './bridge/definitions.ts'
export { askableOf, nextRound, questionsOf } from './bridge/questions.ts'
export { adaptError, adaptResult, wantsInput } from './bridge/results.ts'
export type { Crossing } from './bridge/results.ts'
export { aroundDigits, ExactNumber, findRounded, withDigits, withDigitsAsText } from './exact.ts'
export { readDefinition, type Definition } from './reading/definitions.ts'
export { readResult, REPAIRED } from './reading/results.ts'
export { canonicalJson, membersOf } from './canonical.ts'
export {
  eraOf,
  isLegacyRevision,
  isRevision,
  MODERN,
  negotiate,
  NEWEST_LEGACY,
  REVISIONS,
  takesBatches,
  UNSTATED,
} from './era.ts'
export type { Era, LegacyRevision, Revision } from './era.ts'
export { readInitialize, strangerOf, writeInitialized } from './eras/legacy/initialize.ts'
export type { Introduction, Opening } from './eras/legacy/initialize.ts'
export {
  CAPABILITIES_KEY,
  CLIENT_KEY,
  hasEnvelope,
  LOG_LEVEL_KEY,
  readEnvelope,
  SERVER_KEY,
  stripEnvelope,
  SUBSCRIPTION_KEY,
  VERSION_KEY,
  writeEnvelope,
} from './eras/modern/envelope.ts'
export {
  checkHeaders,
  checkParameterHeaders,
  encodeHeader,
  headerParameters,
  headersFor,
} from './eras/modern/headers.ts'
export type { HeaderParameter, HeaderReader } from './eras/modern/headers.ts'
export {
  APPS,
  APPS_SETTINGS,
  declares,
  extensionsOf,
  isAppOnly,
  isForApps,
  keepExtensions,
  TASKS,
} from './extensions.ts'
export { isObject, isShallow, MAX_DEPTH, parseJson } from './json.ts'
export type { Json, JsonObject } from './json.ts'
export { isLevel, LEVELS, reachesLevel } from './levels.ts'
export {
  idOf,
  isFailure,
  isNotification,
  isRequest,
  isResponse,
  metaOf,
  progressTokenOf,
  readMessage,
  responseOf,
} from './message.ts'
export type { ErrorBody, Failure, Id, Message, Notification, Request, Response, Success } from './message.ts'
export { joinName, joinNameApart } from './names.ts'
export { eventOf, eventOfText, KEEP_ALIVE, primingEvent } from './sse.ts'
export {
  carriesTask,
  isOver,
  legacyTask,
  modernQuestion,
  modernTask,
  relateQuestions,
  renameRelated,
  renameTask,
  withRelated,
} from './tasks.ts'
export {
  readTraceparent,
  traceHeaders,
  tracestateOf,
  withoutBaggage,
  withTrace,
  withTraceparent,
  writeTraceparent,
  type TraceParent,
} from './trace.ts'
export { joinUri, PAGE_MEMBERS, rewriteResult, rewriteToolMeta, splitUri } from './uris.ts'
