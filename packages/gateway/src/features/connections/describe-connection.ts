/**
 * The description of a connection in a request, in our words or in the source system's: pure, and without a judgement of who may say
 * it.
 */
import { Fault, kindOf, type Connector } from '@toolway/contract'
import type { NewConnection } from '@toolway/contract/admin'
import type { Described, OpenedConnection, ConnectionRequest } from '../../kinds/kind.ts'
import { describeWire, KINDS, type ConnectionWords, type Wire } from '../../kinds/kinds.ts'
import { mismatch } from '../../kinds/settings.ts'

const TAKES = [
  KINDS.flatMap(({ connector, addedElsewhere }) => (addedElsewhere === undefined ? [connector] : [])).join(', '),
  KINDS.flatMap(({ runtimes }) => (runtimes === undefined ? [] : [`or runtime_type ${runtimes.words}`])).join(', '),
].join('; ')

/** The kind that a request describes. Throws `connector.unknown`, and `body.shape` where nothing names one. */
export function connectorOf(input: NewConnection): Connector {
  const { connector, connector_type: type, runtime_type: runtime } = input
  const named = connector ?? type
  const known = KINDS.find((kind) => kind.connector === named)
  if (known?.addedElsewhere !== undefined) throw mismatch('/connector', known.addedElsewhere)
  if (known !== undefined) return known.connector
  const run = runtime === undefined ? undefined : KINDS.find(({ runtimes }) => runtimes?.form.test(runtime) === true)
  if (run !== undefined) return run.connector
  // The source system's native connectors are named by their vendor.
  const vendor = connector === undefined ? type : undefined
  const typed = vendor === undefined ? undefined : KINDS.find(({ isType }) => isType?.(vendor) === true)
  if (typed !== undefined) return typed.connector
  // `custom` only says that it is none of the source system's own.
  const unknown = named === 'custom' ? runtime : (named ?? runtime)
  if (unknown !== undefined) throw new Fault('connector.unknown', { connector: unknown, connectors: TAKES })
  const meant = KINDS.find(({ meantBy }) => meantBy.some((member) => input[member] !== undefined))
  if (meant === undefined) throw mismatch('/connector', `is missing: ${TAKES}`)
  return meant.connector
}

export interface DescribedConnection extends Omit<Described<Wire>, 'wire'> {
  readonly words: Omit<ConnectionWords, 'shown'>
}

/** A connection as it is to be: the request over what is held. */
export function describe(
  connector: Connector,
  request: ConnectionRequest,
  connection: OpenedConnection | undefined,
): DescribedConnection {
  const { wire, ...turn } = describeWire(connector, request, connection)
  return {
    ...turn,
    words: {
      wire,
      revision: request.revision ?? connection?.settings.revision ?? 'auto',
      checks: checksOf(request, connection),
      timeout: request.timeout ?? connection?.settings.timeout ?? kindOf(connector).timeout,
    },
  }
}

/**
 * No checks are stored as they were, absent or by name: to say again what is so changes no settings, and so ends nothing that was granted
 * for them.
 */
function checksOf({ checks }: ConnectionRequest, connection: OpenedConnection | undefined) {
  const stored = connection?.settings.checks
  return checks === undefined || checks === (stored ?? 'none') ? stored : checks
}
