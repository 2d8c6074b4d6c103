/** Keeps this gateway in the list of gateways that run on the database. */
import { hostname } from 'node:os'
import { randomUUID } from 'node:crypto'
import { VERSION } from '../../call/introduce.ts'
import { readFigures } from './figures.rows.ts'
import { createKeepGateway } from './keep-gateway.job.ts'
import { createLastKnown } from './last-known.ts'
import type { Runtime } from './runtime.ts'
import { HEARTBEAT_SECONDS, listGateways, removeGateway, storeGateway } from '../../gateways/gateways.ts'
import type { BaseWithDatabase } from '../../base/base.ts'

export interface GatewayFacts {
  /** The ID of this gateway in that list. */
  readonly gateway: string
  readonly lastFigures: Runtime['lastFigures']
  readonly lastGateways: Runtime['lastGateways']
}

/** The figures are read once, since they cost a count; the list of gateways with each heartbeat. */
export function startGateway({ config, db, log, opened }: BaseWithDatabase): GatewayFacts {
  const [lastFigures, lastGateways]: [Runtime['lastFigures'], Runtime['lastGateways']] = [
    createLastKnown(),
    createLastKnown(),
  ]
  const gateway = {
    id: randomUUID(),
    host: hostname(),
    process: process.pid,
    version: VERSION,
    roles: config.TOOLWAY_ROLES,
    startedAt: new Date(),
  }
  const keeping = createKeepGateway({
    async store() {
      await db.system((sql) => storeGateway(sql, gateway))
      await lastGateways.look(() => db.system(listGateways))
    },
    remove: () => db.system((sql) => removeGateway(sql, gateway.id)),
    log,
    every: HEARTBEAT_SECONDS * 1000,
  })
  opened.defer(() => keeping.close())
  // Beside the heartbeats: it counts, and a database that is too slow for it is not down.
  lastFigures
    .look(() => db.system(readFigures))
    .catch((err: unknown) => log.info({ err }, 'the figures of the installation are not known yet'))
  return { gateway: gateway.id, lastFigures, lastGateways }
}
