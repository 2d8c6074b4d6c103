/** The files of a call's arguments: each that is sent is one that rules see. */
import { expect, test } from 'vitest'
import { openFileHouse, piecesOf } from '../../features/files/file-house.test.fixture.ts'
import { givenFiles, type FileCaller } from './given-files.ts'

const PLACES = [['files', '*']]

test('all files are known, also the last of many, and more than can be looked at are refused', async () => {
  await using house = await openFileHouse()
  const { store, ann } = house
  const put = (name: string) => store.put(ann, { name, origin: { kind: 'upload' } }, piecesOf(Buffer.from('a')))
  const [plain, program] = await Promise.all([put('a.txt'), put('tool.exe')])
  const caller = {
    organizationId: ann.organizationId,
    principal: { id: ann.principal, userId: undefined },
  } as unknown as FileCaller
  const given = (count: number) => ({ files: [...Array.from({ length: count }, () => plain.uri), program.uri] })
  const known = await givenFiles({ files: store }, caller, PLACES, given(60))
  expect(known).toHaveLength(61)
  expect(known.at(-1)).toMatchObject({ place: '/files/60', name: 'tool.exe' })
  await expect(givenFiles({ files: store }, caller, PLACES, given(200))).rejects.toMatchObject({ code: 'params.shape' })
})
