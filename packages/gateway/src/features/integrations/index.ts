/** Integrations: connections in the words of source systems, and the catalog of what can be connected (ledger S2-API, U-30). */
export { integrationOperations as operations } from './integrations.operations.ts'
