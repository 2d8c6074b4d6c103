/** The addresses at which approvals are answered: the page for those who are signed in, and a broker's signed answer. */
import { randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { createApprovalsDoor, type ApprovalsDoorParts } from './approvals-door.ts'
import { createSignedAnswer, type SignedAnswerParts } from './signed-answer.ts'

export type ApprovalAddressesParts = ApprovalsDoorParts & Pick<SignedAnswerParts, 'limits' | 'clients'>

export function createApprovalAddresses(parts: ApprovalAddressesParts): Hono<{ Bindings: HttpBindings }> {
  const { db, vault, limits, clients, approvals } = parts
  const door = new Hono<{ Bindings: HttpBindings }>()
  door.route('/', createApprovalsDoor(parts))
  const { lookup } = approvals
  const own = { newCorrelationId: randomUUID, now: Date.now }
  door.route('/', createSignedAnswer({ db, vault, lookup, limits, clients, ...own }))
  return door
}
