/** `toolway vault …`: with which keys values are sealed, a new key while gateways run, and an old one gone. */
import { KeyNotEverywhere, retireKey, rotateKeys } from '../../features/installation/index.ts'
import { countSealed } from '../../vault/count-sealed.ts'
import { NoPlaceForKey } from '../../vault/key-sources.ts'
import { KeyStays } from '../../vault/rotate.ts'
import { countWithNoun } from '../../lib/count-with-noun.ts'
import { CommandFault, EXIT, table, type Output } from '../terminal/output.ts'
import { openConfig } from '../open-config.ts'
import { withInstallation } from '../store.ts'
import { refuseElsewhere } from '../transport/named-gateway.ts'

/** The keys are on this machine alone. */
async function atOwn<T>(work: Parameters<typeof withInstallation<T>>[0]): Promise<T> {
  await refuseElsewhere(await openConfig())
  return withInstallation(work)
}

export const status = (output: Output): Promise<number> =>
  atOwn(async ({ db, ring }) => {
    const counts = await db.system(countSealed)
    const valuesOf = (id: string) => counts.filter(({ key }) => key === id).reduce((sum, { count }) => sum + count, 0)
    const [current] = ring.keys
    const keys = [
      ...ring.keys.map(({ id, source }) => ({ id, source, use: id === current.id ? 'encrypts' : 'decrypts' })),
      ...ring.unknown.map(({ id, source }) => ({ id, source, use: 'unused' })),
    ].map((key) => ({ ...key, values: valuesOf(key.id) }))
    const others = OTHERS.flatMap(([key, words]) => (valuesOf(key) === 0 ? [] : [{ words, values: valuesOf(key) }]))
    output.result({ keys, counts, notes: ring.notes }, [
      ...table(
        ['KEY', 'FROM', 'USE', 'VALUES'],
        keys.map(({ id, source, use, values }) => [id, source, use, String(values)]),
      ),
      ...others.map(({ words, values }) => `${countWithNoun(values, 'value')} ${words}`),
      ...ring.notes.map((text) => `Note: ${text}.`),
    ])
    return EXIT.ok
  })

const OTHERS = [
  ['unnamed', 'from an earlier version, without a key ID; `toolway vault rotate` adds it.'],
  ['plain', 'in plain text; the gateway encrypts plain text the next time it starts.'],
  ['foreign', 'encrypted by another program (enc:) and left unchanged.'],
] as const

export const rotate = (output: Output): Promise<number> =>
  atOwn(async ({ db, sources }) => {
    const printNote = (text: string) => {
      if (!output.json) process.stderr.write(`${text}\n`)
    }
    const turned = await wordRefusals(
      rotateKeys({
        db,
        sources,
        onStep: (step, id) => printNote(STEPS[step](id)),
        onProgress: (column, done) => printNote(`${countWithNoun(done, 'value')} re-encrypted (${column})`),
      }),
    )
    const { id, source, done, unopened, left, resumed } = turned
    output.result(turned, [
      resumed
        ? `An interrupted rotation was completed: ${countWithNoun(done, 'value was', 'values were')} re-encrypted with the vault key ${id} (${source}).`
        : `The vault key is now ${id} (${source}); ${countWithNoun(done, 'value was', 'values were')} re-encrypted.`,
      ...unopened.map((column) => `Cannot be decrypted with any key, and was not changed: ${column}.`),
      ...(left === 0
        ? []
        : [`${countWithNoun(left, 'value was', 'values were')} locked by other processes: run the command again.`]),
      ...(resumed
        ? []
        : [
            'The old key can still be used for decryption. `toolway vault retire KEY` removes it; `toolway vault status` shows its ID.',
          ]),
    ])
    return unopened.length + left === 0 ? EXIT.ok : EXIT.failed
  })

const STEPS = {
  'key made': (id: string) => `Key ${id} was created.`,
  'key known': (id: string) => `Gateways are loading key ${id} …`,
  'key seals': (id: string) => `Key ${id} is now used for encryption.`,
} as const

export const retire = (id: string, output: Output): Promise<number> =>
  atOwn(async ({ db, sources }) => {
    const still = await wordRefusals(retireKey({ db, sources }, id))
    output.result({ retired: id, still }, [
      `The vault key ${id} was retired: it no longer decrypts anything, and its signatures are no longer valid.`,
      ...still.map((source) => `It is still in ${source}: remove it there.`),
    ])
    return EXIT.ok
  })

/** Refusals are told in one sentence. */
const wordRefusals = <T>(work: Promise<T>): Promise<T> =>
  work.catch((thrown: unknown) => {
    const known = [KeyNotEverywhere, KeyStays, NoPlaceForKey].some((kind) => thrown instanceof kind)
    throw known ? new CommandFault((thrown as Error).message) : thrown
  })
