/** Usage: how many calls there were and how they ended, counted behind the records (ADR 0129), and the service levels of connections. */
import { usageOperations } from './usage.operations.ts'
import { serviceLevelOperations } from './service-levels.operations.ts'

export { createKeepUsage } from './keep-usage.job.ts'

export const operations = [...usageOperations, ...serviceLevelOperations]
