/**
 * The error that a server answered a request of the gateway's own with: it speaks MCP, and says no.
 *
 * Told apart from an answer that is no MCP, because a wrong token or a missing network must not look like a wrong address.
 */
import { Fault } from '@toolway/contract'

/** A server's own words, as far as a reason needs them. */
export const excerpt = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

export const errorAnswer = (connection: string, method: string, error: { readonly message: string }): Fault =>
  new Fault('upstream.error', { connection, problem: `${method}: ${excerpt(error.message)}` })

/** Whether a greeting was refused, by an error or by what is no answer to it: another era may be understood. */
export const isGreetingRefused = (thrown: unknown): thrown is Fault =>
  thrown instanceof Fault && (thrown.code === 'upstream.error' || thrown.code === 'upstream.malformed')
