/**
 * The fields of the lines of the log. A line is JSON in every format; what the console shows of the log and what is exported by OTLP
 * keeps the fields of Toolway.
 */
export const LOG_FORMATS = ['toolway', 'sagemcp'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

/** Makes the line to be written of a line as it is logged; both end with a line feed. */
export const lineFormat = (format: LogFormat): ((line: string) => string) =>
  format === 'sagemcp' ? withSeedFields : (line) => line

/** The seven fields of SageMCP (ledger S3-OBS-06) come first and are in every line; one that a line does not have is null. */
function withSeedFields(line: string): string {
  const { timestamp, level, message, request_id, duration_ms, ...rest } = JSON.parse(line) as Record<string, unknown>
  const seed = {
    ...{ timestamp, level, message },
    tenant_slug: rest['organization'] ?? null,
    connector_id: rest['connection'] ?? rest['connectionId'] ?? null,
    request_id: request_id ?? null,
    duration_ms: duration_ms ?? null,
  }
  return `${JSON.stringify({ ...seed, ...rest })}\n`
}
