/** People: how they sign in, come to a password and stay signed in, and what being a member of an organization or a group brings. */
import type { Served } from '../../operations/serve.ts'
import { authOperations, type AuthParts } from './auth.operations.ts'
import { userOperations, type UserParts } from './users.operations.ts'

export { startPeople, type People } from './people.start.ts'
export type { Enrolment } from './enrolment.ts'
export { methodsOf } from './sign-in.ts'
export type { SignIn, Tokens, WebCookies } from './sign-in.ts'
export type { SecondStep } from './second-step.ts'
export type { SecondFactors } from './second-factor-port.ts'
export { createSealedSteps } from './sealed-steps.ts'
export { refuseOldSignIn, type FreshSignInParts } from './fresh-sign-in.ts'
export { changeRole, join, joinAs, nameOf, provideMember, removeMembership, type MemberSeals } from './members.ts'
export {
  joinGroup,
  leaveGroup,
  putGroup,
  removeGroup,
  withMembers,
  type ChangedGroup,
  type GroupWithMembers,
} from './groups.ts'
export { toCode } from './users.operations.ts'

export const operations: readonly Served<AuthParts & UserParts>[] = [...authOperations, ...userOperations]
