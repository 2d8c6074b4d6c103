/** Declarations: a start writes what a declaration file says to the database. */
export type { DeclaredGroup } from './declare-groups.ts'
export { DeclarationConflict, type Declaration, type DeclaredKey, declare, withdraw } from './declare.ts'
