/**
 * Declarations (ADR 0056): an installation as a file, and a file made true. There is one plan and one set of operations; a start carries
 * them out in transactions, `toolway apply` one by one.
 */
export { applyPlan } from './apply.ts'
export type { Call } from './call.ts'
export { DeclarationConflict } from './conflict.ts'
export { declare, withdraw } from './declare.operations.ts'
export type { Declared, DeclaredConnection, DeclaredKey, DeclaredProvider } from './declared.ts'
export { planOf, type Plan } from './plan.ts'
export { readOrganizations, readPlatformProviders, readPlatformRules, readPresent, type Present } from './present.ts'
export { APPLY, type Step } from './steps.ts'
export { partsOfDeclared } from './declared-parts.operations.ts'
export { written, type Written } from './written.ts'
