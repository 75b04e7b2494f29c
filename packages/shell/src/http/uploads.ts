import type { MultipartFile, MultipartValue } from '@fastify/multipart'
import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { formatBytes } from '@hull/common/format-bytes.ts'
import { readProperty } from '@hull/common/read-property.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { ClientGone } from '@hull/common/errors.ts'
import type { Ctx } from '../client/contracts/context.ts'
import type { Upload, UploadPolicy } from '../client/contracts/form.ts'
import { FieldName, FormMalformed, UploadTooLarge, UploadTooMany } from '../errors.ts'

/** Files of a form, without `uploads.files`. A guess. */
const DEFAULT_FILES = 10

/** Text fields of a form with files, without `uploads.fields`. A guess. */
const DEFAULT_FIELDS = 100

interface ReadOptions {
  policy: UploadPolicy
  /** Context of the page, for `uploads.store`. */
  ctx: Ctx
  /** Maximum bytes of all text fields. */
  textLimit: number
}

/** A posted form whose files are on disk or in the application's store. */
export interface UploadForm {
  form: FormData
  uploads: Upload[]
}

/**
 * Reads a multipart form as it arrives. Writes each file to a temporary folder, or passes it to `uploads.store`, so that
 * no file is in memory as a whole. The folder is removed after the answer.
 * @throws UploadTooLarge, UploadTooMany, FieldName, FormMalformed, ClientGone, and errors of `uploads.store`
 */
export async function readUploads(reply: FastifyReply, { policy, ctx, textLimit }: ReadOptions): Promise<UploadForm> {
  const { request } = reply
  const { files = DEFAULT_FILES, fields = DEFAULT_FIELDS, fileBytes, store } = policy
  const form = new FormData()
  const uploads: Upload[] = []
  let folder: string | undefined
  let textBytes = 0
  try {
    const limits = { files, fields, parts: files + fields + 1, fileSize: fileBytes, fieldSize: textLimit }
    // The application may have registered @fastify/multipart with other options.
    const options = { limits, throwFileSizeLimit: true }
    // Its parser, which would mark the request so, does not run.
    request.isMultipart = () => true
    for await (const part of request.parts(options)) {
      if (part.type === 'file') await takeFile(part)
      else addText(part)
    }
  } catch (error) {
    // The rest of the body is read and dropped: a browser shows no answer while it sends.
    request.raw.unpipe()
    request.raw.resume()
    await removeFolder()
    await discardUploads(policy, uploads, request.log)
    throw toUploadError(error, request, { files, fields, fileBytes })
  }
  if (folder !== undefined) {
    if (reply.raw.closed) await removeFolder()
    else
      reply.raw.once(
        'close',
        safeCallback(() => void removeFolder())
      )
  }
  return { form, uploads }

  function addText({ fieldname, value, valueTruncated }: MultipartValue) {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    textBytes += Buffer.byteLength(text)
    if (valueTruncated || textBytes > textLimit)
      throw new UploadTooLarge('The text of the form', formatBytes(textLimit))
    form.append(toName(fieldname), text)
  }

  async function takeFile({ fieldname, filename, mimetype: type, file }: MultipartFile) {
    const [field, name] = [toName(fieldname), toName(filename ?? '')]
    // A browser sends this for a file input without a file.
    if (name === '') {
      file.resume()
      if (!store) form.append(field, new File([], '', { type }))
      return
    }
    const path = store ? undefined : join(await openFolder(), String(uploads.length))
    const stored = store ? await store({ field, name, type, stream: file }, ctx) : undefined
    if (path !== undefined) await pipeline(file, createWriteStream(path))
    // A store that left a part of the file unread.
    else if (!file.readableEnded) file.resume()
    const upload: Upload = { field, name, type, size: file.bytesRead, path, stored }
    uploads.push(upload)
    if (file.truncated) throw new UploadTooLarge('A file', formatBytes(fileBytes))
    if (path !== undefined) form.append(field, new File([await openAsBlob(path, { type })], name, { type }))
  }

  async function openFolder(): Promise<string> {
    if (folder !== undefined) return folder
    const parent = policy.folder ?? tmpdir()
    await mkdir(parent, { recursive: true })
    return (folder = await mkdtemp(join(parent, 'hull-upload-')))
  }

  async function removeFolder() {
    if (folder === undefined) return
    try {
      await rm(folder, { recursive: true, force: true })
    } catch (error) {
      request.log.warn({ err: error, folder }, 'a temporary upload could not be removed')
    }
  }
}

/** Decodes the characters that clients encode in the names of fields and files (HTML, multipart/form-data). */
const toName = (encoded: string): string => encoded.replace(/%(?:22|0A|0D)/g, decodeURIComponent)

/** Removes files of a refused form from the application's store. Never rejects. */
export async function discardUploads(
  policy: UploadPolicy,
  uploads: readonly Upload[],
  log: FastifyBaseLogger
): Promise<void> {
  for (const upload of policy.store ? uploads : []) {
    try {
      await policy.discard?.(upload)
    } catch (error) {
      log.error({ err: error }, 'a refused upload could not be discarded')
    }
  }
}

/**
 * Messages of the parser for a body that is no multipart form, that ends too early, or that has a boundary of more than
 * 252 characters.
 */
const MALFORMED =
  /^(?:Unexpected end of multipart data|Part terminated early|Multipart: |Malformed|Missing Content-Type|The needle )/

function toUploadError(
  error: unknown,
  { raw }: FastifyRequest,
  limits: { files: number; fields: number; fileBytes: number }
): unknown {
  // A store may throw anything, even undefined.
  const code = readProperty(error, 'code')
  const message = String(readProperty(error, 'message'))
  // Also if all of the body has arrived, but a store has not read it yet.
  if (raw.destroyed && !raw.readableEnded)
    return Object.assign(new ClientGone({ cause: error }), { name: 'AbortError' })
  // A file that the store does not read.
  if (code === 'FST_REQ_FILE_TOO_LARGE') return new UploadTooLarge('A file', formatBytes(limits.fileBytes))
  if (code === 'FST_FILES_LIMIT') return new UploadTooMany(limits.files, 'files')
  if (code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT') return new UploadTooMany(limits.fields, 'fields')
  if (code === 'FST_PROTO_VIOLATION') return new FieldName('of a built-in member')
  if (code === 'FST_INVALID_JSON_FIELD_ERROR' || MALFORMED.test(message)) return new FormMalformed({ cause: error })
  return error
}
