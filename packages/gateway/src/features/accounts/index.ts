/** Accounts at vendors that people and organizations connect: how they are connected, listed, renewed and ended. */
import { accountOperations } from './accounts.operations.ts'
import { oauthOperations } from './oauth.operations.ts'
import { connectOperations } from './connect.operations.ts'

export { startAccounts } from './accounts.start.ts'
export { brokeredBy } from './brokered-by.ts'
export type { Connect } from './connect.start.ts'
export { startCredentials, type Credentials } from './credentials.start.ts'

export const operations = [...accountOperations, ...oauthOperations, ...connectOperations]
