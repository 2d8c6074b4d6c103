/** A declaration of one organization: the state that it is to have. A declaration file, a preset and a test write it. */
import type { EgressExceptions, LockMode, Limit, Role, RuleWords, ToolsetSettings } from '@toolway/contract'
import type { IdentityProviderInput, NewWebhook, OrganizationSettings } from '@toolway/contract/admin'
import type { z } from 'zod'
import type { CommonWords } from '../../kinds/kind.ts'
import type { Wire } from '../../kinds/kinds.ts'

export interface DeclaredKey {
  readonly name: string
  readonly value: string
  readonly toolset: string | undefined
  readonly role?: Exclude<Role, 'platform_admin'>
  readonly limit?: Limit
  readonly trusted?: boolean
  readonly expires?: Date | undefined
}

export interface DeclaredGroup {
  readonly slug: string
  readonly title: string
  /** Addresses, whether or not somebody is a member under them already. */
  readonly members: readonly string[]
}

export interface DeclaredConnection extends CommonWords {
  readonly alias: string
  readonly title: string
  readonly description?: string
  readonly enabled: boolean
  /** Whether its address may lie in a private network; absent: where it names one in so many words. */
  readonly private?: boolean
  /** Whether what its server says of the effects of its tools is believed; absent: as it stands. */
  readonly trusted?: boolean | undefined
  /** Lock mode: which changes of the server's tools are held for review; absent: as it stands. */
  readonly lock?: LockMode | undefined
  readonly rules?: readonly RuleWords[] | undefined
  /** The text of its OpenAPI document, where the file names one beside it. */
  readonly text?: string
  readonly wire: Wire
}

export interface DeclaredToolset {
  readonly slug: string
  readonly title: string
  readonly settings: ToolsetSettings
}

/** Where people sign in. */
export interface DeclaredProvider {
  readonly slug: string
  readonly title: string
  readonly enabled: boolean
  /** Absent: where its address names a private place. */
  readonly private?: boolean | undefined
  readonly settings: IdentityProviderInput['settings']
  readonly secret?: string | undefined
}

export interface DeclaredDomain {
  readonly domain: string
  readonly enforced: boolean
  readonly break_glass: string | null
}

export interface Declared {
  readonly slug: string
  readonly name: string | undefined
  readonly description?: string | undefined
  readonly contact_email?: string | undefined
  /** All of them: a setting that is absent has its default. */
  readonly settings?: OrganizationSettings | undefined
  readonly egress?: EgressExceptions | undefined
  readonly webhooks?: readonly z.output<typeof NewWebhook>[] | undefined
  readonly identityProviders?: readonly DeclaredProvider[] | undefined
  readonly identityDomains?: readonly DeclaredDomain[] | undefined
  readonly connections: readonly DeclaredConnection[]
  readonly toolsets: readonly DeclaredToolset[]
  readonly keys: readonly DeclaredKey[]
  readonly groups?: readonly DeclaredGroup[]
  readonly rules?: readonly RuleWords[] | undefined
  /** Beside the organization `default` alone: what is declared of the whole installation. */
  readonly platform?:
    | {
        /** Absent: as they are, beside providers that are declared. */
        readonly rules?: readonly RuleWords[] | undefined
        readonly identityProviders?: readonly DeclaredProvider[] | undefined
      }
    | undefined
}
