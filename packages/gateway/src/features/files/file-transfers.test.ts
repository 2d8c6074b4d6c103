import { expect, test } from 'vitest'
import type { Uploads } from './uploads.ts'
import { createFileTransfers, type FileTransferParts } from './file-transfers.ts'

const TOKEN = 'a'.repeat(43)
const NEVER = new AbortController().signal

/** Transfers whose address is of the organization that the test names, and whose client sends nothing more. */
function fixture() {
  let organization = ''
  const isUnderWay: string[] = []
  const ends: (() => void)[] = []
  const transfers = createFileTransfers({
    db: {
      system: () => Promise.resolve({ link: { made_by: 'key_1' }, row: { organization_id: organization } }),
    } as unknown as FileTransferParts['db'],
    uploads: {
      append: ({ organization_id: of }: { organization_id: string }) => {
        isUnderWay.push(of)
        return new Promise((resolve) => ends.push(() => resolve(1)))
      },
    } as unknown as Uploads,
    hash: (text) => Buffer.from(text),
    blobs: {} as FileTransferParts['blobs'],
    openKey: () => Buffer.alloc(0),
  })
  const begin = async (of: string) => {
    organization = of
    const before = isUnderWay.length
    const piece = { offset: 0, content: (async function* () {})(), signal: NEVER }
    const from = { address: undefined, userAgent: undefined, correlationId: 'c' }
    const sent = transfers.append(TOKEN, piece, from).then(
      () => 'sent',
      ({ code }: { code: string }) => code,
    )
    await new Promise(setImmediate)
    return isUnderWay.length > before ? 'begun' : sent
  }
  /** Begins transfers until one is refused; how many began. */
  const fill = async (of: string, most = 100) => {
    let count = 0
    while (count < most && (await begin(of)) === 'begun') count++
    return count
  }
  return { begin, fill, isUnderWay, end: () => ends.splice(0).forEach((end) => end()) }
}

test('however many organizations have slow transfers, another one can begin, and all together are bounded', async () => {
  const { begin, fill, isUnderWay, end } = fixture()
  for (const organization of ['a', 'b', 'c', 'd']) await fill(organization, 8)
  expect(await begin('e')).toBe('begun')
  expect(isUnderWay.length).toBeLessThanOrEqual(32)
  expect(await begin('a')).toBe('file.crowded')
  end()
  await new Promise(setImmediate)
  expect(await begin('a')).toBe('begun')
})

test('an organization that is alone has most of the places', async () => {
  const { begin, fill } = fixture()
  expect(await fill('a')).toBe(26)
  expect(await begin('b')).toBe('begun')
})
