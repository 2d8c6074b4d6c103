/**
 * The tools that a selection takes, for the editor of toolsets: a page of them, how many there are in each connection, and the
 * selection as a change of many tools at once makes it. Nothing is stored: the selection is in the question.
 */
import { z } from 'zod'
import { Alias } from '../../connections.ts'
import { SHOWN_EFFECTS } from '../../effects.ts'
import { OrganizationTool, TOOL_SORTS } from './all-tools.ts'
import { inOrganization, operation, pageOf, Paging } from '../../admin/operation.ts'

/** As in the settings of a toolset; patterns of the names by which rules know tools. */
export const ToolSelection = z.strictObject({
  connections: z.array(Alias).optional(),
  include: z.array(z.string().min(1)),
  exclude: z.array(z.string().min(1)),
})

export const ToolPickFilter = z.strictObject({
  /** Part of a name, a title or a description. */
  search: z.string().max(100).optional(),
  effect: z.enum(SHOWN_EFFECTS).optional(),
  /** Alias or id. */
  connection: z.string().max(100).optional(),
  /** Only those that the selection takes (`true`), or leaves out. */
  selected: z.boolean().optional(),
})

const PICK = '/api/v1/organizations/{organization}/tool-selections'
const needs = inOrganization('tool_configure')
const page = Paging.shape

export const pickTools = operation({
  id: 'pickTools',
  at: `POST ${PICK}/tools`,
  summary: 'List tools that a selection can take, with the number and the cost of those that it takes.',
  needs,
  body: ToolPickFilter.extend({
    selection: ToolSelection,
    sort: z.enum(TOOL_SORTS).default('name'),
    limit: page.limit,
    offset: page.offset,
    cursor: page.cursor,
  }),
  answer: pageOf(OrganizationTool.extend({ selected: z.boolean() })).extend({
    /** Of those that fit the filter. */
    selected: z.int(),
    /** Of all tools, whatever the filter. */
    chosen: z.strictObject({ tools: z.int(), tokens: z.int(), of: z.int() }),
  }),
  reads: true,
})

export const pickConnections = operation({
  id: 'pickConnections',
  at: `POST ${PICK}/connections`,
  summary: 'List the connections that have tools, with the number of tools that a selection takes of each.',
  needs,
  body: z.strictObject({
    selection: ToolSelection,
    /** Part of alias or title. */
    search: z.string().max(100).optional(),
    limit: page.limit,
    offset: page.offset,
    cursor: page.cursor,
  }),
  answer: pageOf(z.strictObject({ alias: z.string(), title: z.string(), tools: z.int(), selected: z.int() })),
  reads: true,
})

export const changePick = operation({
  id: 'changePick',
  at: `POST ${PICK}/changes`,
  summary: 'Add many tools to a selection or remove them: those that fit a filter, named ones, or all of a connection.',
  needs,
  body: z.strictObject({
    selection: ToolSelection,
    take: z.boolean(),
    /** All of a connection, also those that it gets later. */
    connection: Alias.optional(),
    /** Names by which rules know them. */
    names: z.array(z.string().min(1)).max(2_000).optional(),
    filter: ToolPickFilter.optional(),
  }),
  answer: ToolSelection,
  reads: true,
})
