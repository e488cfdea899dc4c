// Pictures: posters and backdrops of titles from an account's service. A provider names the request; it is sent
// and checked here, so that only pictures of a reasonable size are returned.
import { isPlayheadError, PlayheadError } from '../errors.ts'
import type { Ids } from '../items/id-schemes.ts'
import type { UpstreamAccount, UpstreamAnswer, UpstreamRequest } from '../upstream.ts'
import { untilCancelled } from './until-cancelled.ts'

export const PICTURE_ARTS = ['poster', 'backdrop'] as const
export type PictureArt = (typeof PICTURE_ARTS)[number]

/** Widths in pixels that may be requested. Services may return another one. */
export const PICTURE_WIDTHS = [185, 342, 780, 1280] as const
export type PictureWidth = (typeof PICTURE_WIDTHS)[number]

export const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/avif'] as const
export type PictureType = (typeof PICTURE_TYPES)[number]

export interface PictureRequest {
  readonly type: 'movie' | 'show'
  /** Ids of the title. At least one. A title that contradicts any of them has no picture. */
  readonly ids: Ids
  readonly art: PictureArt
  readonly width: PictureWidth
}

export interface Picture {
  readonly bytes: Uint8Array
  readonly type: PictureType
}

/** Operations of a provider with `pictures`. */
export interface PictureProvider {
  /**
   * A picture of a title in the account's language; null if the service lacks the title or the picture. Finds titles by
   * ids, never by name.
   *
   * Throws `PLH_NOT_READY` without credentials, `PLH_UPSTREAM_INVALID` (`not_a_picture`, `picture_too_large`), and
   * errors of `ctx.upstream`; a redirect to another host is `PLH_HOST_DENIED`.
   */
  picture(instance: string, request: PictureRequest, signal?: AbortSignal): Promise<Picture | null>
}

/** The request for a picture; undefined if the account lacks the title. Addresses of the service are never used raw. */
export type PictureDefinition<Session> = (
  session: Session,
  request: PictureRequest,
  signal: AbortSignal,
) => Promise<{ readonly upstream: UpstreamAccount; readonly request: UpstreamRequest } | undefined>

/** The largest picture, in bytes. */
export const MAX_PICTURE_BYTES = 5 * 1024 * 1024
/** Time to find the title and to load its picture. */
const LIMIT_MS = 20_000
const LOAD_MS = 8_000
const ACCEPTED = PICTURE_TYPES.join(', ')

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Detected by the first bytes, because services may send a wrong type. */
const FIRST_BYTES: Readonly<Record<PictureType, (head: Buffer) => boolean>> = {
  'image/jpeg': (head) => head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff,
  'image/png': (head) => head.subarray(0, PNG.length).equals(PNG),
  'image/webp': (head) => head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP',
  'image/avif': (head) => /^ftyp(?:avif|avis)$/.test(head.toString('latin1', 4, 12)),
}

/** The type of a picture that pages may show, detected by its content; undefined for anything else, SVG included. */
export function pictureTypeOf(bytes: Uint8Array): PictureType | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return PICTURE_TYPES.find((type) => FIRST_BYTES[type](head))
}

/**
 * Reads the body of an answer that should be a picture.
 *
 * Throws `PLH_UPSTREAM_INVALID` with `details.reason` `not_a_picture` or `picture_too_large`.
 */
export async function readPicture(answer: UpstreamAnswer, maxBytes: number = MAX_PICTURE_BYTES): Promise<Picture> {
  const stream = answer.stream()
  const refuse = (reason: string, text: string) => {
    stream.destroy()
    return new PlayheadError('PLH_UPSTREAM_INVALID', text, { details: { reason } })
  }
  const large = () => refuse('picture_too_large', `A picture is larger than ${maxBytes} bytes.`)
  const declared = answer.headers['content-type'] ?? ''
  if (!/^(?:image\/|application\/octet-stream|$)/i.test(declared))
    throw refuse('not_a_picture', 'What came is no picture that can be shown.')
  const announced = Number(answer.headers['content-length'] ?? 0)
  if (announced > maxBytes) throw large()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw large()
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  const type = pictureTypeOf(bytes)
  const isCut = announced > 0 && answer.headers['content-encoding'] === undefined && announced !== size
  if (type === undefined || isCut) throw refuse('not_a_picture', 'What came is no picture that can be shown.')
  return { bytes, type }
}

export function createPictureProvider<Session>({
  definition,
  open,
  until,
}: {
  readonly definition: PictureDefinition<Session> | undefined
  readonly open: (instance: string) => Session
  readonly until: (signal: AbortSignal | undefined, limitMs?: number) => AbortSignal
}): Partial<PictureProvider> {
  if (definition === undefined) return {}
  return {
    async picture(instance, request, signal) {
      const end = until(signal, LIMIT_MS)
      const load = async (): Promise<Picture | null> => {
        const found = await definition(open(instance), request, end)
        if (found === undefined) return null
        const { headers = {}, ...ask } = found.request
        try {
          return await readPicture(
            await found.upstream.request({
              ...ask,
              headers: { ...headers, accept: ACCEPTED },
              timeoutMs: LOAD_MS,
              signal: end,
            }),
          )
        } catch (error) {
          if (isPlayheadError(error, 'PLH_NOT_FOUND')) return null
          throw error
        }
      }
      return untilCancelled(load(), end)
    },
  }
}
