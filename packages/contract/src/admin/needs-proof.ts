/**
 * The operations that weaken security, by their ids: a person who calls one has to have proven lately who they are, by a sign-in or by
 * a confirmation (`proveAgain`). Keys, which no person confirms, are not asked. The one list of them.
 */
export const NEEDS_PROOF: ReadonlySet<string> = new Set([
  // Exports, retention and destinations of records.
  ...['exportAudit', 'exportOrganizationAudit', 'pruneRecords', 'redactRecord', 'setPayloadSetting'],
  ...['addRecordStream', 'changeRecordStream', 'removeRecordStream'],
  ...['addInstallationRecordStream', 'changeInstallationRecordStream', 'removeInstallationRecordStream'],
  // Organizations, and who comes in.
  ...['removeOrganization', 'removeUser', 'setPassword', 'addPasswordCode'],
  ...['resetSecondFactor', 'resetMemberSecondFactor'],
  // Identity providers, domains and provisioning.
  ...[
    'putIdentityProvider',
    'removeIdentityProvider',
    'putIdentityDomain',
    'proveIdentityDomain',
    'removeIdentityDomain',
  ],
  ...['putInstallationIdentityProvider', 'removeInstallationIdentityProvider', 'addScimToken', 'rotateScimToken'],
  // One's own second factors and identities.
  ...['beginIdentityLink', 'removeIdentityLink'],
  ...['beginPasskey', 'addPasskey', 'beginAuthenticatorApp', 'addAuthenticatorApp'],
  ...['renameSecondFactor', 'removeSecondFactor', 'newRecoveryCodes'],
])
