/**
 * Which tools of the demo server work on texts?
 *
 * Only shapes and sentences stand here; the work is done by the files beside this one. Texts are bounded, and none of
 * these tools keeps or sends what it is given.
 */
import { createHash } from 'node:crypto'
import * as z from 'zod'
import { demoTool } from '../demo-tool.ts'
import { makeIds, MAX_IDS } from './ids.ts'
import { writeJson } from './json-format.ts'
import { readJsonText, repeatedKeys } from '../../lib/json-text.ts'
import { diffLines } from './line-diff.ts'

const text = z.string().max(200_000)

const compare = demoTool({
  name: 'compare_texts',
  title: 'Compare texts',
  description:
    'Compare two texts line by line and show the difference as a unified diff, with the number of lines added and removed. At most 2,000 lines each.',
  effect: 'read',
  input: z.strictObject({
    before: text.describe('The older text'),
    after: text.describe('The newer text'),
    context: z.int().min(0).max(20).default(3).describe('Equal lines to show around each change'),
    ignore_whitespace: z.boolean().default(false),
  }),
  output: z.object({
    identical: z.boolean(),
    added: z.int(),
    removed: z.int(),
    unchanged: z.int(),
    unified: z.string(),
  }),
  run: ({ before, after, context, ignore_whitespace }) =>
    diffLines(before, after, { context, ignoreSpace: ignore_whitespace }),
  say: ({ identical, unified, added, removed }) =>
    identical ? 'The texts are the same.' : `${added} lines added, ${removed} removed.\n\n${unified}`,
})

const hash = demoTool({
  name: 'hash_text',
  title: 'Hash a text',
  description:
    'Compute the digest of a text (as UTF-8), for example to compare it with a published checksum. md5 and sha1 are for old checksums only, never for security.',
  effect: 'read',
  input: z.strictObject({
    text,
    algorithm: z.enum(['sha256', 'sha512', 'sha384', 'sha3-256', 'sha1', 'md5']).default('sha256'),
    encoding: z.enum(['hex', 'base64', 'base64url']).default('hex'),
  }),
  output: z.object({ algorithm: z.string(), encoding: z.string(), bytes: z.int(), digest: z.string() }),
  run: (input) => ({
    algorithm: input.algorithm,
    encoding: input.encoding,
    bytes: Buffer.byteLength(input.text, 'utf8'),
    digest: createHash(input.algorithm).update(input.text, 'utf8').digest(input.encoding),
  }),
  say: ({ algorithm, digest, bytes }) => `${algorithm} of ${bytes} bytes: ${digest}`,
})

const ids = (now: () => Date) =>
  demoTool({
    name: 'make_ids',
    title: 'Make identifiers',
    description: 'Make universally unique identifiers (RFC 9562): v4 is random, v7 sorts by the time it was made.',
    effect: 'read',
    input: z.strictObject({
      version: z.enum(['v4', 'v7']).default('v4'),
      count: z.int().min(1).max(MAX_IDS).default(1),
    }),
    output: z.object({ version: z.string(), ids: z.array(z.string()) }),
    run: ({ version, count }) => ({ version, ids: makeIds(version, count, now().getTime()) }),
    say: (answer) => answer.ids.join('\n'),
  })

const formatJson = demoTool({
  name: 'format_json',
  title: 'Format JSON',
  description:
    'Check a JSON text and write it indented or on one line, with names sorted if wanted. Numbers keep every digit. A mistake is answered with its line and column; names that stand twice are listed.',
  effect: 'read',
  input: z.strictObject({
    text: text.describe('The JSON text'),
    style: z.enum(['pretty', 'minify']).default('pretty'),
    indent: z.int().min(1).max(8).default(2),
    sort_keys: z.boolean().default(false),
  }),
  output: z.object({ text: z.string(), repeated_names: z.array(z.string()) }),
  run(input) {
    const node = readJsonText(input.text)
    const indent = input.style === 'minify' ? 0 : input.indent
    return { text: writeJson(node, { indent, sortKeys: input.sort_keys }), repeated_names: repeatedKeys(node) }
  },
  say: (answer) =>
    answer.repeated_names.length > 0
      ? `${answer.text}\n\nNames that stand twice: ${answer.repeated_names.join(', ')}`
      : answer.text,
})

/** The tools `compare_texts`, `hash_text`, `make_ids` and `format_json`. */
export const createTextTools = ({ now }: { now(): Date }) => [compare, hash, ids(now), formatJson]
