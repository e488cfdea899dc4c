// Connections to TMDB: one for the API, one for images. All requests of the plugin share their rate limits.
import {
  defined,
  isPlayheadError,
  PlayheadError,
  type Static,
  type TSchema,
  type UpstreamAccount,
  type UpstreamFactory,
  type UpstreamRequest,
} from '@playhead/sdk'
import { API_URL, IMAGE_URL, type LiveSettings } from './settings.ts'

export type Namespace = 'movie' | 'tv'

export interface Api {
  /** Undefined for a 404. Throws `PLH_NOT_READY` (`metadata_key_missing`) without a key. */
  get<Schema extends TSchema>(
    path: string,
    query: UpstreamRequest['query'],
    schema: Schema,
    signal?: AbortSignal,
  ): Promise<Static<Schema> | undefined>
  /** A connection that tests another key. */
  withKey(key: string): UpstreamAccount
  images(): UpstreamAccount
}

const TIMEOUT_MS = 20_000
const MAX_IMAGE_BYTES = 15 << 20

export function createApi(upstream: UpstreamFactory, settings: LiveSettings, version: string): Api {
  const headers = { 'user-agent': `Playhead/${version}` }
  const opened = new Map<string, UpstreamAccount>()

  function open(name: string, baseUrl: string, make: () => UpstreamAccount): UpstreamAccount {
    const key = `${name} ${baseUrl}`
    const known = opened.get(key) ?? make()
    opened.set(key, known)
    return known
  }

  const baseUrl = () => settings.get().metaA.api_url.replace(/\/+$/, '') || API_URL
  const account = (key: () => string, name: string) =>
    upstream.account({
      account: name,
      baseUrl: baseUrl(),
      timeoutMs: TIMEOUT_MS,
      headers,
      limits: { concurrency: 8, readsPerSecond: 25, burst: 15 },
      credential: { secrets: () => ({ key: key() }), place: [{ in: 'query', name: 'api_key', template: '{key}' }] },
    })
  const ownKey = () => settings.get().metaA.api_key

  return {
    async get(path, query, schema, signal) {
      if (ownKey() === '') {
        throw new PlayheadError('PLH_NOT_READY', 'The TMDB API key is missing. Enter it in the settings.', {
          wire: 'metadata_key_missing',
          status: 400,
        })
      }
      const api = open('api', baseUrl(), () => account(ownKey, 'metadata'))
      try {
        return await api.json({ path, ...defined({ query }), signal }, schema)
      } catch (error) {
        if (isPlayheadError(error, 'PLH_NOT_FOUND')) return undefined
        throw error
      }
    },
    withKey: (key) => account(() => key, 'metadata-trial'),
    images() {
      const address = settings.get().metaA.image_url.replace(/\/+$/, '') || IMAGE_URL
      return open('images', address, () =>
        upstream.account({
          account: 'metadata-images',
          baseUrl: address,
          timeoutMs: TIMEOUT_MS,
          headers,
          maxBytes: MAX_IMAGE_BYTES,
          limits: { concurrency: 6 },
          tries: 3,
        }),
      )
    },
  }
}
