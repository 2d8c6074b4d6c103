/**
 * The names of callers in records: a member's email address, a key's name, for whoever reads a table. Lists are read page by page until
 * all names are known, each once for a command. An id without a name stays as it is: a key that was removed, or a list that the caller
 * may not read.
 */
import { listMembers, listOrganizationKeys } from '@toolway/contract/admin'
import { Refusal, type Transport } from '../../cli/transport/transport.ts'
import { isPlatform, type OfChain } from './of-chain.command.ts'

const PAGE = 200

/** One list of names, read no further than needed. */
interface Names {
  /** Reads on until the ids are known or the list ends. */
  find(ids: readonly string[]): Promise<void>
  readonly known: ReadonlyMap<string, string>
}

type ReadPage = (offset: number) => Promise<readonly (readonly [id: string, name: string])[]>

function createNames(page: ReadPage): Names {
  const known = new Map<string, string>()
  let offset: number | undefined = 0
  return {
    known,
    async find(ids) {
      while (offset !== undefined && ids.some((id) => !known.has(id))) {
        const found: Awaited<ReturnType<ReadPage>> = await page(offset).catch(mayNotRead)
        for (const [id, name] of found) known.set(id, name)
        offset = found.length < PAGE ? undefined : offset + PAGE
      }
    },
  }
}

function mayNotRead(thrown: unknown): [] {
  if (thrown instanceof Refusal) return []
  throw thrown
}

/** `nameOf(id)`, for ids that were looked up before. */
export function createActorNames({ call }: Transport, words: OfChain) {
  const { organization } = words
  const page = (offset: number) => ({ params: { organization }, query: { limit: PAGE, offset } })
  const keys = createNames(async (offset) =>
    (await call(listOrganizationKeys, page(offset))).items.map(({ id, name }) => [id, name] as const),
  )
  const members = createNames(async (offset) =>
    (await call(listMembers, page(offset))).items.map(({ user_id: id, email }) => [id, email] as const),
  )
  return {
    async lookUp(ids: readonly string[]): Promise<void> {
      if (isPlatform(words)) return
      await keys.find(ids.filter((id) => id.startsWith('key_')))
      await members.find(ids.filter((id) => id.startsWith('usr_')))
    },
    nameOf: (id: string): string => keys.known.get(id) ?? members.known.get(id) ?? id,
  }
}
