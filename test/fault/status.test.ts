/** `toolway status` beside a gateway whose database is away: the gateway serves, and that is what is shown. */
// @module-tag long
import { expect, test } from 'vitest'
import { makeInstallation } from '../cli/installation.ts'
import { startOutsideDatabase } from './outside-database.ts'

test('the status says that the gateway runs, and why its database cannot be used', async () => {
  await using outside = await startOutsideDatabase()
  await using here = await makeInstallation({ DATABASE_URL: outside.url })
  const running = await here.start()
  expect(await here.run(['status'])).toMatchObject({ code: 0, out: expect.stringMatching(/Approvals +none pending/) })

  outside.cut()
  const shown = await here.run(['status'])
  expect(shown).toMatchObject({ code: 1, err: '' })
  expect(shown.out).toContain(`running at ${running.address}`)
  expect(shown.out).toMatch(/Database +The database at DATABASE_URL cannot be used \(/)
  expect(shown.out).toMatch(/toolway doctor +check the setup/)
  const told = await here.run(['status', '--json'])
  expect(JSON.parse(told.out)).toMatchObject({
    running: true,
    connections: null,
    problem: expect.stringContaining('The database at DATABASE_URL cannot be used'),
  })
})
