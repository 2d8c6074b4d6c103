/** Details of the items of a list: an item that is odd, or a vendor that does not answer, costs no more than it must. */
import { expect, test } from 'vitest'
import { rest } from './rest.ts'
import { shape, str } from './shape.ts'
import { refusal } from './failure.ts'
import type { Json, ManyRequest, VendorAnswer } from './tool.ts'

const answer = (facts: Partial<VendorAnswer> = {}): VendorAnswer => ({
  ...{ status: 200, headers: {}, body: {}, at: 1_000_000 },
  ...facts,
})
const { read, write } = rest({ base: 'https://a.example' })
const spec = {
  ...{ says: '', paging: false as const, list: shape({ id: str(), problem: str() }) },
  each: {
    route: 'GET /items/{id}' as const,
    send: ({ id }: Json) => {
      if (id === 'bad') throw refusal('INVALID_ARGUMENT', 'An id is missing.')
      return { id }
    },
  },
}

/** Runs a list of these ids; `reply` answers one request for details. */
function listed(
  ids: readonly string[],
  reply: (id: unknown) => VendorAnswer,
  tool = read('GET /items', spec),
): { output: Json; sent: ManyRequest[] } {
  const run = tool.run({}, 'key-1')
  const sent: ManyRequest[] = []
  run.next()
  let step = run.next(answer({ body: ids.map((id) => ({ id })) }))
  while (step.done !== true) {
    const many = step.value as ManyRequest
    sent.push(many)
    step = run.next(answer({ answers: many.requests.map((one) => reply(Object.values(one.arguments)[0])) }))
  }
  return { output: step.value, sent }
}
const problemsOf = ({ output }: { output: Json }) => (output['items'] as Json[]).map(({ problem }) => problem)

test('an item of which no request can be made gets a problem, and the others their details', () => {
  const found = listed(['a', 'bad', '..', 'b'], (id) =>
    id === '..' ? answer({ status: 0, unsent: true, body: { message: 'It leads elsewhere' } }) : answer(),
  )
  expect(problemsOf(found)).toEqual([
    undefined,
    'Not read: An id is missing.',
    'Not read: the request for this item cannot be made.',
    undefined,
  ])
  expect(found.sent.map(({ requests }) => requests.length)).toEqual([3])
})

test('a list of odd items alone is a list, and sends nothing for them', () => {
  const found = listed(['bad', 'bad'], () => answer())
  expect(problemsOf(found)).toEqual(['Not read: An id is missing.', 'Not read: An id is missing.'])
  expect(found.sent).toEqual([])
})

test('after requests of which none was answered, no further ones are sent', () => {
  const ids = Array.from({ length: 20 }, (_, at) => `i${at}`)
  const found = listed(ids, (id) => (Number(String(id).slice(1)) < 6 ? answer() : answer({ status: 503 })))
  expect(found.sent).toHaveLength(2)
  expect(problemsOf(found).at(-1)).toBe('Not read: the vendor was not available.')
})

test('details are reads, also of a tool that writes', () => {
  const { sent } = listed(['a'], () => answer(), write('POST /items', { ...spec, once: 'idempotency-key' }))
  expect(sent[0]?.requests[0]).toMatchObject({ repeat: 'read', headers: {} })
})
