/** Variables of the toolkit that a test needs: the preset gives it none that open private networks. */
import type { DeclaredConnection } from '../../../packages/gateway/src/features/declaration/index.ts'

export const withEnvironment = (
  connections: readonly DeclaredConnection[],
  more: Readonly<Record<string, string>>,
): DeclaredConnection[] =>
  connections.map((one) =>
    one.alias === 'local_toolkit' && one.wire.kind === 'process'
      ? { ...one, wire: { ...one.wire, environment: { ...one.wire.environment, ...more } } }
      : one,
  )
