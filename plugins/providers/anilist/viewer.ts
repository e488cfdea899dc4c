// Whose token it is.
import type { UpstreamAccount } from '@playhead/sdk'
import { ask } from './graphql.ts'
import { type Viewer, ViewerAnswer } from './wire.ts'

const TIMEOUT_MS = 15_000

export async function readViewer(upstream: UpstreamAccount, signal?: AbortSignal): Promise<Viewer> {
  return (await ask(upstream, { query: 'query { Viewer { id name } }' }, ViewerAnswer, { signal, timeoutMs: TIMEOUT_MS })).Viewer
}
