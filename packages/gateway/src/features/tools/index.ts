/** The tools of an organization over all its connections: found, counted in tokens, picked for toolsets, and listed as a caller sees them. */
export { organizationToolOperations as operations } from './tools.operations.ts'
