/** What a declaration file says, written to the database by a start. */
export type { DeclaredGroup } from './declare-groups.ts'
export { DeclarationConflict, type Declaration, type DeclaredKey, declare, withdraw } from './declare.ts'
