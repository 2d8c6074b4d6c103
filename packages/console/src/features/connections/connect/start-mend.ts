/**
 * Remedies for a program that cannot reach its package source: a setting of the installation, named where the error identifies
 * it.
 */
import { texts } from '../../../texts/texts.ts'

const t = texts.connect.start.mends

const CERTIFICATE = /\bSELF_SIGNED|CERT_|_CERT\b|UNABLE_TO_VERIFY|LEAF_SIGNATURE|certificate|UnknownIssuer/i
const FETCHES = /\b(?:npm|npx|pip|uvx?|pypi|registry)\b/i
const REGISTRY =
  /\b(?:E40[134]|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)\b|failed to fetch|could not (?:find|fetch)|no matching distribution/i

const NOT_FETCHED = /\bENOTCACHED\b|only-if-cached|network connectivity is disabled|wasn't found in the cache/i

/** Undefined where no setting would help. */
export function startMendOf(problem: string): string | undefined {
  if (NOT_FETCHED.test(problem)) return t.notFetched
  if (CERTIFICATE.test(problem)) return t.certificate
  return FETCHES.test(problem) && REGISTRY.test(problem) ? t.registry : undefined
}
