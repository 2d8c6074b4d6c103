/** Runtime: gateways, processes, sessions, pooled connections, logs and settings, as platform administrators see and end them. */
import { processOperations } from './processes.operations.ts'
import { logOperations } from './logs.operations.ts'
import { poolOperations } from './pool.operations.ts'
import { sessionOperations } from './sessions.operations.ts'
import { gatewayOperations } from './gateways.operations.ts'
import { settingOperations } from './settings.operations.ts'
import { statsOperations } from './stats.operations.ts'

export { startGateway } from './gateway.start.ts'
export type { KeepSessions } from './keep-sessions.job.ts'
export { startMemorySessions } from './memory-sessions.start.ts'
export { runtimeOf, stillRuntime } from './runtime.start.ts'
export { pageReadsOf, startSessions, startSharedStreams } from './sessions.start.ts'

export const operations = [
  ...processOperations,
  ...logOperations,
  ...poolOperations,
  ...sessionOperations,
  ...gatewayOperations,
  ...settingOperations,
  ...statsOperations,
]
