/** The agent of an organization: its model, and runs that call tools for a member, with a key of that member's (ADR 0075, ADR 0116). */
export { createAgentQueue, type AgentLimits } from './agent-queue.ts'
export { agentOperations, type AgentParts } from './agent.operations.ts'
export { createSharedPlaces, type SharedLimits } from './shared-places.rows.ts'
