/**
 * A record as an event of the Open Cybersecurity Schema Framework, version 1.1.0: a call or a change is API Activity (6003), a
 * sign-in is Authentication (3002), a change of a person or a membership is Account Change (3001).
 *
 * Only fields of that version's classes are used; what has no field there stands in `unmapped`, which the schema keeps for it.
 */
import type { Unproven } from '../chain/record-hash.ts'

const VERSION = '1.1.0'
const INFORMATIONAL = 1
const CLASS = {
  api: { category_uid: 6, class_uid: 6003 },
  authentication: { category_uid: 3, class_uid: 3002 },
  account: { category_uid: 3, class_uid: 3001 },
} as const
const OTHER = 99

/** By the last word of an action, `key.add`: Create, Read, Update, Delete. */
const API_ACTIVITY: Readonly<Record<string, number>> = {
  add: 1,
  create: 1,
  import: 1,
  read: 2,
  get: 2,
  list: 2,
  export: 2,
  reveal: 2,
  call: OTHER,
  change: 3,
  update: 3,
  rotate: 3,
  enable: 3,
  disable: 3,
  remove: 4,
  delete: 4,
  revoke: 4,
  prune: 4,
}
/** Create, Enable, Password Change, Password Reset, Disable, Delete, Attach Policy (a role). */
const ACCOUNT_ACTIVITY: Readonly<Record<string, number>> = {
  add: 1,
  create: 1,
  enable: 2,
  password: 3,
  reset: 4,
  disable: 5,
  remove: 6,
  delete: 6,
  role: 7,
}
const ACCOUNTS = new Set(['user', 'member'])
const FAILED = new Set(['tool_error', 'refused', 'failed', 'cancelled'])
const LOGON = 1
const LOGOFF = 2

export function toOcsf(record: Unproven): object {
  const kind =
    record.kind === 'sign_in' ? 'authentication' : ACCOUNTS.has(record.resource_type ?? '') ? 'account' : 'api'
  const activity = activityOf(record, kind)
  const { class_uid: classUid } = CLASS[kind]
  const who = { uid: record.principal, type_id: record.actor_type === 'system' ? 3 : 1 }
  return {
    ...CLASS[kind],
    activity_id: activity,
    type_uid: classUid * 100 + activity,
    time: Date.parse(record.at),
    severity_id: INFORMATIONAL,
    status_id: record.outcome === 'ok' ? 1 : FAILED.has(record.outcome) ? 2 : 0,
    ...(record.code === null ? {} : { status_code: record.code }),
    status_detail: record.outcome,
    ...(record.kind === 'call' ? { duration: Math.round(record.duration_us / 1000) } : {}),
    metadata: {
      version: VERSION,
      product: { name: 'Toolway', vendor_name: 'Toolway' },
      uid: record.id,
      correlation_uid: record.correlation_id,
      event_code: record.method,
      sequence: record.seq,
      tenant_uid: record.organization_id,
      original_time: record.at,
    },
    actor: { user: who, ...(record.client === null ? {} : { app_name: record.client }) },
    src_endpoint: record.ip_address === null ? {} : { ip: record.ip_address },
    ...(record.user_agent === null ? {} : { http_request: { user_agent: record.user_agent } }),
    ...more(record, kind, who),
    unmapped: unmappedMembers(record),
  }
}

function activityOf({ method, outcome }: Unproven, kind: keyof typeof CLASS): number {
  const [verb = ''] = method.split(/[./]/).slice(-1)
  if (kind === 'authentication') return /out|end/.test(method) && outcome === 'ok' ? LOGOFF : LOGON
  return (kind === 'account' ? ACCOUNT_ACTIVITY : API_ACTIVITY)[verb] ?? OTHER
}

function more(record: Unproven, kind: keyof typeof CLASS, who: object): object {
  if (kind === 'authentication') return { user: who, service: { name: 'Toolway' } }
  if (kind === 'account') return { user: { uid: record.resource_id ?? '' } }
  const name = record.resource_id ?? record.target
  const service = record.connection ?? 'Toolway'
  return {
    api: { operation: record.method, service: { name: service }, request: { uid: record.correlation_id } },
    ...(name === null ? {} : { resources: [{ name, type: record.resource_type ?? record.method }] }),
  }
}

const unmappedMembers = (record: Unproven): object => ({
  kind: record.kind,
  hash: record.hash,
  decision: record.decision,
  ...(record.key_id === null ? {} : { key_id: record.key_id }),
  ...(record.toolset === null ? {} : { toolset: record.toolset }),
  ...(record.detail === null ? {} : { detail: record.detail }),
  ...(record.redacted === undefined ? {} : { redacted: record.redacted }),
})
