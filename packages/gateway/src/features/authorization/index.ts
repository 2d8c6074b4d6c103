/** Authorization: the clients of our own authorization server, what people allowed them, and the removal of what has run out. */
export { oauthClientOperations } from './oauth-clients.operations.ts'
export { grantOperations } from './grants.operations.ts'
export { createCleanOAuth } from './clean-oauth.job.ts'
