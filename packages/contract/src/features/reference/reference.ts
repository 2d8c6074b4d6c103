/** The descriptions of this interface: for programs (OpenAPI 3.1) and for people. */
import { z } from 'zod'
import { anyone, operation } from '../../admin/operation.ts'

export const getOpenApi = operation({
  id: 'getOpenApi',
  at: 'GET /api/v1/openapi.json',
  summary: 'Get this API as an OpenAPI 3.1 document.',
  needs: anyone,
  answer: z.record(z.string(), z.unknown()),
})
export const readReference = operation({
  id: 'readReference',
  at: 'GET /api/v1/docs',
  summary: 'Get this API reference as a web page.',
  needs: anyone,
  answer: z.string(),
  media: 'text/html',
})
