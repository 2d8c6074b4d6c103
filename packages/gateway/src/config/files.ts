/** The settings of files that travel by reference, and the place where they are kept. */
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { ConfigFault } from './fault.ts'
import { bytes, notPlaceholder, onOff, defineSetting, wholeNumber, type Setting, type ValuesOf } from './setting.ts'

export interface S3Settings {
  readonly bucket: string
  /** Empty, or ends with a slash. */
  readonly prefix: string
  readonly endpoint: string | undefined
  readonly region: string
  /** The bucket in the path instead of the host name, as most stores besides AWS want it. */
  readonly pathStyle: boolean
  readonly credentials: {
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken?: string
  }
}

/** Where content is. */
export type FilePlace = { readonly kind: 'folder'; readonly folder: string } | ({ readonly kind: 's3' } & S3Settings)

const FILES_FORM = /^(?:off|folder:\/.+|s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w!.*'()/-]{0,200})?)$/

export const FILE_SETTINGS = {
  TOOLWAY_FILES: defineSetting(
    z.string().regex(FILES_FORM, 'it must be folder:/a/path, s3://bucket, s3://bucket/prefix or off').optional(),
    'Where files that are passed by reference are stored: folder:/a/path, s3://bucket/prefix or off; default: files in the data directory. Their content is always encrypted.',
  ),
  TOOLWAY_FILES_LIMIT: defineSetting(bytes(5_000_000_000, 1_024, 51_539_607_552), 'Maximum size of a file, in bytes.'),
  TOOLWAY_FILES_QUOTA: defineSetting(
    bytes(10_000_000_000, 1_024, 1_125_899_906_842_624),
    'Maximum total size of an organization’s files, in bytes. The organization’s files_quota_bytes overrides it.',
  ),
  TOOLWAY_FILES_DAYS: defineSetting(
    wholeNumber(1, 30).default(7),
    'Default lifetime of uploaded files, in days. Files created from results follow TOOLWAY_RESULTS_SECONDS.',
  ),
  TOOLWAY_FILES_S3_ENDPOINT: defineSetting(
    z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' }).optional(),
    'URL of the S3-compatible store for TOOLWAY_FILES. Default: AWS in AWS_REGION. Private addresses are allowed.',
  ),
  TOOLWAY_FILES_S3_PATH_STYLE: defineSetting(
    onOff('on'),
    'Path-style bucket addressing. off: the bucket is part of the host name (AWS). on: the bucket is part of the path (most other stores).',
  ),
  AWS_REGION: defineSetting(z.string().min(1).default('us-east-1'), 'Region of the TOOLWAY_FILES bucket.'),
  AWS_ACCESS_KEY_ID: defineSetting(
    notPlaceholder,
    'Access key for the TOOLWAY_FILES bucket. Not used for anything else.',
  ),
  AWS_SECRET_ACCESS_KEY: defineSetting(notPlaceholder, 'Secret of AWS_ACCESS_KEY_ID.', true),
  AWS_SESSION_TOKEN: defineSetting(notPlaceholder, 'Session token, if AWS_ACCESS_KEY_ID is temporary.', true),
} as const satisfies Record<string, Setting>

/** The settings that decide where files are. */
interface PlacedFiles extends ValuesOf<typeof FILE_SETTINGS> {
  readonly TOOLWAY_DATA: string
  readonly TOOLWAY_STORE: 'database' | 'none'
}

/** Where files are kept; undefined: nowhere. Throws ConfigFault where a store has no keys. */
export function filePlaceOf(config: PlacedFiles): FilePlace | undefined {
  const { TOOLWAY_FILES: text = `folder:${join(resolve(config.TOOLWAY_DATA), 'files')}` } = config
  if (text === 'off' || config.TOOLWAY_STORE === 'none') return undefined
  if (text.startsWith('folder:')) return { kind: 'folder', folder: text.slice('folder:'.length) }
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = config
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new ConfigFault(
      `TOOLWAY_FILES is ${text}, which needs keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, as provided by the store.`,
    )
  const { hostname: bucket, pathname } = new URL(text)
  const prefix = pathname.replace(/^\/+|\/+$/g, '')
  const { AWS_SESSION_TOKEN: sessionToken } = config
  return {
    kind: 's3',
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint: config.TOOLWAY_FILES_S3_ENDPOINT,
    region: config.AWS_REGION,
    pathStyle: config.TOOLWAY_FILES_S3_PATH_STYLE === 'on',
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
  }
}
