/** People: how they sign in, come to a password and stay signed in, and what being a member of an organization or a group brings. */
export { createEnrolment, type Enrolment } from './enrolment.ts'
export { createSignIn, type SignIn, type SignInParts, type Tokens, type WebCookies } from './sign-in.ts'
export { createPasswordFits, refuseOldSignIn, type FreshSignInParts } from './fresh-sign-in.ts'
export { changeRole, join, joinAs, removeMembership } from './members.ts'
export {
  joinGroup,
  leaveGroup,
  putGroup,
  removeGroup,
  withMembers,
  type ChangedGroup,
  type GroupWithMembers,
} from './groups.ts'
export { authOperations, type AuthParts } from './auth.operations.ts'
export { toCode, userOperations, type UserParts } from './users.operations.ts'
