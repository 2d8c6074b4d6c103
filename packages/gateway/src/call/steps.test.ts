/** A tool is listed for a caller exactly where that caller can call it, whatever rules, locks, effects and roles there are. */
import { EFFECTS, LIMITS, type ConnectionId, type Effect, type Limit, type Rule, type Verdict } from '@toolway/contract'
import { MODERN, type McpRequest, type Caller, type JsonObject } from '@toolway/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createToolListing } from '../catalog/create-tool-listing.ts'
import type { Offered } from '../catalog/tool-listing.ts'
import { OPERATOR } from '../identity/principal.ts'
import { createPolicy } from '../policy/compile.ts'
import { createTestAuditLog } from '../testing/audit-log.ts'
import { createNoLimits } from '../testing/limits.ts'
import { createServerPlaces } from '../upstreams/server-places.ts'
import { call } from './call.ts'
import { listedFor, itemsOf } from './discovery/seen.ts'
import type { CallParts } from './call-parts.ts'
import type { ClientChannel } from '../snapshot/ports/client-channel.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'
import { STEPS } from './steps.ts'

const TOOLS = ['look', 'change', 'wipe'] as const
const ROLES = ['tenant_admin', 'tenant_member'] as const
/** Refusals that do not depend on the arguments. */
const KEPT_BACK = new Set(['tool.unknown', 'tool.held', 'scope.insufficient', 'policy.blocked'])

interface Drawn {
  readonly action: Verdict['action'] | 'allow' | 'lock' | 'clamp'
  readonly tools: string
  readonly when: string | undefined
}

const WHENS = [
  undefined,
  'principal.role == "tenant_admin"',
  'principal.role != "tenant_admin"',
  'args.harm == true',
  'args.mild == true',
]

const drawnRule: fc.Arbitrary<Drawn> = fc.record({
  action: fc.constantFrom('hide', 'block', 'warn', 'allow', 'lock', 'clamp'),
  tools: fc.constantFrom('*', ...TOOLS),
  when: fc.constantFrom(...WHENS),
})

const PARAMETERS: Readonly<Record<string, object>> = {
  allow: { lifts: ['r0', 'r1'] },
  lock: { parameter: 'owner', value: 'me', as: 'fixed' },
  clamp: { parameter: 'limit', max: 5 },
}

const ruleOf = ({ action, tools, when }: Drawn, at: number): Rule =>
  ({
    ...{ id: `rul_${at}`, name: `r${at}`, scope: 'organization', of: undefined, reason: 'r', state: 'on' },
    ...{
      action,
      parameters: PARAMETERS[action] ?? {},
      match: { tools: [tools], ...(when === undefined ? {} : { when }) },
    },
  }) as unknown as Rule

interface Endpoint {
  readonly rules: readonly Drawn[]
  readonly held: readonly string[]
  readonly off: readonly string[]
  readonly effects: readonly Effect[]
  readonly limit: Limit
  readonly role: (typeof ROLES)[number]
}

const endpoint: fc.Arbitrary<Endpoint> = fc.record({
  rules: fc.array(drawnRule, { maxLength: 5 }),
  held: fc.subarray([...TOOLS], { maxLength: 1 }),
  off: fc.subarray([...TOOLS], { maxLength: 1 }),
  effects: fc.tuple(fc.constantFrom(...EFFECTS), fc.constantFrom(...EFFECTS), fc.constantFrom(...EFFECTS)),
  limit: fc.constantFrom(...LIMITS),
  role: fc.constantFrom(...ROLES),
})

const ANNOTATIONS: Readonly<Record<Effect, JsonObject>> = {
  read: { readOnlyHint: true },
  write: { readOnlyHint: false, destructiveHint: false },
  destructive: { destructiveHint: true },
}

function requestContextOf({ rules, held, off, effects, limit, role }: Endpoint): RequestContext {
  const offered: Offered = {
    ...{ connectionId: 'con_1' as ConnectionId, alias: 'a', revision: MODERN, server: {}, capabilities: {} },
    ...{ instructions: undefined, resources: [], templates: [], prompts: [] },
    tools: TOOLS.map((name, at) => ({
      name,
      inputSchema: { type: 'object', properties: { limit: { type: 'integer' }, owner: { type: 'string' } } },
      annotations: ANNOTATIONS[effects[at] ?? 'read'],
    })),
  }
  const policy = createPolicy(rules.map(ruleOf))
  const toolListing = createToolListing(
    [offered],
    false,
    { limit, tool: () => true, whole: () => true },
    {
      tool: (_, name) => {
        if (off.includes(name)) return 'off'
        return held.includes(name)
          ? { action: 'hold', effect: effects[TOOLS.indexOf(name as 'look')] ?? 'read' }
          : undefined
      },
      any: () => true,
      policy: (tool, schema) => policy.of(tool, { organization: 'acme', toolset: 'default' }, schema),
    },
  )
  const who = () => ({
    ...{ id: 'u', kind: 'user', email: '', groups: [], key: '', keyId: '', client: '', clientRegistered: false },
    role,
  })
  const upstream = () => ({ ask: async () => ({ result: { resultType: 'complete', content: [] } }) })
  return {
    ...{ toolListing, who, upstream, organization: 'acme', toolset: 'default', principal: { ...OPERATOR, limit } },
  } as unknown as RequestContext
}

const PARTS = {
  limits: createNoLimits(),
  places: createServerPlaces(256),
  argumentDepth: 64,
  resultLimit: 1_000,
  authElicitation: { ask: (_: unknown, thrown: unknown) => Promise.reject(thrown) },
} as unknown as CallParts
const CALLER: Caller = { revision: MODERN, capabilities: {}, client: undefined, logLevel: undefined }

/** An argument that is missing is not false: a condition that cannot be read counts against the call. */
const ARGUMENTS = [true, false].flatMap((mild) => [true, false].map((harm) => ({ mild, harm })))

/** The fault of a call with these arguments; undefined where it reached the server. */
async function faultOf(requestContext: RequestContext, name: string, given: JsonObject): Promise<string | undefined> {
  const mcpRequest: McpRequest = { id: 1, method: 'tools/call', params: { name, arguments: given }, caller: CALLER }
  const channel = { signal: new AbortController().signal } as ClientChannel
  const audit = createTestAuditLog().begin(0)
  try {
    await call({ requestContext, mcpRequest, channel, audit }, PARTS)
    return audit.facts.fault?.code
  } catch (thrown) {
    return (thrown as { code: string }).code
  }
}

/**
 * A listing reads each condition on arguments alone. Where one lifts a rule and another keeps the tool back for the same arguments, the
 * tool is listed although every call is refused; what can be called is listed all the same.
 */
const liftsByArguments = ({ rules }: Endpoint): boolean =>
  rules.some(({ action, when }) => action === 'allow' && when?.includes('args.') === true)

test('a tool is listed where it can be called with some arguments, and nowhere else', async () => {
  await fc.assert(
    fc.asyncProperty(endpoint, async (drawn) => {
      const requestContext = requestContextOf(drawn)
      const listed = listedFor(requestContext, CALLER, itemsOf(requestContext, 'tools', CALLER)).map(({ name }) => name)
      for (const name of TOOLS) {
        const faults = await Promise.all(ARGUMENTS.map((one) => faultOf(requestContext, name, one)))
        const callable = faults.some((fault) => fault === undefined || !KEPT_BACK.has(fault))
        const expected = liftsByArguments(drawn) && !callable ? {} : { listed: callable }
        expect({ name, listed: listed.includes(name), faults }).toMatchObject(expected)
      }
    }),
    { numRuns: 300 },
  )
})

test('each step has a name of its own and does something', () => {
  expect(new Set(STEPS.map(({ name }) => name)).size).toBe(STEPS.length)
  for (const { name, list, before, after } of STEPS)
    expect({ name, idle: (list ?? before ?? after) === undefined }).toEqual({ name, idle: false })
})
