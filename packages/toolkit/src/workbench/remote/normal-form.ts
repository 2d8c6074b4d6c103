/** Composio's answers, `{data, successful, error, log_id}`: the data, or a failure with the same words and data (ledger S4-CMP-08). */
import { z } from 'zod'
import { RemoteFailure } from '../remote-failure.ts'

const Form = z.looseObject({
  data: z.unknown(),
  error: z.unknown(),
  successful: z.boolean().optional(),
  successfull: z.boolean().optional(),
  success: z.boolean().optional(),
  log_id: z.string().nullish(),
})

/** The data of an answer; what is in no such form is data itself. Throws a `RemoteFailure`. */
export function dataOf(value: unknown, slug: string): unknown {
  const form = Form.safeParse(value)
  if (!form.success || !(Object.hasOwn(form.data, 'data') || Object.hasOwn(form.data, 'error'))) return value
  const { data, log_id: logId } = form.data
  const error = wordsOf(form.data.error)
  const successful = form.data.successful ?? form.data.successfull ?? form.data.success ?? error === undefined
  if (successful && error === undefined) return data
  throw new RemoteFailure(error ?? `${slug} failed and did not say why.`, {
    details: { data: data ?? {}, ...(typeof logId === 'string' ? { log_id: logId } : {}) },
  })
}

/** An error is a text, an object with a message, or nothing: null, false and an empty text. */
export function wordsOf(error: unknown): string | undefined {
  if (error === undefined || error === null || error === false || error === '') return undefined
  if (typeof error === 'string') return error
  const parsed = z.looseObject({ message: z.string(), suggested_fix: z.string().nullish() }).safeParse(error)
  if (!parsed.success) return JSON.stringify(error)
  const { message, suggested_fix: fix } = parsed.data
  return fix === undefined || fix === null || fix === '' ? message : `${message} ${fix}`
}
