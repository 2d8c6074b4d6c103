/**
 * The demo connection of a first run: `node demo-server.ts` is an MCP server on stdin and stdout, in every protocol version
 * that the SDK serves. It works without an account and without the network. Notes are files in `.toolway-demo/notes` under the
 * home directory, which the gateway sets for each child.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { McpServer, ResourceNotFoundError, ResourceTemplate, type ServerContext } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { calculate } from './calculate.ts'

type Answer = readonly [text: string, value: Record<string, unknown>]

/** Adds a tool whose effect gives its hints (MCP schema 2026-07-28, ToolAnnotations). An Error that it throws is told to the model. */
function addTool<Input extends z.ZodRawShape>(
  server: McpServer,
  [name, effect, description]: readonly [string, 'read' | 'write' | 'destructive', string],
  input: Input,
  run: (value: z.output<z.ZodObject<Input>>, call: ServerContext['mcpReq']) => Answer | Promise<Answer>,
): void {
  const annotations = {
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'destructive',
    idempotentHint: effect !== 'write',
    openWorldHint: false,
  }
  // Widened: the type of the SDK's callback does not resolve for a type parameter.
  const inputSchema: z.ZodObject = z.strictObject(input)
  server.registerTool(name, { description, annotations, inputSchema }, async (value, { mcpReq }) => {
    const [text, structuredContent] = await run(value as z.output<z.ZodObject<Input>>, mcpReq)
    return { content: [{ type: 'text', text }], structuredContent }
  })
}

function linesOnlyIn(lines: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return lines.filter((line) => !known.has(line))
}

const TEXT = z.string().max(200_000)

function addTextTools(server: McpServer): void {
  const expression = z.string().min(1).max(500).describe('For example: round((1250 * 1.19) / 12, 2)')
  const about = 'Evaluate an expression that uses + - * / % ^, parentheses, pi, e, sqrt, abs, min, max and round.'
  addTool(server, ['calculate', 'read', about], { expression }, (input) => {
    const result = calculate(input.expression)
    return [`${input.expression} = ${result}`, { expression: input.expression, result }]
  })
  const compared = 'Compare two texts and list the lines that only one of them has.'
  addTool(server, ['compare_texts', 'read', compared], { before: TEXT, after: TEXT }, ({ before, after }) => {
    const [old, fresh] = [before.split('\n'), after.split('\n')]
    const [removed, added] = [linesOnlyIn(old, fresh), linesOnlyIn(fresh, old)]
    const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)]
    return [lines.join('\n') || 'Both texts have the same lines.', { added, removed }]
  })
  const algorithm = z.enum(['sha256', 'sha512']).default('sha256')
  addTool(server, ['hash_text', 'read', 'Compute the digest of a text.'], { text: TEXT, algorithm }, (input) => {
    const digest = createHash(input.algorithm).update(input.text).digest('hex')
    return [`${input.algorithm} of ${Buffer.byteLength(input.text)} bytes: ${digest}`, { digest }]
  })
  const count = z.int().min(1).max(100).default(1)
  addTool(server, ['make_ids', 'read', 'Create random identifiers (UUID version 4).'], { count }, (input) => {
    const ids = Array.from({ length: input.count }, () => randomUUID())
    return [ids.join('\n'), { ids }]
  })
}

function addTimeTools(server: McpServer): void {
  const zones = z.array(z.string().max(60)).min(1).max(20).describe('IANA time zones, such as Europe/Berlin')
  addTool(server, ['world_clock', 'read', 'Get the date and time in several time zones.'], { zones }, (input) => {
    const clocks = input.zones.map((timeZone) => ({
      zone: timeZone,
      local: new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'long' }).format(),
    }))
    return [clocks.map(({ zone, local }) => `${zone}: ${local}`).join('\n'), { clocks }]
  })
  const waiting = { seconds: z.number().min(0).max(30), steps: z.int().min(1).max(100).default(5) }
  const about = 'Wait and report progress in steps, to test progress, timeouts and cancellation.'
  addTool(server, ['wait_for', 'read', about], waiting, async ({ seconds, steps }, call) => {
    const progressToken = call._meta?.progressToken
    for (let progress = 1; progress <= steps; progress += 1) {
      await sleep((seconds * 1000) / steps, undefined, { signal: call.signal })
      if (progressToken === undefined) continue
      const params = { progressToken, progress, total: steps, message: `${progress} of ${steps}` }
      await call.notify({ method: 'notifications/progress', params })
    }
    return [`Waited ${seconds} seconds in ${steps} steps.`, { waited_seconds: seconds, steps }]
  })
}

const FOLDER = join(homedir(), '.toolway-demo', 'notes')
const MAX_NOTES = 1000
const fileOf = (id: string) => join(FOLDER, `${id}.json`)
const Note = z.object({ id: z.uuid(), title: z.string(), text: z.string().default('') })

async function readNotes() {
  const names = await readdir(FOLDER).catch(() => [])
  const texts = await Promise.all(names.map((name) => readFile(join(FOLDER, name), 'utf8').catch(() => '')))
  return texts.filter(Boolean).flatMap((text) => Note.safeParse(parseOrUndefined(text)).data ?? [])
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function addNoteTools(server: McpServer): void {
  const fields = { title: z.string().trim().min(1).max(200), text: z.string().max(20_000).default('') }
  addTool(server, ['notes_add', 'write', 'Keep a note in a small notebook on this machine.'], fields, async (input) => {
    const note = { id: randomUUID(), ...input }
    await mkdir(FOLDER, { recursive: true })
    if ((await readdir(FOLDER)).length >= MAX_NOTES) throw new Error('The notebook is full. Remove a note first.')
    await writeFile(fileOf(note.id), JSON.stringify(note), { mode: 0o600 })
    return [`Saved the note '${note.title}' as ${note.id}.`, note]
  })
  const words = z.string().max(200).default('').describe('If omitted, all notes are listed')
  addTool(server, ['notes_search', 'read', 'Find the notes that contain a text.'], { words }, async (input) => {
    const text = input.words.toLowerCase()
    const notes = (await readNotes()).filter((note) => `${note.title}\n${note.text}`.toLowerCase().includes(text))
    return [notes.map(({ id, title }) => `${id}  ${title}`).join('\n') || 'No note matches.', { notes }]
  })
  const id = z.uuid().describe('ID of the note')
  addTool(server, ['notes_remove', 'destructive', 'Delete a note.'], { id }, async (input) => {
    await rm(fileOf(input.id)).catch(() => {
      throw new Error(`There is no note '${input.id}'. notes_search lists the IDs.`)
    })
    return [`Removed the note ${input.id}.`, { id: input.id }]
  })
}

/** Notes as resources, and a prompt about them. */
function addReading(server: McpServer): void {
  const list = async () => ({
    resources: (await readNotes()).map(({ id, title }) => ({ uri: `note:///${id}`, name: id, title })),
  })
  const template = new ResourceTemplate('note:///{id}', { list })
  server.registerResource('note', template, { title: 'Note', mimeType: 'text/markdown' }, async (uri, variables) => {
    const note = (await readNotes()).find(({ id }) => id === variables['id'])
    if (note === undefined) throw new ResourceNotFoundError(uri.href)
    return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text: `# ${note.title}\n\n${note.text}\n` }] }
  })
  const about = { title: 'Plan my day', argsSchema: z.object({ focus: z.string().max(500).optional() }) }
  server.registerPrompt('plan_my_day', about, ({ focus }) => {
    const text = `Plan my day hour by hour from my notes (notes_search).${focus ? ` What matters most: ${focus}` : ''}`
    return { messages: [{ role: 'user', content: { type: 'text', text } }] }
  })
}

function createDemoServer(): McpServer {
  const server = new McpServer({ name: 'toolway-demo', title: 'Toolway demo', version: '1.0.0' })
  for (const add of [addTimeTools, addTextTools, addNoteTools, addReading]) add(server)
  return server
}

serveStdio(createDemoServer, { onerror: (fault) => console.error(`demo: ${fault.message}`) })
