/** The fake of each family of the provider table. */
import { createBitbucket, createGitHub, createGitLab } from './code.ts'
import { createGoogle, createMicrosoft } from './suites.ts'
import { createDiscord, createSlack, createZoom } from './talk.ts'
import type { Vendor } from './vendor.ts'
import { createAtlassian, createLinear, createNotion } from './work.ts'

export const FAKES: Readonly<Record<string, () => Vendor>> = {
  github: createGitHub,
  gitlab: createGitLab,
  bitbucket: createBitbucket,
  jira: createAtlassian,
  linear: createLinear,
  slack: createSlack,
  discord: createDiscord,
  google: createGoogle,
  microsoft: createMicrosoft,
  notion: createNotion,
  zoom: createZoom,
}
