/** The description of the interface for programs and for people, made once, when somebody asks for it. */
import { createHash } from 'node:crypto'
import * as shapes from '@toolway/contract/admin'
import type { Operation } from '@toolway/contract/admin'
import { openApiOf } from './open-api.ts'
import { referencePage, STYLE } from './reference-page.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'

const { serveAnyone } = operationServers<OperationBase>()

/** Nothing is loaded, run, sent or framed; the one style is named by its digest (Content Security Policy 3, section 2.3.1). */
const CONTENT_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Of the interface, of these two themselves, and of what another door serves below the same address. */
export function describedBy(
  served: readonly Pick<Served<OperationBase>, 'operation'>[],
  beside: readonly Operation[] = [],
): readonly Served<OperationBase>[] {
  const own = [shapes.getOpenApi, shapes.readReference]
  const all = [...served.map(({ operation }) => operation), ...beside, ...own]
  let document: Record<string, unknown> | undefined
  let page: string | undefined
  return [
    serveAnyone(shapes.getOpenApi, () => (document ??= openApiOf(all))),
    serveAnyone(shapes.readReference, () => {
      page ??= referencePage(all)
      return new Response(page, {
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': CONTENT_POLICY,
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
        },
      })
    }),
  ]
}
