/** The reference of the native connectors and their tools says what the connectors are. `npm test -- test/contract -u` writes it anew. */
import { CONNECTORS, definitionOf, scopesOf, templatesOf, type Tool, type Vendor } from '@toolway/connectors'
import { EFFECTS } from '@toolway/contract'
import { expect, test } from 'vitest'

const cell = (text: string) => text.replaceAll('|', String.raw`\|`)
const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

/** Optional inputs stand in brackets. */
function inputsOf(name: string, tool: Tool): string {
  const { properties = {}, required = [] } = definitionOf(name, tool)['inputSchema'] as {
    properties?: object
    required?: readonly string[]
  }
  return Object.keys(properties)
    .map((input) => (required.includes(input) ? `\`${input}\`` : `[\`${input}\`]`))
    .join(' ')
}

function section(id: string, vendor: Vendor): string[] {
  const known = CONNECTORS[id]
  if (known === undefined) throw new Error(`there is no ${id}`)
  const counts = EFFECTS.map((effect) => {
    const { length } = [...vendor.tools.values()].filter((tool) => tool.effect === effect)
    return length === 0 ? undefined : `${length} ${effect}`
  })
  const signIn = 'key' in vendor.auth ? 'an API key' : known.key === undefined ? 'OAuth' : 'OAuth, or a token'
  const resources = templatesOf(vendor).map(({ uriTemplate }) => String(uriTemplate))
  return [
    `## ${known.title}`,
    '',
    `${known.about} ${vendor.tools.size} tools (${counts.filter((one) => one !== undefined).join(', ')}). Name: \`${id}\`. Address: \`${known.address}\`. Signs in with ${signIn}. [The vendor's reference](${known.docs}).`,
    '',
    ...(resources.length === 0 ? [] : [`Resources: ${code(resources)}.`, '']),
    '| tool | effect | inputs | scopes | what it does |',
    '|---|---|---|---|---|',
    ...[...vendor.tools].map(
      ([name, tool]) =>
        `| \`${name}\` | ${tool.effect} | ${inputsOf(name, tool)} | ${code(scopesOf(vendor, tool))} | ${cell(tool.description)}${tool.unsupported === undefined ? '' : ` Answers NOT_SUPPORTED: ${cell(tool.unsupported)}`} |`,
    ),
    '',
  ]
}

test('the reference of tools names every tool of every connector', async () => {
  const vendors = await Promise.all(
    Object.entries(CONNECTORS).map(async ([id, { load }]) => [id, await load()] as const),
  )
  const count = vendors.reduce((sum, [, { tools }]) => sum + tools.size, 0)
  const page = [
    '# Tools of the native connectors',
    '',
    `${vendors.length} connectors with ${count} tools, as they are listed. Optional inputs stand in brackets; \`cursor\` takes the \`next_cursor\` of the page before. Scopes are those that a call needs; an account is asked for them when it is connected, or when a tool first needs them. How connectors are connected: [guide](../guides/connectors.md). How one is written: [AUTHORING.md](../../packages/connectors/AUTHORING.md).`,
    '',
    ...vendors.flatMap(([id, vendor]) => section(id, vendor)),
  ].join('\n')
  await expect(page).toMatchFileSnapshot('../../docs/reference/tools.md')
})
