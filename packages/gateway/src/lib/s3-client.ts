/**
 * The commands of the AWS SDK for S3 that are used, in a file that is loaded with `import()` where S3 is set: the SDK is large. It is
 * CommonJS, which has its names in the bundle only where a source imports them one by one.
 */
export {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
