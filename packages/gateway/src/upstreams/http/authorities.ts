/** The certificate authorities that this process trusts: for all of its connections, as they all leave by `agent.ts`. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/** As PEM, one each. */
export const trustedAuthorities = (): string[] => [...new Set(getCACertificates('default'))]

/** Besides those that are trusted already. Throws where one cannot be read. */
export const trustAuthorities = (more: readonly string[]): void =>
  setDefaultCACertificates([...getCACertificates('default'), ...more])
