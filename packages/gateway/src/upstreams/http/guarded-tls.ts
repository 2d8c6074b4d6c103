/**
 * TLS connections for protocols that are not HTTP (syslog), through the one guarded connector, so that the address is judged when
 * the connection is made. The server's certificate is always checked.
 */
import type { Duplex } from 'node:stream'
import { createConnector, type Permits } from './agent.ts'

export interface TlsTarget extends Permits {
  readonly alias: string
  readonly host: string
  readonly port: number
  /** PEM; the public authorities where it is unsaid. */
  readonly ca?: string | undefined
  readonly certificate?: string | undefined
  readonly privateKey?: string | undefined
}

export type ConnectTls = (target: TlsTarget) => Promise<Duplex>

/** Throws `egress.refused`, and what the network and TLS do as errors of their own. */
export function connectTls({ host, port, ca, certificate, privateKey, ...reach }: TlsTarget): Promise<Duplex> {
  const connect = createConnector({
    ...reach,
    allowH2: false,
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(privateKey === undefined ? {} : { key: privateKey }),
  })
  const bracketed = host.includes(':') ? `[${host}]` : host
  return new Promise((resolve, reject) => {
    connect({ hostname: host, host: `${bracketed}:${port}`, protocol: 'https:', port: String(port) }, (error, socket) =>
      socket === null ? reject(error ?? new Error('no connection')) : resolve(socket),
    )
  })
}
