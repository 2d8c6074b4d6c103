/** Authorization: the clients of our own authorization server, what people allowed them, and the removal of what has run out. */
import { grantOperations } from './grants.operations.ts'
import { oauthClientOperations } from './oauth-clients.operations.ts'

export { startAuthorization } from './authorization.start.ts'

export const operations = [...grantOperations, ...oauthClientOperations]
