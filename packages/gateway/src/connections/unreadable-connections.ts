/**
 * Connections whose stored settings cannot be read at all, as a newer version or another hand may have left them. Such a row takes no
 * neighbour along: it stands in the list, switched off and with a word about it, and can be removed.
 */
import { CONNECTORS, ConnectionSettings, DEFAULT_CONNECTOR } from '@toolway/contract'

/** No request ever goes there: the connection is off, and the name leads nowhere (RFC 6761, 6.4). */
const STAND_IN = ConnectionSettings.parse({ connector: DEFAULT_CONNECTOR, url: 'https://unreadable.invalid/' })

const NOTE = 'The stored settings of this connection cannot be read. It is off; remove it or restore its settings.'

const isReadable = (settings: unknown): boolean =>
  typeof settings === 'object' &&
  settings !== null &&
  'connector' in settings &&
  (CONNECTORS as readonly unknown[]).includes(settings.connector)

interface Stored {
  readonly settings: ConnectionSettings
  readonly enabled: boolean
  readonly status: string
  readonly status_reason: string | null
  readonly description: string | null
  readonly sealed: Uint8Array | null
}

/** Only settings of a kind that this version does not have are unreadable: anything less fails where the connection is opened. */
export const readable = <Row extends Stored>(row: Row): Row =>
  isReadable(row.settings)
    ? row
    : {
        ...row,
        settings: STAND_IN,
        enabled: false,
        status: 'failed',
        status_reason: NOTE,
        description: NOTE,
        sealed: null,
      }

export const isStandIn = ({ settings }: Pick<Stored, 'settings'>): boolean => settings === STAND_IN
