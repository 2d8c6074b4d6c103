/** The description of the operations, for programs (OpenAPI) and for people (a page). */
export { describedBy } from './reference.operations.ts'
