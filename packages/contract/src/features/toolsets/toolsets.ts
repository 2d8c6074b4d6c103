/** Toolsets over the admin interface: named selections that have an endpoint. */
import { z } from 'zod'
import { Slug, ToolsetSettings } from '../../connections.ts'
import { inOrganization, listOf, operation } from '../../admin/operation.ts'
import { TENANT } from '../organizations/organizations.ts'
import { Forcing } from '../rules/rules.ts'

export const Toolset = z.strictObject({
  slug: Slug,
  title: z.string(),
  settings: ToolsetSettings,
  /** Where it came from; one of a file is changed in that file, and a supplied one is there until one of its name is made. */
  origin: z.string(),
  /** Tools that somebody sees who sees all of them. */
  tools: z.int(),
  /** Tools that its list names. */
  listed: z.int(),
  /** The approximate cost of the definitions to a model that reads them, by discovery mode; of pages, the first one. */
  definition_tokens: z.strictObject({
    direct: z.int(),
    paged: z.int(),
    'two-tier': z.int(),
    search: z.int(),
  }),
  /** Numbers of tools above which clients are known to leave some out, as far as its list is longer. */
  exceeds: z.array(z.int()),
})
export type Toolset = z.output<typeof Toolset>

const TOOLSETS = `${TENANT}/toolsets`
const needs = inOrganization('tool_configure')

export const listToolsets = operation({
  id: 'listToolsets',
  at: `GET ${TOOLSETS}`,
  summary: 'List the toolsets of an organization, including built-in ones.',
  needs,
  answer: listOf(Toolset),
})
export const getToolset = operation({
  id: 'getToolset',
  at: `GET ${TOOLSETS}/{toolset}`,
  summary: 'Get one toolset, which can be a built-in one.',
  needs,
  answer: Toolset,
})
export const putToolset = operation({
  id: 'putToolset',
  at: `PUT ${TOOLSETS}/{toolset}`,
  summary: 'Create a toolset, or replace the settings of the existing toolset with that name.',
  needs,
  query: Forcing,
  body: ToolsetSettings.extend({ title: z.string().trim().min(1).max(100).optional() }),
  answer: Toolset,
})
export const removeToolset = operation({
  id: 'removeToolset',
  at: `DELETE ${TOOLSETS}/{toolset}`,
  summary: 'Delete a toolset. Keys that are limited to it stop working.',
  needs,
})
