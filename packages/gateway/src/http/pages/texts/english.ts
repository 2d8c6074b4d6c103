/** Generated of the English catalogue: `npx vitest run packages/gateway/src/http/pages -u` writes it again. */
import type { Markup, Tag, Words } from '../markup.ts'

export interface English {
  readonly moment: {
    readonly title: () => Markup
    readonly next: (v: { readonly a: Tag }) => Markup
    readonly going: (v: { readonly host: Words; readonly a: Tag }) => Markup
    readonly send: () => Markup
  }
  readonly notFound: {
    readonly title: () => Markup
    readonly text: () => Markup
    readonly home: (v: { readonly a: Tag }) => Markup
  }
  readonly unavailable: () => Markup
  readonly notBuilt: {
    readonly console: () => Markup
    readonly consoleText: () => Markup
    readonly consoleBuild: () => Markup
    readonly commandLine: () => Markup
  }
  readonly docs: {
    readonly none: () => Markup
    readonly how: () => Markup
    readonly building: () => Markup
    readonly seconds: (v: { readonly seconds: number }) => Markup
    readonly opens: () => Markup
    readonly failed: () => Markup
    readonly why: () => Markup
    readonly folder: () => Markup
  }
  readonly signedInAs: (v: { readonly email: Words }) => Markup
  readonly signIn: {
    readonly title: () => Markup
    readonly email: () => Markup
    readonly password: () => Markup
    readonly submit: () => Markup
    readonly hint: (v: { readonly a: Tag }) => Markup
    readonly provider: (v: { readonly provider: Words }) => Markup
    readonly or: () => Markup
    readonly back: () => Markup
    readonly set: () => Markup
    readonly ended: () => Markup
    readonly atLeast: (v: { readonly shortest: Words }) => Markup
    readonly organization: () => Markup
    readonly begin: (v: { readonly provider: Words }) => Markup
  }
  readonly secondFactor: {
    readonly title: () => Markup
    readonly code: () => Markup
    readonly codeHint: () => Markup
    readonly submit: () => Markup
    readonly passkey: () => Markup
    readonly alone: () => Markup
    readonly failed: () => Markup
    readonly lost: () => Markup
    readonly again: (v: { readonly a: Tag }) => Markup
  }
  readonly setUp: {
    readonly title: () => Markup
    readonly welcome: () => Markup
    readonly code: () => Markup
    readonly codeHint: () => Markup
    readonly name: () => Markup
    readonly submit: () => Markup
  }
  readonly choosePassword: {
    readonly title: () => Markup
    readonly code: () => Markup
    readonly codeHint: () => Markup
    readonly password: () => Markup
    readonly submit: () => Markup
  }
  readonly signedIn: {
    readonly title: () => Markup
    readonly console: () => Markup
    readonly approvals: () => Markup
    readonly accounts: () => Markup
    readonly signOut: () => Markup
  }
  readonly consent: {
    readonly title: (v: { readonly client: Words }) => Markup
    readonly asks: (v: { readonly client: Words }) => Markup
    readonly publisher: (v: { readonly host: Words }) => Markup
    readonly local: (v: { readonly host: Words }) => Markup
    readonly grantedTo: (v: { readonly host: Words }) => Markup
    readonly already: {
      readonly read: () => Markup
      readonly write: () => Markup
      readonly execute: () => Markup
    }
    readonly organization: () => Markup
    readonly organizationIs: (v: { readonly name: Words }) => Markup
    readonly viewer: () => Markup
    readonly tools: (v: { readonly read: number; readonly readExamples: Words; readonly write: number; readonly writeExamples: Words; readonly destructive: number; readonly destructiveExamples: Words; readonly unknown: number; readonly unknownExamples: Words }) => Markup
    readonly read: (v: { readonly count: number }) => Markup
    readonly write: (v: { readonly count: number }) => Markup
    readonly destructive: (v: { readonly count: number }) => Markup
    readonly unknown: (v: { readonly count: number }) => Markup
    readonly access: () => Markup
    readonly limits: {
      readonly read: () => Markup
      readonly write: () => Markup
      readonly execute: () => Markup
    }
    readonly about: {
      readonly read: () => Markup
      readonly write: () => Markup
      readonly execute: () => Markup
    }
    readonly endpoint: (v: { readonly resource: Words }) => Markup
    readonly allow: () => Markup
    readonly allowRead: () => Markup
    readonly deny: () => Markup
    readonly nothing: {
      readonly title: () => Markup
      readonly problem: (v: { readonly email: Words; readonly resource: Words }) => Markup
      readonly hint: () => Markup
      readonly back: () => Markup
    }
    readonly gone: {
      readonly title: () => Markup
      readonly text: () => Markup
      readonly hint: () => Markup
    }
    readonly back: {
      readonly title: () => Markup
      readonly text: (v: { readonly client: Words; readonly a: Tag }) => Markup
    }
    readonly failed: {
      readonly title: () => Markup
      readonly client: (v: { readonly client: Words }) => Markup
      readonly redirect: (v: { readonly client: Words; readonly host: Words }) => Markup
      readonly hint: () => Markup
    }
  }
  readonly connect: {
    readonly title: (v: { readonly title: Words }) => Markup
    readonly failedTitle: (v: { readonly title: Words }) => Markup
    readonly yours: (v: { readonly title: Words }) => Markup
    readonly shared: (v: { readonly organization: Words }) => Markup
    readonly sentTo: (v: { readonly server: Words }) => Markup
    readonly next: (v: { readonly host: Words }) => Markup
    readonly continueTo: (v: { readonly name: Words }) => Markup
    readonly stranger: () => Markup
    readonly noScopes: () => Markup
    readonly scopes: () => Markup
    readonly account: () => Markup
    readonly accountHint: () => Markup
    readonly accountsTaken: (v: { readonly names: Words }) => Markup
    readonly replace: {
      readonly again: (v: { readonly account: Words }) => Markup
      readonly there: (v: { readonly account: Words }) => Markup
      readonly question: (v: { readonly account: Words }) => Markup
    }
    readonly broker: (v: { readonly broker: Words }) => Markup
    readonly app: () => Markup
    readonly client: {
      readonly title: (v: { readonly host: Words }) => Markup
      readonly text: (v: { readonly host: Words; readonly organization: Words }) => Markup
      readonly id: () => Markup
      readonly secret: () => Markup
      readonly secretHint: () => Markup
      readonly submit: () => Markup
      readonly idProblem: () => Markup
      readonly none: (v: { readonly host: Words }) => Markup
      readonly noneHint: (v: { readonly organization: Words; readonly redirect: Words }) => Markup
    }
    readonly key: {
      readonly title: (v: { readonly title: Words }) => Markup
      readonly label: () => Markup
      readonly hint: (v: { readonly header: Words }) => Markup
      readonly submit: () => Markup
    }
    readonly gone: {
      readonly title: () => Markup
      readonly text: () => Markup
      readonly hint: () => Markup
      readonly accounts: () => Markup
    }
    readonly foreign: {
      readonly title: () => Markup
      readonly problem: () => Markup
      readonly text: () => Markup
      readonly signOut: () => Markup
    }
    readonly forbidden: {
      readonly title: () => Markup
      readonly problem: () => Markup
      readonly text: () => Markup
    }
    readonly failed: {
      readonly title: () => Markup
      readonly nothing: () => Markup
      readonly again: () => Markup
    }
  }
  readonly done: {
    readonly title: () => Markup
    readonly failedTitle: () => Markup
    readonly connected: (v: { readonly title: Words }) => Markup
    readonly accountConnected: () => Markup
    readonly close: () => Markup
    readonly errors: {
      readonly missing_code: () => Markup
      readonly missing_state: () => Markup
      readonly invalid_state: () => Markup
      readonly token_exchange_failed: () => Markup
      readonly access_denied: () => Markup
    }
    readonly otherError: (v: { readonly error: Words }) => Markup
    readonly why: (v: { readonly problem: Words }) => Markup
    readonly details: (v: { readonly details: Words }) => Markup
  }
  readonly approval: {
    readonly title: () => Markup
    readonly answeredTitle: () => Markup
    readonly is: (v: { readonly state: Words }) => Markup
    readonly states: {
      readonly pending: () => Markup
      readonly granted: () => Markup
      readonly denied: () => Markup
      readonly expired: () => Markup
      readonly used: () => Markup
    }
    readonly repeats: (v: { readonly uses: number }) => Markup
    readonly tool: () => Markup
    readonly effect: () => Markup
    readonly effects: {
      readonly read: () => Markup
      readonly write: () => Markup
      readonly destructive: () => Markup
      readonly unknown: () => Markup
    }
    readonly connection: () => Markup
    readonly removed: () => Markup
    readonly account: () => Markup
    readonly caller: () => Markup
    readonly with: (v: { readonly caller: Words; readonly client: Words }) => Markup
    readonly requested: () => Markup
    readonly expiresIn: () => Markup
    readonly left: {
      readonly none: () => Markup
      readonly moment: () => Markup
      readonly minutes: (v: { readonly count: number }) => Markup
      readonly hours: (v: { readonly count: number }) => Markup
      readonly days: (v: { readonly count: number }) => Markup
    }
    readonly arguments: () => Markup
    readonly cut: (v: { readonly count: Words }) => Markup
    readonly reason: () => Markup
    readonly rule: (v: { readonly name: Words; readonly scope: Words; readonly approvers: Words }) => Markup
    readonly quorum: (v: { readonly granted: number; readonly quorum: number }) => Markup
    readonly answers: () => Markup
    readonly approved: (v: { readonly by: Words }) => Markup
    readonly denied: (v: { readonly by: Words }) => Markup
    readonly ways: {
      readonly page: () => Markup
      readonly api: () => Markup
      readonly 'command line': () => Markup
      readonly webhook: () => Markup
      readonly client: () => Markup
    }
    readonly note: () => Markup
    readonly noteHint: () => Markup
    readonly grant: () => Markup
    readonly always: () => Markup
    readonly deny: () => Markup
    readonly revoke: () => Markup
    readonly onlyThis: () => Markup
    readonly alwaysHint: () => Markup
    readonly own: () => Markup
    readonly others: () => Markup
    readonly all: () => Markup
    readonly nothing: {
      readonly title: () => Markup
      readonly text: () => Markup
    }
  }
  readonly field: (v: { readonly field: Words; readonly problem: Words }) => Markup
  readonly faults: {
    readonly 'login.wrong': {
      readonly say: () => Markup
      readonly mend: () => Markup
    }
    readonly 'login.limit': {
      readonly say: (v: { readonly seconds: Words }) => Markup
      readonly mend: () => Markup
    }
    readonly 'login.provider': {
      readonly say: (v: { readonly problem: Words }) => Markup
      readonly mend: () => Markup
    }
    readonly 'code.unknown': {
      readonly say: () => Markup
      readonly mend: () => Markup
    }
    readonly 'setup.done': {
      readonly say: () => Markup
      readonly mend: () => Markup
    }
    readonly 'request.csrf': {
      readonly say: () => Markup
      readonly mend: () => Markup
    }
    readonly 'thing.unknown': {
      readonly say: (v: { readonly thing: Words }) => Markup
      readonly mend: () => Markup
    }
    readonly 'flow.unfit': {
      readonly say: (v: { readonly connection: Words; readonly problem: Words }) => Markup
      readonly mend: () => Markup
    }
    readonly 'authority.unreachable': {
      readonly say: (v: { readonly connection: Words; readonly problem: Words }) => Markup
      readonly mend: () => Markup
    }
    readonly 'authority.malformed': {
      readonly say: (v: { readonly connection: Words; readonly problem: Words }) => Markup
      readonly mend: (v: { readonly connection: Words }) => Markup
    }
    readonly 'authority.refused': {
      readonly say: (v: { readonly connection: Words; readonly problem: Words }) => Markup
      readonly mend: () => Markup
    }
    readonly 'upstream.unreachable': {
      readonly say: (v: { readonly connection: Words; readonly problem: Words }) => Markup
      readonly mend: (v: { readonly connection: Words }) => Markup
    }
    readonly 'upstream.needs-auth': {
      readonly say: (v: { readonly connection: Words; readonly problem: Words }) => Markup
      readonly mend: (v: { readonly connection: Words }) => Markup
    }
    readonly 'upstream.timeout': {
      readonly say: (v: { readonly connection: Words; readonly seconds: Words }) => Markup
      readonly mend: () => Markup
    }
    readonly 'approval.over': {
      readonly say: (v: { readonly state: Words }) => Markup
      readonly mend: () => Markup
    }
    readonly 'approval.forbidden': {
      readonly say: (v: { readonly problem: Words }) => Markup
      readonly mend: () => Markup
    }
    readonly 'gateway.not-ready': {
      readonly say: (v: { readonly problem: Words }) => Markup
      readonly mend: () => Markup
    }
    readonly 'database.unavailable': {
      readonly say: (v: { readonly problem: Words }) => Markup
      readonly mend: () => Markup
    }
    readonly 'database.interrupted': {
      readonly say: () => Markup
      readonly mend: () => Markup
    }
    readonly 'vault.closed': {
      readonly say: (v: { readonly problem: Words }) => Markup
      readonly mend: () => Markup
    }
    readonly internal: {
      readonly say: () => Markup
      readonly mend: () => Markup
    }
    readonly 'factor.wrong': {
      readonly say: () => Markup
      readonly mend: () => Markup
    }
    readonly 'factor.late': {
      readonly say: () => Markup
      readonly mend: () => Markup
    }
    readonly 'factor.needed': {
      readonly say: () => Markup
      readonly mend: () => Markup
    }
    readonly 'factor.provider': {
      readonly say: () => Markup
      readonly mend: () => Markup
    }
    readonly 'login.over': {
      readonly say: () => Markup
      readonly mend: () => Markup
    }
  }
  readonly problems: {
    readonly 'must be an email address': () => Markup
    readonly 'must have # to # characters': (v: { readonly '0': Words; readonly '1': Words }) => Markup
    readonly 'it was not started in this browser, or took more than ten minutes': () => Markup
    readonly 'the sign-in that started this has ended: start again in your account': () => Markup
    readonly 'another account here is linked to this identity': () => Markup
    readonly 'your account is linked to another identity of this provider: unlink that one first': () => Markup
    readonly 'this response was already used': () => Markup
    readonly 'its response is not a valid SAML response': () => Markup
    readonly 'its response contains a document type, a comment or other markup that is not accepted': () => Markup
    readonly 'its response answers no sign-in that was started here: start at the sign-in page, not at the provider': () => Markup
    readonly 'it did not sign you in': () => Markup
    readonly 'its assertion is encrypted: turn off the encryption of assertions there': () => Markup
    readonly 'its assertion is not signed: let it sign assertions, not only responses': () => Markup
    readonly 'its response has more than one assertion or signature, or has one in the wrong place': () => Markup
    readonly 'it signs with an algorithm that is not accepted, such as SHA-#: let it sign with RSA and SHA-#': (v: { readonly '0': Words; readonly '1': Words }) => Markup
    readonly 'its signature does not match the certificates of this provider: compare them with its current one': () => Markup
    readonly 'its response is from another provider: compare the entity id': () => Markup
    readonly 'its response is for another address: compare the assertion consumer service (ACS) there': () => Markup
    readonly 'its assertion is for another application: compare the audience there with the entity id of this gateway': () => Markup
    readonly 'its response answers another sign-in: start again': () => Markup
    readonly 'its assertion is not valid at this time: start again, and compare the clocks of both sides': () => Markup
    readonly 'it does not say who you are: let it send a name id that stays the same for a person': () => Markup
    readonly 'none is set': () => Markup
    readonly 'it cannot be reached, or its discovery document is not valid': () => Markup
    readonly 'this gateway has no client ID there': () => Markup
    readonly 'its response is not valid': () => Markup
    readonly 'this account is not active': () => Markup
    readonly 'it does not say that your email address is verified': () => Markup
    readonly 'nobody has set up this installation yet': () => Markup
    readonly 'nobody with this email has been added here': () => Markup
    readonly 'this email address uses another sign-in method': () => Markup
    readonly 'signing in took longer than ten minutes': () => Markup
    readonly 'the link works only once and was already used': () => Markup
    readonly 'sign-in started in another browser, or this browser did not store the cookie': () => Markup
    readonly 'no sign-in was in progress': () => Markup
    readonly 'the code or the state is missing from the response': () => Markup
    readonly 'the URL of the connection changed in the meantime, and an account is valid for one URL only': () => Markup
    readonly 'the authentication of the connection changed in the meantime': () => Markup
    readonly 'the user who started it is no longer allowed to': () => Markup
    readonly 'an account is connected already, and it is not known whether this is the same one, so nothing was replaced; reconnect that account, or disconnect it first': () => Markup
    readonly 'the connection no longer exists, or no longer uses accounts': () => Markup
    readonly 'the authorization server refused the client or the access that it requested': () => Markup
    readonly 'the authorization server cannot be reached; try again in a moment': () => Markup
    readonly 'the authorization server sent an invalid response': () => Markup
    readonly 'it uses a key, not an account': () => Markup
    readonly 'it does not accept a key': () => Markup
    readonly 'a key must be one line of letters, digits and symbols': () => Markup
    readonly 'it is reached in a way that does not use accounts': () => Markup
    readonly 'it is turned off': () => Markup
    readonly 'it is set to use its own headers only': () => Markup
    readonly 'it has an Authorization header of its own': () => Markup
    readonly 'it has one account, which belongs to the organization': () => Markup
    readonly 'each member has their own account': () => Markup
    readonly 'it has no default user to connect an account for': () => Markup
    readonly 'its settings do not specify a toolkit to connect an account for': () => Markup
    readonly 'an account name must have at most # lowercase letters, digits, _ and -, and start with a letter or digit': (v: { readonly '0': Words }) => Markup
    readonly 'this tool needs approval every time': () => Markup
    readonly 'nobody can approve their own call': () => Markup
    readonly 'only members of the organization can answer it': () => Markup
    readonly 'your organization wants you to sign in at its own identity provider': () => Markup
    readonly 'this account administers the installation, so it cannot be used with a provider of an organization': () => Markup
    readonly 'an organization made this account, and nothing has proven yet that its email address is yours': () => Markup
    readonly 'the organization of your email address requires its own identity provider': () => Markup
    readonly 'it does not exist, or is disabled': () => Markup
    readonly 'your membership in this organization is suspended': () => Markup
    readonly 'nobody has added you to this organization, and none of your groups gives access': () => Markup
    readonly 'nobody has added you here and none of your groups gives access, or this address has an account here: then the organization has to prove its domain first': () => Markup
    readonly 'a user with this email has just been added: try again': () => Markup
    readonly 'this trial has expired: start it again': () => Markup
    readonly 'its tokens are not accepted here': () => Markup
    readonly 'its token is not valid': () => Markup
    readonly 'its logout token is not valid': () => Markup
    readonly 'the assertion of the gateway in front is too long': () => Markup
    readonly 'the keys of the gateway in front cannot be read now: try again later': () => Markup
    readonly 'the assertion of the gateway in front is not valid': () => Markup
  }
  readonly trial: {
    readonly title: () => Markup
    readonly text: (v: { readonly provider: Words }) => Markup
    readonly role: (v: { readonly role: Words }) => Markup
    readonly noRole: () => Markup
    readonly groups: (v: { readonly groups: Words }) => Markup
    readonly claims: () => Markup
  }
  readonly findProvider: {
    readonly title: () => Markup
    readonly text: () => Markup
    readonly submit: () => Markup
    readonly unknown: () => Markup
  }
}
