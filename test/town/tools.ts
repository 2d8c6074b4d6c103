/** The definitions of a town's tools: pure, so that the street serves the lists that the database has. */
import type { JsonObject } from '@toolway/protocol'
import { createChance } from './random.ts'

const VERBS = ['list', 'get', 'search', 'create', 'update', 'delete', 'archive', 'export', 'approve', 'sync'] as const
const NOUNS = [
  ...[
    'invoice',
    'order',
    'customer',
    'shipment',
    'ticket',
    'employee',
    'contract',
    'repository',
    'document',
    'campaign',
  ],
  ...['warehouse_slot', 'purchase_requisition', 'service_level_agreement', 'meeting_room_booking', 'supplier'],
] as unknown as readonly [string, ...string[]]
const READS = new Set<string>(['list', 'get', 'search', 'export'])

/** The `count` tools of the connection with this number: named by verb, noun and, where those run out, a number. */
export function toolsOf(connection: number, count: number): readonly JsonObject[] {
  const chance = createChance(connection * 7919 + 17)
  return Array.from({ length: count }, (_, at) => toolOf(chance, at, count))
}

function toolOf(chance: ReturnType<typeof createChance>, at: number, count: number): JsonObject {
  const verb = VERBS[at % VERBS.length] ?? 'get'
  const noun = NOUNS[Math.floor(at / VERBS.length) % NOUNS.length] ?? 'order'
  const serial = count > VERBS.length * NOUNS.length || chance.yes(0.1) ? `_${String(at).padStart(5, '0')}` : ''
  const words = noun.replaceAll('_', ' ')
  // Some servers describe everything, some nothing, and few say what a tool does to the world.
  const description = chance.yes(0.9) ? { description: `${verb} ${words}${chance.yes(0.2) ? LONG : ''}` } : {}
  const says = chance.yes(0.5)
    ? { annotations: { readOnlyHint: READS.has(verb), destructiveHint: verb === 'delete' } }
    : {}
  const properties = {
    id: { type: 'string', description: `The ID of the ${words}` },
    ...(chance.yes(0.3) ? { limit: { type: 'integer', minimum: 1, maximum: 200 } } : {}),
  }
  return {
    name: `${verb}_${noun}${serial}`,
    ...description,
    inputSchema: { type: 'object', properties, ...(verb === 'list' ? {} : { required: ['id'] }) },
    ...says,
  }
}

const LONG = `. It returns the fields that the caller may see, in the order in which the source system keeps them. ${'Dates are in UTC. '.repeat(6)}`
