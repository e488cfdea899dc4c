// Shared by the tests of the metadata plugin: the plugin in a host, with a key of a stand-in.
import { type Metadata, METADATA } from '@playhead/sdk'
import { createTestHost, type TestClock } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/metadata/index.ts'
import { startTmdb, type TmdbOptions } from '../../upstreams/tmdb.ts'

export type Bench = Awaited<ReturnType<typeof startBench>>

export type BenchOptions = TmdbOptions & {
  readonly hasKey?: boolean
  readonly settings?: object
  readonly clock?: TestClock
}

export async function startBench({ hasKey = true, settings = {}, clock, ...options }: BenchOptions = {}) {
  const tmdb = await startTmdb(options)
  const host = await createTestHost({
    plugin,
    manifest: new URL('../../../plugins/services/metadata/plugin.json', import.meta.url),
    ...(clock === undefined ? {} : { clock }),
    config: {
      metaA: { api_url: tmdb.apiUrl, image_url: tmdb.imageUrl, ...(hasKey ? { api_key: tmdb.apiKey } : {}) },
      metadata: settings,
    },
  })
  let counted = 0
  const answerOf = async (request: Parameters<typeof host.inject>[0]) => {
    const answer = await host.inject(request)
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      bytes: answer.rawPayload,
      body: parsed(answer.body),
    }
  }
  return {
    tmdb,
    host,
    metadata: host.capability<Metadata>(METADATA),
    get: (url: string, headers: Record<string, string> = {}) => answerOf({ method: 'GET', url, headers }),
    post: (url: string, payload?: object) =>
      answerOf({ method: 'POST', url, ...(payload === undefined ? {} : { payload }) }),
    /** Number of requests since the last call. */
    asked(): number {
      const since = tmdb.requests.length - counted
      counted = tmdb.requests.length
      return since
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await tmdb.close()
    },
  }
}

function parsed(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
