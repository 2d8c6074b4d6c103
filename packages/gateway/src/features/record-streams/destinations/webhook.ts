/** A batch as one message of Standard Webhooks, signed as the messages of webhooks are. Its id is that of the batch. */
import { signedHeaders } from '../../webhooks/index.ts'
import { checkAnswer, type Deliver, type DestinationParts, type OfKind, type Secrets } from './destination.ts'

export const toWebhook =
  ({ fetch, now }: DestinationParts, { url }: OfKind<'webhook'>, { webhook = '' }: Secrets): Deliver =>
  async ({ id, streamId, organizationId, items }, signal) => {
    const at = new Date(now())
    const data = { organization_id: organizationId, stream_id: streamId, items }
    const body = JSON.stringify({ type: 'records', timestamp: at.toISOString(), data })
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'toolway-record-streams',
      ...signedHeaders({ id, at, body }, [webhook]),
    }
    checkAnswer(await fetch(url, { method: 'POST', headers, body, signal }))
  }
