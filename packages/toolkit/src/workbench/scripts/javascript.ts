/** The operations in JavaScript for Node, as a module or a script. */
import { base64, type Given, type Operation } from './script.ts'

const BEGIN = `(async (given, data) => {
  const { createHash } = await import('node:crypto')
  const fs = await import('node:fs')
  const { path, part, folder, offset } = given
  const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')
  const stat = (name) => {
    const found = fs.lstatSync(name, { throwIfNoEntry: false })
    if (found === undefined) return null
    if (!fs.statSync(name).isFile()) throw new Error(name + ' is not a file')
    const digest = createHash('sha256')
    const chunk = Buffer.alloc(1 << 20)
    const file = fs.openSync(name, 'r')
    let size = 0
    for (let read; (read = fs.readSync(file, chunk, 0, chunk.length, size)) > 0; size += read) digest.update(chunk.subarray(0, read))
    fs.closeSync(file)
    return { size, sha256: digest.digest('hex') }
  }
  const same = (one, other) => one !== null && one.size === other.size && one.sha256 === other.sha256
  let said
  let output = Buffer.alloc(0)
  try {
`

const BODIES: Readonly<Record<Operation['name'], string>> = {
  stat: `    said = { file: stat(given[given.target]) }
`,
  write: `    fs.mkdirSync(folder, { recursive: true })
    const held = fs.lstatSync(part, { throwIfNoEntry: false })?.size ?? 0
    if (held < offset) said = { gap: held }
    else {
      const file = fs.openSync(part, held === 0 ? 'w' : 'r+')
      for (let at = 0; at < data.length; ) at += fs.writeSync(file, data, at, data.length - at, offset + at)
      fs.ftruncateSync(file, offset + data.length)
      fs.fsyncSync(file)
      fs.closeSync(file)
      said = { size: offset + data.length, sha256: sha256(data) }
    }
`,
  finish: `    if (same(stat(part), given)) {
      fs.renameSync(part, path)
      said = { done: true }
    } else if (stat(part) === null && same(stat(path), given)) said = { done: true }
    else said = { done: false, part: stat(part) }
`,
  read: `    const file = fs.openSync(path, 'r')
    const chunk = Buffer.alloc(given.size)
    let held = 0
    for (let read; held < chunk.length && (read = fs.readSync(file, chunk, held, chunk.length - held, offset + held)) > 0; ) held += read
    fs.closeSync(file)
    output = chunk.subarray(0, held)
    said = { sha256: sha256(output) }
`,
}

const END = `  } catch (problem) {
    output = Buffer.alloc(0)
    said = { failed: String(problem) }
  }
  console.log('@@toolway:' + given.nonce + ':' + Buffer.from(JSON.stringify(said)).toString('base64') + ':' + output.toString('base64') + '@@')
`

export function javascriptScript({ operation, ...names }: Given): string {
  const { bytes = new Uint8Array(), ...more } = { bytes: undefined, ...operation }
  const call = `})(JSON.parse(Buffer.from('${base64(JSON.stringify({ ...names, ...more }))}', 'base64').toString()), Buffer.from('${base64(bytes)}', 'base64'))\n`
  return BEGIN + BODIES[operation.name] + END + call
}
