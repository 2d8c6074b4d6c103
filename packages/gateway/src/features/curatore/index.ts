/**
 * The preset `curatore` (source system S1): a gateway without a database whose one organization is what policy files say, which are
 * watched. In a declaration file, `preset-curatore.ts` makes it one organization of several.
 */
export { refuseDeclared, refuseUnready } from './curatore.ts'
export { startCuratore, type Curatore } from './curatore.start.ts'
export type { Policies } from './policies.ts'
