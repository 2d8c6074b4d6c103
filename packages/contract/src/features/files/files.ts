/**
 * Files that travel by reference: `toolway://files/<id>`. Members and keys work with files of their own; an administrator of members
 * sees what everybody's are called and may remove them, and never reads them.
 *
 * Content goes by addresses that need no key: each is good for one transfer and for a short time.
 */
import { z } from 'zod'
import { inOrganization, operation, pageOf, Paging } from '../../admin/operation.ts'

export const FILES = '/api/v1/organizations/{organization}/files'
const FILE = `${FILES}/{file}`

export const FILE_ORIGINS = ['upload', 'result', 'download'] as const

export const FileEntry = z.strictObject({
  id: z.string(),
  /** As tools and models name it. */
  uri: z.string(),
  name: z.string(),
  media_type: z.string(),
  /** Bytes. */
  size: z.number().nullable(),
  /** Hex; null while it is neither declared nor computed. */
  sha256: z.string().nullable(),
  /** `uploading`: its content is not complete, so that nobody can read it. */
  state: z.enum(['uploading', 'ready']),
  /** Sent by a client, the result of a tool, or the content that a tool downloaded. */
  origin: z.enum(FILE_ORIGINS),
  /** The tool of a result or a download. */
  tool: z.string().nullable(),
  /** Id of the member or the key that it belongs to. */
  owner: z.string(),
  /** Email address of that member; null for keys. */
  owner_email: z.string().nullable(),
  /** Whether it belongs to whoever asks. */
  own: z.boolean(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
})
export type FileEntry = z.output<typeof FileEntry>

/** An address without a key, for one transfer. */
export const FileLink = z.strictObject({ url: z.string(), expires_at: z.iso.datetime() })
export type FileLink = z.output<typeof FileLink>

/** Seconds that an address lives. */
const LinkSeconds = z.int().min(60).max(86_400).default(900)
const LinkWish = z.strictObject({ link_seconds: LinkSeconds }).optional()

export const listFiles = operation({
  id: 'listFiles',
  at: `GET ${FILES}`,
  summary:
    'List your files, or those of the whole organization with whose=everybody (for those who administer members).',
  needs: inOrganization('tool_call'),
  query: Paging.extend({
    whose: z.enum(['own', 'everybody']).default('own'),
    /** Part of the name. */
    search: z.string().max(100).default(''),
  }),
  answer: pageOf(FileEntry),
})

export const addFile = operation({
  id: 'addFile',
  at: `POST ${FILES}`,
  summary:
    'Start an upload: the response contains an address for the content (tus 1.0: HEAD, PATCH). The file exists once it is complete and its size and hash match.',
  needs: inOrganization('tool_call'),
  body: z.strictObject({
    name: z.string().min(1).max(255),
    media_type: z.string().max(200).optional(),
    /** Bytes. */
    size: z.int().min(0),
    /** Hex. */
    sha256: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits')
      .optional(),
    /** Seconds. */
    expires_in: z.int().min(60).max(2_592_000).optional(),
    link_seconds: LinkSeconds,
  }),
  answer: FileEntry.extend({ upload: FileLink }),
  status: 201,
})

export const getFile = operation({
  id: 'getFile',
  at: `GET ${FILE}`,
  summary: 'Get one file: its name, size, hash and owner, without its content.',
  needs: inOrganization('tool_call'),
  answer: FileEntry,
})

export const addUploadLink = operation({
  id: 'addUploadLink',
  at: `POST ${FILE}/upload`,
  summary: 'Create a new address for one of your incomplete uploads. The previous one stops working.',
  needs: inOrganization('tool_call'),
  body: LinkWish,
  answer: FileLink,
  status: 201,
})

export const addDownloadLink = operation({
  id: 'addDownloadLink',
  at: `POST ${FILE}/download`,
  summary: 'Create an address for downloading one of your files. It is valid for a single request.',
  needs: inOrganization('tool_call'),
  reads: true,
  body: LinkWish,
  answer: FileLink,
  status: 201,
})

export const removeFile = operation({
  id: 'removeFile',
  at: `DELETE ${FILE}`,
  summary: 'Delete one of your files; those who administer members can delete any file of the organization.',
  needs: inOrganization('tool_call'),
})

export const FileUsage = z.strictObject({
  /** Bytes that the files of the organization take, uploads under way with all that they announced. */
  used: z.number(),
  quota: z.number(),
  files: z.int(),
  /** Bytes that one file may have. */
  most: z.number(),
})
export type FileUsage = z.output<typeof FileUsage>

export const getFileUsage = operation({
  id: 'getFileUsage',
  at: 'GET /api/v1/organizations/{organization}/file-usage',
  summary: 'Get how much file storage the organization uses, and its quota, both in bytes.',
  needs: inOrganization('tool_call'),
  answer: FileUsage,
})
