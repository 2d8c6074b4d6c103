/**
 * The greeting of a child, which also finds its era: `server/discover` first, `initialize` too when that stays unanswered; whichever
 * succeeds first decides.
 */
import { eraOf, NEWEST_LEGACY, type JsonObject, type Revision } from '@toolway/protocol'
import { discoverOn, initializeOn, isInitializeRefused, OWN_CAPABILITIES, type Channel } from '@toolway/protocol/client'
import type { ServerInfo } from '../upstream.ts'
import type { OwnChild } from './own-children.ts'

/** A first start may fetch a package; a running child answers at once. Seconds. */
export const START_TIMEOUT_SECONDS = 60
const DISCOVER_PATIENCE = 3_000
const NEVER = new AbortController().signal
/**
 * A server may list a tool only for clients that can be asked, and the shared child's lists are for all clients. A question in it
 * is refused in words. Roots are left out: the folders of a client are never told to a child (ADR 0011).
 */
const ASKABLE_BY_ALL: JsonObject = { ...OWN_CAPABILITIES, elicitation: { form: {}, url: {} }, sampling: {} }

interface GreetingParts {
  readonly reach: { readonly alias: string }
  readonly ids: () => number
  /** The caller of a child of its own. */
  readonly own?: OwnChild
}

export async function greetChild(
  channel: Channel,
  revision: Revision | undefined,
  parts: GreetingParts,
): Promise<ServerInfo> {
  if (revision === undefined) return greetUnknown(channel, parts)
  return eraOf(revision) === 'modern' ? discoverOn(channel, greetingOf(parts)) : initializeAs(channel, revision, parts)
}

/** Silence is no verdict, because a child may be starting up: the other greeting is sent beside it, and the first yes counts. */
async function greetUnknown(channel: Channel, parts: GreetingParts): Promise<ServerInfo> {
  const modern = discoverOn(channel, greetingOf(parts))
  const patience = new Promise<'silent'>((resolve) => setTimeout(() => resolve('silent'), DISCOVER_PATIENCE).unref())
  const verdict = await Promise.race([modern.then(() => 'modern' as const, refusalOrThrow), patience])
  if (verdict === 'modern') return modern
  return Promise.any([modern, initializeAs(channel, NEWEST_LEGACY, parts)]).catch((thrown: unknown) => {
    throw thrown instanceof AggregateError ? thrown.errors.at(-1) : thrown
  })
}

const initializeAs = (channel: Channel, revision: Revision, parts: GreetingParts) =>
  initializeOn(channel, greetingOf(parts), {
    revision,
    capabilities: parts.own === undefined ? ASKABLE_BY_ALL : { ...OWN_CAPABILITIES, ...parts.own.capabilities },
  })

const greetingOf = ({ reach: { alias }, ids }: GreetingParts) => ({
  alias,
  id: ids(),
  signal: NEVER,
  timeout: START_TIMEOUT_SECONDS,
})

function refusalOrThrow(thrown: unknown): 'refused' {
  if (isInitializeRefused(thrown)) return 'refused'
  throw thrown
}
