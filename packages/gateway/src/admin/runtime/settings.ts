/** The operation that shows the settings in force; what is secret was masked where the settings are known. */
import * as shapes from '@toolway/contract/admin'
import { servePlatform, type Served } from '../serve.ts'

export const settingOperations: readonly Served[] = [
  servePlatform(shapes.listSettings, ({ parts }) => ({ settings: [...parts.runtime.settings] })),
]
