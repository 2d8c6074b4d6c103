/** Accounts at vendors that people and organizations connect: how they are connected, listed, renewed and ended. */
export { createRenewCredentials, type RenewCredentials } from './renew-credentials.job.ts'
export type { AdminConnect } from './admin-connect.ts'
export { accountOperations } from './accounts.operations.ts'
export { connectOperations } from './connect.operations.ts'
export { oauthOperations } from './oauth.operations.ts'
export type { AccountParts } from './serve.operations.ts'
