/** Addresses of files end with the membership of who asked for them, and are good again with it. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addMember, addUser } from '../peers/people/administrators.ts'

const Made = z.looseObject({ id: z.string(), upload: z.object({ url: z.string() }) })

test('addresses of files of whoever is suspended are refused, of a key of theirs and of their own', async () => {
  await using gateway = await startTestGateway({})
  const user = await addUser(gateway, 'files@example.com')
  await addMember(gateway, gateway.organization.id, user, 'tenant_member')
  const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' }
  const files = `${gateway.address}/api/v1/organizations/default/files`
  const body = JSON.stringify({ name: 'a.txt', size: 10, sha256: randomBytes(32).toString('hex') })
  const made = Made.parse(await (await fetch(files, { method: 'POST', headers, body })).json())
  const status = async () =>
    (await fetch(made.upload.url, { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } })).status
  const suspend = (active: boolean) =>
    gateway.db.system((sql) => sql(z.object({}))`update members set active = ${active} where user_id = ${user}`)
  expect(await status()).toBe(200)
  // The key becomes one of the person, and afterwards the address is the person's own.
  await gateway.db.system(
    (sql) => sql(z.object({}))`
      update keys set user_id = ${user} where id = (select made_by from file_links where file_id = ${made.id})`,
  )
  for (const owner of ['key', 'person']) {
    if (owner === 'person')
      await gateway.db.system(
        (sql) => sql(z.object({}))`update file_links set made_by = ${user} where file_id = ${made.id}`,
      )
    await suspend(false)
    expect(await status()).toBe(404)
    await suspend(true)
    expect(await status()).toBe(200)
  }
})
