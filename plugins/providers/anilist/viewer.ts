// The person who signed in to the account.
import type { UpstreamAccount } from '@playhead/sdk'
import { ask } from './graphql.ts'
import { OwnListsAnswer, type Viewer, ViewerAnswer } from './wire.ts'

const TIMEOUT_MS = 15_000

export async function readViewer(upstream: UpstreamAccount, signal?: AbortSignal): Promise<Viewer> {
  return (
    await ask(upstream, { query: 'query { Viewer { id name } }' }, ViewerAnswer, { signal, timeoutMs: TIMEOUT_MS })
  ).Viewer
}

/** Names of the custom lists for anime, including empty ones. */
export async function readListNames(upstream: UpstreamAccount, signal: AbortSignal): Promise<readonly string[]> {
  const query = 'query { Viewer { mediaListOptions { animeList { customLists } } } }'
  const {
    Viewer: {
      mediaListOptions: { animeList },
    },
  } = await ask(upstream, { query }, OwnListsAnswer, { signal, timeoutMs: TIMEOUT_MS })
  return animeList.customLists ?? []
}
