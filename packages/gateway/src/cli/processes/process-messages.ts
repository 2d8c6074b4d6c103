/** What the first process and the gateway processes say to each other, as JSON over the channel of node:cluster. */
import type { DatabaseConnection } from '../../db/db.ts'
import type { PresetName } from '../../presets.ts'

/** What a gateway process is told once, when it starts. The rest it reads from the settings, as the first one did. */
export interface Beginning {
  readonly preset: PresetName | undefined
  readonly logLevel: string
  /** The embedded database, which the first process runs; undefined where DATABASE_URL names one. */
  readonly database: DatabaseConnection | undefined
  /** Milliseconds for which a start waits until each connection was asked what it offers. */
  readonly patience: number
}

export type ToProcess =
  | { readonly kind: 'begin'; readonly beginning: Beginning }
  | { readonly kind: 'retire' | 'end' }
  | { readonly kind: 'asked'; readonly id: number; readonly what: string; readonly facts: unknown }
  /** `asked`: how many processes were asked, with those that did not answer. */
  | { readonly kind: 'answers'; readonly id: number; readonly all: readonly unknown[]; readonly asked: number }

export type FromProcess =
  | { readonly kind: 'listening'; readonly port: number }
  /** `isTold`: the message is a sentence for the operator. */
  | { readonly kind: 'failed'; readonly message: string; readonly isTold: boolean; readonly code: string | undefined }
  | { readonly kind: 'ask'; readonly id: number; readonly what: string; readonly facts: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly facts: unknown }
