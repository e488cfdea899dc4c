// Image files in the shared cache folder. Each is downloaded once and written atomically.
import { createHash } from 'node:crypto'
import { type FileArea, isPlayheadError, PlayheadError } from '@playhead/sdk'
import type { Api } from '../api.ts'

export interface Picture {
  readonly bytes: Buffer
  readonly type: string
  readonly etag: string
}

export interface ArtFiles {
  /**
   * `name` is safe as a file name; an image from another source replaces the file. `source` is the path at the service,
   * with its size.
   */
  get(folder: string, name: string, source: string): Promise<Picture>
}

const MAX_BYTES = 15 << 20
const MISSING_MS = 300_000
const MAX_MISSING = 10_000
/** Detected by magic bytes, because the declared type cannot be trusted. */
const TYPES: readonly (readonly [type: string, test: (bytes: Buffer) => boolean])[] = [
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ['image/png', (bytes) => bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))],
  ['image/webp', (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'],
]

export function createArtFiles(files: FileArea, api: Api, now: () => number = Date.now): ArtFiles {
  const loading = new Map<string, Promise<Picture>>()
  const missing = new Map<string, number>()

  async function load(folder: string, name: string, source: string): Promise<Picture> {
    const digest = createHash('sha256').update(source).digest('hex').slice(0, 16)
    const path = `${folder}/${name}_${digest}`
    if ((await files.stat(path)) !== undefined) {
      const bytes = await files.read(path)
      const type = typeOf(bytes)
      if (type !== undefined) return { bytes, type, etag: `"${digest}"` }
    }
    const { bytes, type } = await fetchPicture(api, source)
    // Atomic: no partial file is ever visible.
    await files.write(path, bytes)
    for (const other of await files.list(folder)) {
      if (other.name.startsWith(`${name}_`) && other.name !== `${name}_${digest}`)
        await files.remove(`${folder}/${other.name}`)
    }
    return { bytes, type, etag: `"${digest}"` }
  }

  return {
    get(folder, name, source) {
      if ((missing.get(source) ?? 0) > now()) return Promise.reject(unavailable())
      const key = `${folder}/${name} ${source}`
      const running =
        loading.get(key) ??
        load(folder, name, source)
          .catch((error: unknown) => {
            if (missing.size >= MAX_MISSING) missing.clear()
            if (isPlayheadError(error, 'PLH_NOT_FOUND') || isPlayheadError(error, 'PLH_UPSTREAM_INVALID'))
              missing.set(source, now() + MISSING_MS)
            throw error
          })
          .finally(() => loading.delete(key))
      loading.set(key, running)
      return running
    },
  }
}

async function fetchPicture(api: Api, source: string): Promise<{ readonly bytes: Buffer; readonly type: string }> {
  const answer = await api.images().request({ path: source })
  const stream = answer.stream()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BYTES) {
      stream.destroy()
      throw new PlayheadError('PLH_UPSTREAM_INVALID', 'A picture is larger than 15 MiB.')
    }
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  const declared = Number(answer.headers['content-length'] ?? size)
  const type = typeOf(bytes)
  if (type === undefined || (answer.headers['content-encoding'] === undefined && declared !== size)) {
    throw new PlayheadError('PLH_UPSTREAM_INVALID', 'What came is no picture that can be shown.')
  }
  return { bytes, type }
}

function typeOf(bytes: Buffer): string | undefined {
  return TYPES.find(([, test]) => test(bytes))?.[0]
}

function unavailable(): PlayheadError {
  return new PlayheadError('PLH_NOT_FOUND', 'The picture was not there a moment ago.')
}
