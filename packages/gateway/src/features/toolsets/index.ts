/** Toolsets: how people choose which tools an endpoint lists. What a toolset is, for a call too, is the noun `toolsets/`. */
export { toolsetOperations as operations } from './toolsets.operations.ts'
