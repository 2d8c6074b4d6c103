/**
 * How a connection lets its server know for whom it acts: whose credentials it uses, and how they are had.
 */
import { z } from 'zod'
import { TENANT } from './tenant.ts'

/** A key of the provider table, or `mcp` for an authorization server that an MCP server names itself. */
export const ProviderName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{0,49}$/,
    'must start with a lowercase letter and have at most 50 lowercase letters, digits, _ and -',
  )

/** The name of one of several accounts that somebody has with a server, in front of people and as an argument of tools. */
export const AccountName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,30}$/,
    'must have at most 31 lowercase letters, digits, _ and -, and start with a letter or digit',
  )

/**
 * The ID of an account of the same owner whose place a new one takes, whoever that is of. Without it only an account that is known to be
 * the same, or serves nobody any more, is replaced.
 */
export const Replaces = z.string().regex(/^crd_[a-z0-9]{1,60}$/, 'is not the ID of an account')

/** The loader and the runtimes read these: a value of a member's there could be code. */
const OWN_VARIABLES =
  /^(?:PATH|HOME|SHELL|ENV|BASH_ENV|IFS|TMPDIR|LANG|NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS)|PERL.*|RUBY.*|PYTHON.*|JAVA_TOOL_OPTIONS|LD_.*|DYLD_.*|GIT_.*|NPM_CONFIG_.*|UV_.*|https?_proxy|all_proxy|no_proxy)$/i

/** A variable of a program that holds the credential of an account. */
const VariableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'is not a valid variable name')
  .refine((name) => !OWN_VARIABLES.test(name), 'is a variable that the system or a runtime reads itself')

const HeaderName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'is not a valid header name')

const Shape = {
  /**
   * `oauth`: a person connects an account. `key`: a person gives a key. `none`: nothing but the connection's own headers.
   * `auto`: nothing, until the server asks for OAuth (MCP, authorization: 401 with a challenge).
   */
  kind: z.enum(['auto', 'none', 'oauth', 'key']),
  /** The owners whose credentials it may use: a member's own takes precedence over the organization's (ledger U-24). */
  owners: z.array(z.enum(['member', 'organization'])).min(1),
  /** Whether a member may connect several accounts and name one for a call. */
  accounts: z.enum(['one', 'many']),
  /** Whether a caller may bring a token for one call (ledger S3-OAU-07). */
  brought: z.boolean(),
  /** Vendor whose OAuth it uses; absent: what the server names by discovery. */
  provider: ProviderName.optional(),
  /** Microsoft: the directory whose accounts are connected, by its ID or a domain; absent: accounts of any directory. */
  tenant: z.string().regex(TENANT, 'must be the ID or a domain of a directory').optional(),
  /** Asked for instead of what the server names. */
  scopes: z.array(z.string().min(1).max(200)).max(100).optional(),
  /** Where a key goes, and what stands before it there. OAuth tokens always go as `Authorization: Bearer`. */
  header: HeaderName,
  prefix: z.string().max(50),
  /** Of a program: the variable of its environment that holds the token or key of an account (ledger S3-EXT-09). */
  variable: VariableName.optional(),
}

export const ConnectionAuth = z.strictObject({
  ...Shape,
  kind: Shape.kind.default('auto'),
  owners: Shape.owners.default(['member', 'organization']),
  accounts: Shape.accounts.default('one'),
  brought: Shape.brought.default(false),
  header: Shape.header.default('authorization'),
  prefix: Shape.prefix.default('Bearer '),
})
export type ConnectionAuth = z.output<typeof ConnectionAuth>

/** Of a server at an address, which has no variables. */
export const RemoteAuth = ConnectionAuth.omit({ variable: true })

/** The fields to change. */
export const ConnectionAuthChange = z.strictObject(Shape).partial()
export type ConnectionAuthChange = z.output<typeof ConnectionAuthChange>
