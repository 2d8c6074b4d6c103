/** Keeps this gateway in the list of gateways that run on the database. */
import { hostname } from 'node:os'
import { randomUUID } from 'node:crypto'
import { VERSION } from '../call/introduce.ts'
import { HEARTBEAT_SECONDS, removeGateway, storeGateway } from '../gateways/gateways.ts'
import { createKeepGateway } from '../jobs/keep-gateway.ts'
import type { CoreDependencies } from './core-dependencies.ts'

/** Returns the ID of this gateway in that list. */
export function composeGateway({ config, db, log, opened }: CoreDependencies): string {
  const gateway = {
    id: randomUUID(),
    host: hostname(),
    process: process.pid,
    version: VERSION,
    roles: config.TOOLWAY_ROLES,
    startedAt: new Date(),
  }
  const keeping = createKeepGateway({
    store: () => db.system((sql) => storeGateway(sql, gateway)),
    remove: () => db.system((sql) => removeGateway(sql, gateway.id)),
    log,
    every: HEARTBEAT_SECONDS * 1000,
  })
  opened.defer(() => keeping.close())
  return gateway.id
}
