/** The parts of a story: the values that a scenario's suite gave the client, and the actions of each participant. */
import type { Client } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { KnownClient, Person } from './client-person.ts'

export interface Story {
  /** The client that an administrator has registered at the scenario's authorization server. */
  readonly client?: KnownClient | undefined
  /** Before there is a client: how a person lets the gateway in at the server. */
  enter?(person: Person): Promise<'lets in' | 'stays out'>
  /** Before the client connects: what it answers when it is asked. */
  prepare?(client: Client): void
  tell(client: Client, person: Person): Promise<void>
}

export const Context = z.object({
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.json()) })).default([]),
})
export type Context = z.output<typeof Context>
