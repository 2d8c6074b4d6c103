/** The descriptions of this interface: for programs (OpenAPI 3.1) and for people. */
import { z } from 'zod'
import { anyone, operation } from './operation.ts'

export const getOpenApi = operation({
  id: 'getOpenApi',
  at: 'GET /api/v1/openapi.json',
  summary: 'This interface as an OpenAPI 3.1 document.',
  needs: anyone,
  answer: z.record(z.string(), z.unknown()),
})
export const readReference = operation({
  id: 'readReference',
  at: 'GET /api/v1/docs',
  summary: 'This interface as a page to read.',
  needs: anyone,
  answer: z.string(),
  media: 'text/html',
})
