/** The agent of an organization: its model, and runs that call tools for a member, with a key of that member's (ADR 0075, ADR 0116). */
export { localAgent, startAgent } from './agent.start.ts'
export { agentOperations as operations } from './agent.operations.ts'
