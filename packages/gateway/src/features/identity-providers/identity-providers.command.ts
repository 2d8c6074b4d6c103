/** `toolway identity-provider …` and `toolway email-domain …`: where people sign in, and whose addresses an organization decides over. */
import { readFile } from 'node:fs/promises'
import {
  IdentityProviderInput,
  listIdentityDomains,
  listIdentityProviders,
  listInstallationIdentityProviders,
  proveIdentityDomain,
  putIdentityDomain,
  putIdentityProvider,
  putInstallationIdentityProvider,
  removeIdentityDomain,
  removeIdentityProvider,
  removeInstallationIdentityProvider,
  tryIdentityProvider,
  tryInstallationIdentityProvider,
  type IdentityProvider,
} from '@toolway/contract/admin'
import { Argument, Option } from 'commander'
import { describeCommand, groupOf, type Finish } from '../../cli/command.ts'
import { CommandFault, table } from '../../cli/terminal/output.ts'

interface Words {
  readonly organization: string
  /** The whole installation, in place of an organization. */
  readonly all?: boolean
}
interface Named extends Words {
  readonly name: string
}

const allOption = () => new Option('--all', 'of the whole installation, for people of every organization')
const name = () => new Argument('<name>', 'name, as shown by `toolway identity-provider list`')

/** Throws CommandFault for a file that does not describe a provider. */
async function describedIn(path: string): Promise<IdentityProviderInput> {
  let value: unknown
  try {
    value = JSON.parse(await readFile(path, 'utf8'))
  } catch (thrown) {
    throw new CommandFault(`${path} cannot be read as JSON: ${thrown instanceof Error ? thrown.message : ''}`)
  }
  const parsed = IdentityProviderInput.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new CommandFault(`${path}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim())
}

const put = describeCommand({
  name: 'put',
  about: 'add or update the identity provider described in a file, which also contains its secret',
  arguments: [name(), new Argument('<file>', 'JSON: title, settings, client_secret, enabled, private')],
  options: [allOption()],
  examples: [
    'toolway identity-provider put okta okta.json -o acme',
    'toolway identity-provider put entra entra.json --all',
  ],
  async call({ call }, { name: provider, file, organization, all: whole = false }: Named & { file: string }) {
    const body = await describedIn(file)
    return whole
      ? call(putInstallationIdentityProvider, { params: { provider }, body })
      : call(putIdentityProvider, { params: { organization, provider }, body })
  },
  print: (row) => ({
    value: row,
    lines: [
      `${row.title} is ${row.enabled ? 'on' : 'off'}. Enter this redirect address at the provider: ${row.redirect_uri}`,
      ...(row.logout_uri === null ? [] : [`Its address for back-channel logout: ${row.logout_uri}`]),
      `Its people sign in at ${row.sign_in_url}`,
    ],
  }),
})

const stateOf = ({ enabled, last_problem: problem }: IdentityProvider): string => (enabled ? (problem ?? 'ok') : 'off')

const list = describeCommand({
  name: 'list',
  about: 'list identity providers and whether they work',
  options: [allOption()],
  examples: ['toolway identity-provider list', 'toolway identity-provider list --all'],
  call: async ({ call }, { organization, all: whole = false }: Words) =>
    (whole
      ? await call(listInstallationIdentityProviders, {})
      : await call(listIdentityProviders, { params: { organization } })
    ).items,
  print: (rows) => ({
    value: rows,
    lines:
      rows.length === 0
        ? ['No identity providers yet. To add one, see `toolway identity-provider put --help`.']
        : table(
            ['NAME', 'TITLE', 'KIND', 'LAST SIGN-IN', 'STATE'],
            rows.map((row) => [row.slug, row.title, row.settings.kind, row.signed_in_at ?? 'none', stateOf(row)]),
          ),
  }),
})

const tryOut = describeCommand({
  name: 'try',
  about: 'print an address that signs in at the provider and shows its claims without letting anybody in',
  arguments: [name()],
  options: [allOption()],
  examples: ['toolway identity-provider try okta'],
  call: ({ call }, { name: provider, organization, all: whole = false }: Named) =>
    whole
      ? call(tryInstallationIdentityProvider, { params: { provider } })
      : call(tryIdentityProvider, { params: { organization, provider } }),
  print: ({ url }) => ({ value: { url }, lines: [`Open this address within ten minutes: ${url}`] }),
})

const remove = describeCommand({
  name: 'remove',
  about: 'remove an identity provider, and end the sign-ins that were made with it',
  arguments: [name()],
  options: [allOption()],
  examples: ['toolway identity-provider remove okta'],
  async call({ call }, { name: provider, organization, all: whole = false }: Named) {
    await (whole
      ? call(removeInstallationIdentityProvider, { params: { provider } })
      : call(removeIdentityProvider, { params: { organization, provider } }))
    return provider
  },
  print: (provider) => ({ value: { removed: provider }, lines: [`Removed ${provider}.`] }),
})

export const identityProviderCommand = (finish: Finish) =>
  groupOf(
    'identity-provider',
    'let people sign in at the provider of their organization',
    [put, list, tryOut, remove],
    finish,
  )

interface Domain {
  readonly organization: string
  readonly domain: string
}
const domain = () => new Argument('<domain>', 'domain of email addresses, such as example.com')

const putDomain = describeCommand({
  name: 'put',
  about: 'add an email domain, or set whether its people must sign in at the provider',
  arguments: [domain()],
  options: [
    new Option('--enforced', 'its people have no password'),
    new Option('--break-glass <email>', 'administrator who may still use a password; each use raises an alert'),
  ],
  examples: [
    'toolway email-domain put example.com',
    'toolway email-domain put example.com --enforced --break-glass boss@example.com',
  ],
  call: (
    { call },
    { organization, domain: id, enforced = false, breakGlass }: Domain & { enforced?: boolean; breakGlass?: string },
  ) =>
    call(putIdentityDomain, {
      params: { organization, domain: id },
      body: { enforced, break_glass: breakGlass ?? null },
    }),
  print: (row) => ({
    value: row,
    lines:
      row.proven_at === null
        ? [
            `Add this DNS record, then run \`toolway email-domain prove ${row.domain}\`:`,
            `${row.record.name} TXT ${row.record.value}`,
          ]
        : [`${row.domain} is proven${row.enforced ? ', and its people sign in at the provider only' : ''}.`],
  }),
})

const listDomains = describeCommand({
  name: 'list',
  about: 'list email domains and whether they are proven',
  examples: ['toolway email-domain list'],
  call: async ({ call }, { organization }: Words) =>
    (await call(listIdentityDomains, { params: { organization } })).items,
  print: (rows) => ({
    value: rows,
    lines:
      rows.length === 0
        ? ['No email domains yet. To add one, see `toolway email-domain put --help`.']
        : table(
            ['DOMAIN', 'PROVEN', 'ENFORCED', 'RECORD'],
            rows.map((row) => [
              ...[row.domain, row.proven_by ?? 'no', row.enforced ? 'yes' : 'no'],
              `${row.record.name} TXT ${row.record.value}`,
            ]),
          ),
  }),
})

const prove = describeCommand({
  name: 'prove',
  about: 'look for the DNS record that proves an email domain',
  arguments: [domain()],
  options: [new Option('--vouch', 'as a platform administrator, vouch for it instead')],
  examples: ['toolway email-domain prove example.com'],
  call: ({ call }, { organization, domain: id, vouch = false }: Domain & { vouch?: boolean }) =>
    call(proveIdentityDomain, { params: { organization, domain: id }, body: { vouch } }),
  print: (row) => ({ value: row, lines: [`${row.domain} is proven.`] }),
})

const removeDomain = describeCommand({
  name: 'remove',
  about: 'remove an email domain; linked accounts stay linked',
  arguments: [domain()],
  examples: ['toolway email-domain remove example.com'],
  async call({ call }, { organization, domain: id }: Domain) {
    await call(removeIdentityDomain, { params: { organization, domain: id } })
    return id
  },
  print: (id) => ({ value: { removed: id }, lines: [`Removed ${id}.`] }),
})

export const emailDomainCommand = (finish: Finish) =>
  groupOf(
    'email-domain',
    'prove the email domains of an organization',
    [putDomain, listDomains, prove, removeDomain],
    finish,
  )
