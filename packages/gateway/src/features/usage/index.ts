/** Usage: how many calls there were and how they ended, counted behind the records (ADR 0129), and the service levels of connections. */
export { createKeepUsage } from './keep-usage.job.ts'
export { serviceLevelOperations } from './service-levels.operations.ts'
export { usageOperations } from './usage.operations.ts'
