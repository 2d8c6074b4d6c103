/**
 * Opaque ids for machines: each sorts by time and states its kind (`con_01JD…`).
 *
 * An id is a ULID behind a prefix: 48 bits of milliseconds, 80 random bits, Crockford base 32. Ids are branded, so that a
 * connection's id cannot be passed where an organization's is meant. Slugs and aliases, the names for people, are not ids.
 */
declare const kind: unique symbol
type Branded<Kind extends string> = string & { readonly [kind]: Kind }

export type OrganizationId = Branded<'organization'>
export type KeyId = Branded<'key'>
export type ConnectionId = Branded<'connection'>
export type ToolsetId = Branded<'toolset'>
export type RecordId = Branded<'record'>
export type ImportId = Branded<'import'>
export type UserId = Branded<'user'>
/** A secret of an identity provider that provides people. */
export type ScimTokenId = Branded<'scim token'>
/** A group that an identity provider provides. */
export type ScimGroupId = Branded<'scim group'>
/** One sign-in: the tokens that descend from it end together. */
export type FamilyId = Branded<'family'>
export type RuleId = Branded<'rule'>
export type OAuthAppId = Branded<'oauth app'>
export type CredentialId = Branded<'credential'>
export type AlertId = Branded<'alert'>
export type WebhookId = Branded<'webhook'>
/** One message to one webhook, however often it is tried. */
export type DeliveryId = Branded<'delivery'>
/** A call that rules want somebody's approval for. */
export type ApprovalId = Branded<'approval'>
/** "Always for this tool", said by somebody who may approve. */
export type StandingGrantId = Branded<'lasting grant'>
/** One way of a person to a provider and back. */
export type FlowId = Branded<'flow'>
/** A destination that records and alerts are pushed to. */
export type RecordStreamId = Branded<'record stream'>
/** Where people sign in, besides by a password. */
export type IdentityProviderId = Branded<'identity provider'>
/** A result that is kept for whoever got only a part of it. */
export type StoredResultId = Branded<'kept result'>
/** A passkey of a person. */
export type PasskeyId = Branded<'passkey'>
/** An app of a person that shows codes for signing in. */
export type AuthenticatorAppId = Branded<'authenticator app'>
/** Content that travels by reference: `toolway://files/<id>`. */
export type FileId = Branded<'file'>

const PREFIXES = {
  org: 'organization',
  key: 'key',
  con: 'connection',
  tls: 'toolset',
  rec: 'record',
  imp: 'import',
  usr: 'user',
  fam: 'family',
  sct: 'scim token',
  scg: 'scim group',
  rul: 'rule',
  app: 'oauth app',
  crd: 'credential',
  flw: 'flow',
  alr: 'alert',
  whk: 'webhook',
  msg: 'delivery',
  str: 'record stream',
  idp: 'identity provider',
  apr: 'approval',
  lgr: 'lasting grant',
  res: 'kept result',
  file: 'file',
  psk: 'passkey',
  atp: 'authenticator app',
} as const
export type IdPrefix = keyof typeof PREFIXES
export type IdOf<Prefix extends IdPrefix> = Branded<(typeof PREFIXES)[Prefix]>

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_PAIRS = 5
const RANDOM_PAIRS = 8

/** Two digits of each ten bits, ready-made: a text of many small parts costs more than its randomness. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => DIGITS.charAt(bits >> 5) + DIGITS.charAt(bits & 31))

/** Mints ids from randomness that is drawn for many of them at once: drawing costs the same for one and for sixty-four. */
function createMint() {
  const pool = new Uint16Array(RANDOM_PAIRS * 64)
  let used = pool.length
  return () => {
    if (used === pool.length) {
      crypto.getRandomValues(pool)
      used = 0
    }
    let random = ''
    // Two bytes for each pair waste six bits of sixteen, and need no arithmetic over 80-bit numbers.
    for (const end = used + RANDOM_PAIRS; used < end; used++) random += PAIRS[(pool[used] ?? 0) & 1023] ?? ''
    return random
  }
}
const randomDigits = createMint()

/** Mint an id: `prefix_` and 26 characters of lower-case Crockford base 32 (https://github.com/ulid/spec). */
export function newId<Prefix extends IdPrefix>(prefix: Prefix, now = Date.now()): IdOf<Prefix> {
  let time = ''
  for (let rest = now, place = 0; place < TIME_PAIRS; place++, rest = Math.floor(rest / 1024)) {
    time = (PAIRS[rest % 1024] ?? '') + time
  }
  return `${prefix}_${time}${randomDigits()}` as IdOf<Prefix>
}
