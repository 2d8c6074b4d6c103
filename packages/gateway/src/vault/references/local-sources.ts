/** Secrets in files of one folder for each organization, as orchestrators mount them, and in variables with a prefix for each. */
import { open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { placeOf, SecretFault, SecretGone, valueIn, type SecretSource } from './secret-source.ts'

const MOST_BYTES = 64 * 1024

/** @param template an absolute path with `{organization}` as one of its names */
export function createFileSource(template: string): SecretSource {
  return {
    async read(organization, reference) {
      const folder = await realpath(placeOf(template, organization)).catch(unreadable)
      // Orchestrators mount secrets as links to a folder beside; what leads out of the organization's folder is refused.
      const path = await realpath(join(folder, reference.path)).catch(unreadable)
      if (!path.startsWith(`${folder}${sep}`))
        throw new SecretFault('the file is not in the folder of the organization')
      return valueIn(await readSmall(path), reference)
    },
  }
}

async function readSmall(path: string): Promise<string> {
  await using file = await open(path, 'r').catch(unreadable)
  const stat = await file.stat()
  if (!stat.isFile()) throw new SecretFault('the file is not a regular file')
  if (stat.size > MOST_BYTES) throw new SecretFault(`the file is larger than ${MOST_BYTES} bytes`)
  return await file.readFile('utf8')
}

function unreadable(thrown: NodeJS.ErrnoException): never {
  const words = `the file cannot be read (${thrown.code ?? 'unknown'})`
  throw thrown.code === 'ENOENT' ? new SecretGone(words) : new SecretFault(words)
}

/**
 * @param template the beginning of the variables of an organization, which ends with `{organization}__`; the slug is written in
 * capitals with `_` for `-`
 * @param lookup reads a variable
 */
export function createVariableSource(template: string, lookup: (name: string) => string | undefined): SecretSource {
  return {
    read(organization, reference) {
      const { path } = reference
      // Two underscores end the name of an organization: neither side may have them itself, nor a third one beside them, because the
      // name may end with one (`acme-`).
      if (organization.includes('--') || path.includes('__') || !/^[A-Za-z0-9][A-Za-z0-9_]*$/.test(path))
        return Promise.reject(
          new SecretFault(
            'the name of a variable may contain only letters, digits and single underscores, and must not begin with an underscore',
          ),
        )
      const name = `${placeOf(template, organization.toUpperCase().replaceAll('-', '_'))}${path}`
      const text = lookup(name)
      return text === undefined || text === ''
        ? Promise.reject(new SecretFault(`the variable ${name} is not set`))
        : Promise.resolve().then(() => valueIn(text, reference))
    },
  }
}
