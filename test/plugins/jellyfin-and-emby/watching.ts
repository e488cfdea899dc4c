// Follows the sessions of a stand-in, and collects the reports.
import { sleep, type WatchOptions, type WatchPart } from '@playhead/sdk'
import { createTestClock, createTestHost } from '@playhead/sdk/testing'
import embyManifest from '../../../plugins/providers/emby/plugin.json' with { type: 'json' }
import jellyfinManifest from '../../../plugins/providers/jellyfin/plugin.json' with { type: 'json' }
import embyDialect from '../../../plugins/providers/emby/dialect.ts'
import jellyfinDialect from '../../../plugins/providers/jellyfin/dialect.ts'
import { mediaBrowserProvider } from '../../../plugins/providers/media-browser/definition.ts'
import { watchSessions, type WatchTimes } from '../../../plugins/providers/media-browser/playback/watch.ts'
import { signIn } from '../../upstreams/media-browser/ask.ts'
import type { MediaServer } from '../../upstreams/media-browser/server.ts'
import { withKit } from '../provider-bench.ts'
import { type Product, startServer, usersOf } from './support.ts'

const dialects = { jellyfin: jellyfinDialect, emby: embyDialect }
const manifests = { jellyfin: jellyfinManifest, emby: embyManifest }
/** Like the real times, but with faster detection and retries. */
export const QUICK: WatchTimes = {
  now: Date.now,
  sleep: (ms, signal) => sleep(Math.min(ms, 20), signal),
  checkMs: 40,
  retryMs: 40,
}
export const PATIENT: WatchTimes = { now: Date.now, sleep, checkMs: 60_000, retryMs: 60_000 }

export interface Watching extends AsyncDisposable {
  readonly server: MediaServer
  readonly parts: readonly WatchPart[]
  /** Resolves with the first matching part from `from` on. */
  until(test: (part: WatchPart) => boolean, from?: number): Promise<WatchPart>
  /** Rejects with the error that ended the stream. */
  readonly over: Promise<void>
  stop(): void
}

export interface WatchingOptions {
  readonly user?: string
  /** Uses an API key instead of a sign-in. */
  readonly byKey?: boolean
  readonly times?: WatchTimes
  readonly options?: WatchOptions
  readonly before?: (server: MediaServer) => void
}

export async function watching(
  product: Product,
  { user = 'sam', byKey = false, times = PATIENT, options = {}, before = () => {} }: WatchingOptions = {},
): Promise<Watching> {
  const server = await startServer(product, { movies: 4, shows: 1 })
  const { token, userId } = await signIn(server, user)
  before(server)
  const { plugin, kit } = withKit(
    mediaBrowserProvider({
      dialect: dialects[product],
      description: 'test',
      signIn: {
        flow: 'token',
        methods: [],
        fields: [],
        actions: { start: true, finish: false, refresh: false, disconnect: true },
        verifyUrl: null,
        notes: null,
      },
    }),
  )
  const host = await createTestHost({
    plugin,
    manifest: { ...manifests[product], kind: 'provider', routes: [] },
    clock: createTestClock(Date.now()),
    capabilities: { accounts: usersOf() },
    config: {
      server: server.url,
      user_id: userId,
      max_retries: 0,
      ...(byKey ? { api_key: server.actions.createApiKey() } : { access_token: token }),
    },
  })
  const end = new AbortController()
  const parts: WatchPart[] = []
  let wake = Promise.withResolvers<void>()
  const over = (async () => {
    for await (const part of watchSessions(kit().session('default'), options, end.signal, times)) {
      parts.push(part)
      wake.resolve()
      wake = Promise.withResolvers()
    }
  })()
  over.catch(() => wake.resolve())
  return {
    server,
    parts,
    over,
    stop: () => end.abort(),
    async until(test, from = 0) {
      for (let at = from; ; at += 1) {
        while (at >= parts.length) await Promise.race([wake.promise, over])
        if (test(parts[at]!)) return parts[at]!
      }
    },
    async [Symbol.asyncDispose]() {
      end.abort()
      await over.catch(() => {})
      await host.close()
      await server.close()
    },
  }
}
