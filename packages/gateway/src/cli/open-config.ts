/**
 * The configuration of a command: secret settings that are references are read from their places first, once, and are in memory
 * alone. A place that does not answer ends the command with the name of the setting.
 */
import { ConfigFault, findSettingReferences, loadConfig, placesOf, type LoadedConfig } from '../config.ts'
import { keySettingsProblem } from '../config/keys.ts'
import {
  awsKeysProblem,
  OF_GATEWAY,
  unread,
  withoutPlace,
  type ReadSecrets,
  type SettingReferences,
} from '../config/references.ts'

export type { LoadedConfig }

/** @param input settings of the command line. Throws ConfigFault. */
export async function openConfig(input: NodeJS.ProcessEnv = {}): Promise<LoadedConfig> {
  const found = findSettingReferences({ said: input })
  return loadConfig(undefined, undefined, input, await readSecrets(found))
}

type Asked = SettingReferences['references'][number]

/** In this order: what opens one place may be in another one before it. */
const ORDER: readonly (readonly Asked['reference']['source'][])[] = [['file', 'env'], ['aws', 'gcp'], ['vault']]

async function readSecrets({ references, texts, lookup }: SettingReferences): Promise<ReadSecrets> {
  const read = new Map<string, string>()
  if (references.length === 0) return read
  refuse(awsKeysProblem(texts))
  // Most commands have none, and load nothing for it.
  const { sourcesOf } = await import('../base/secret-sources.ts')
  for (const some of ORDER) {
    const due = references.filter(({ reference: { source } }) => some.includes(source))
    if (due.length === 0) continue
    const places = placesOf(texts, read)
    if (some.includes('vault')) refuse(keySettingsProblem(places))
    const sources = sourcesOf(places, lookup)
    const values = await Promise.all(due.map((item) => readOne(item, sources[item.reference.source])))
    for (const [index, { words }] of due.entries()) read.set(words, values[index] ?? '')
  }
  return read
}

interface Source {
  read(owner: string, reference: Asked['reference']): Promise<string>
}

function readOne({ name, reference }: Asked, source: Source | undefined): Promise<string> {
  if (source === undefined) throw withoutPlace(name, reference)
  return source.read(OF_GATEWAY, reference).catch((thrown: unknown) => {
    throw unread(name, thrown)
  })
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new ConfigFault(problem)
}
