/**
 * ClickHouse over HTTP: one INSERT … FORMAT JSONEachRow for each batch. The deduplication token is the id of the batch, so a batch
 * that comes twice is stored once where the table deduplicates. Names of database and table are plain identifiers (contract).
 */
import {
  checkAnswer,
  DeliveryProblem,
  type Deliver,
  type DestinationParts,
  type OfKind,
  type Secrets,
} from './destination.ts'

export const toClickHouse =
  (
    { fetch }: DestinationParts,
    { url: address, database, table, user, token }: OfKind<'clickhouse'>,
    { password = '' }: Secrets,
  ): Deliver =>
  async ({ id, items }, signal) => {
    const url = new URL(address)
    url.searchParams.set('query', `INSERT INTO ${database}.${table} FORMAT JSONEachRow`)
    // The status of the answer then says how the whole insert ended.
    url.searchParams.set('wait_end_of_query', '1')
    url.searchParams.set('date_time_input_format', 'best_effort')
    if (token) url.searchParams.set('insert_deduplication_token', id)
    const headers = {
      'content-type': 'application/x-ndjson',
      'user-agent': 'toolway-record-streams',
      'x-clickhouse-user': user,
      ...(password === '' ? {} : { 'x-clickhouse-key': password }),
    }
    const body = items.map((item) => JSON.stringify(item)).join('\n')
    const answer = await fetch(url.href, { method: 'POST', headers, body, signal })
    const code = answer.headers.get('x-clickhouse-exception-code')
    if (code !== null)
      throw new DeliveryProblem(`it responded with HTTP ${answer.status}, exception ${code.slice(0, 8)}`)
    checkAnswer(answer)
  }
