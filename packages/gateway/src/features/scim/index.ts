/**
 * SCIM (RFC 7643, 7644; ADR 0142): an organization's identity provider makes, suspends and removes its members and fills its groups.
 * This is what the rest of the gateway may use of it; its commands are loaded by the command line alone.
 */
export { scimOperations as operations } from './scim.operations.ts'
export { loadSchemas } from './schemas.ts'
export { findScimTokenByHash, noteScimTokenUsed, SCIM_TOKEN_FORM } from './scim-tokens.rows.ts'
export { MOST_BODY } from './service.ts'
export { refusalOf, serveScim, type ScimAnswer } from './serve-scim.ts'
