/** Every operation of the admin interface. The door serves these, and nothing else below /api/v1. */
import { organizationOperations } from './organizations.ts'
import type { Served } from './serve.ts'

export const OPERATIONS: readonly Served[] = [...organizationOperations]
