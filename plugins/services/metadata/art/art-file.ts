// Image files in the shared cache folder. Each is downloaded once and written atomically.
import { createHash } from 'node:crypto'
import { type FileArea, isPlayheadError, PlayheadError } from '@playhead/sdk'
import { type Picture, pictureTypeOf, readPicture } from '@playhead/sdk/provider'
import type { Api } from '../api.ts'

interface KeptPicture extends Picture {
  readonly etag: string
}

export interface ArtFiles {
  /**
   * `name` is safe as a file name; an image from another source replaces the file. `source` is the path at the service,
   * with its size.
   */
  get(folder: string, name: string, source: string): Promise<KeptPicture>
}

const MAX_BYTES = 15 << 20
const MISSING_MS = 300_000
const MAX_MISSING = 10_000
export function createArtFiles(files: FileArea, api: Api, now: () => number = Date.now): ArtFiles {
  const loading = new Map<string, Promise<KeptPicture>>()
  const missing = new Map<string, number>()

  async function load(folder: string, name: string, source: string): Promise<KeptPicture> {
    const digest = createHash('sha256').update(source).digest('hex').slice(0, 16)
    const path = `${folder}/${name}_${digest}`
    if ((await files.stat(path)) !== undefined) {
      const bytes = await files.read(path)
      const type = pictureTypeOf(bytes)
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

async function fetchPicture(api: Api, source: string): Promise<Picture> {
  return readPicture(await api.images().request({ path: source }), MAX_BYTES)
}

function unavailable(): PlayheadError {
  return new PlayheadError('PLH_NOT_FOUND', 'The picture does not exist.')
}
