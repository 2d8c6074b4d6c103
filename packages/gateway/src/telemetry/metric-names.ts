/** The names under which metrics are shown: Toolway's own, and those of the source system SageMCP (ledger S3-OBS). */
export const METRIC_NAMES = ['toolway', 'sagemcp', 'both'] as const
export type MetricNames = (typeof METRIC_NAMES)[number]

/** The families of SageMCP, by the metric that each of them is. Labels are the same. */
export const SAGEMCP_NAMES: Readonly<Record<string, string>> = {
  toolway_http_request_duration_seconds: 'sagemcp_http_request_duration_seconds',
  toolway_tool_call_duration_seconds: 'sagemcp_tool_call_duration_seconds',
  toolway_tool_calls_total: 'sagemcp_tool_calls_total',
  toolway_sessions: 'sagemcp_active_sessions',
  toolway_upstream_sessions: 'sagemcp_pool_size',
  toolway_external_processes: 'sagemcp_external_processes',
  toolway_memory_usage_bytes: 'sagemcp_memory_usage_bytes',
  toolway_pool_hits_total: 'sagemcp_pool_hits_total',
  toolway_pool_misses_total: 'sagemcp_pool_misses_total',
  toolway_limited_total: 'sagemcp_rate_limited_total',
  toolway_policy_decisions_total: 'sagemcp_policy_decisions_total',
}

/** The names of one metric. Under the names of SageMCP alone, metrics that it did not have keep their own. */
export function namesOf(name: string, names: MetricNames): readonly string[] {
  const alias = SAGEMCP_NAMES[name]
  if (alias === undefined || names === 'toolway') return [name]
  return names === 'sagemcp' ? [alias] : [name, alias]
}
