/**
 * Keeping catalogs: the lists that connections offer, asked for by the clock and on demand, compared with what was accepted before, and
 * whether their servers answer (ADR 0048). The noun `catalog/` has what is stored of them, and what lists are made of it.
 */
export { startCatalogs, type Catalogs } from './catalogs.start.ts'
export { createContacts } from './contacts.ts'
export { createFollowLoads, watchedOf } from './follow-loads.start.ts'
export { createMemoryContacts } from './memory-contacts.ts'
export { createLookClaims } from './look-claims.ts'
