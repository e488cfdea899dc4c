// Records playback: its position, and the play once it is complete.
import { defined } from '@playhead/sdk'
import { type Item, kindOf, parseTime, partOf, REPORTED_PLAY_MS, STRONG_SCHEMES } from '@playhead/sdk/items'
import {
  type AccountContext,
  isPlay,
  type PlaybackDefinition,
  playToAdd,
  type ScrobbleRequest,
  type ScrobbleResult,
} from '@playhead/sdk/provider'
import type { Profile } from './settings.ts'
import type { Store } from './store.ts'

export interface Workspace {
  readonly store: Store
  readonly account: AccountContext<Profile>
}

export const PLAYBACK: PlaybackDefinition<Workspace> = {
  scrobble: { kinds: ['movie', 'episode'], needsAnyId: STRONG_SCHEMES, send },
  plays: ({ store, account }, request) => store.plays(account.instance, account.current(), request),
}

async function send(workspace: Workspace, request: ScrobbleRequest): Promise<ScrobbleResult> {
  const { item } = request
  if (kindOf(item) === 'episode' && partOf(item) === undefined)
    return { outcome: 'unsupported', reason: 'missing_numbers' }
  return isPlay(request) ? finish(workspace, request) : putPosition(workspace, request)
}

async function finish({ store, account }: Workspace, request: ScrobbleRequest): Promise<ScrobbleResult> {
  const { outcome: written, play } = await store.finish(
    account.instance,
    account.current(),
    playToAdd(request),
    REPORTED_PLAY_MS,
  )
  const { outcome, reason } = written
  const eventId = play?.native?.event_id
  return {
    outcome,
    ...defined({ reason }),
    ...(play === undefined
      ? {}
      : { play: { watchedAtMs: parseTime(play.watched_at)?.atMs ?? null, ...defined({ eventId }) } }),
  }
}

/** An older report does not replace a newer position. */
async function putPosition({ store, account }: Workspace, request: ScrobbleRequest): Promise<ScrobbleResult> {
  const { outcomes } = await store.write(account.instance, account.current(), {
    feature: 'progress',
    op: request.percent > 0 ? 'add' : 'update',
    items: [{ key: 'position', item: positionOf(request) }],
  })
  const { outcome = 'failed', reason } = outcomes[0] ?? {}
  // There is no position yet, and the start of an item needs none.
  if (outcome === 'not_found' && request.percent === 0) return { outcome: 'applied' }
  // The position exists already, or a newer one does.
  if (outcome === 'already') return { outcome: 'applied' }
  return { outcome, ...defined({ reason }) }
}

function positionOf({ item, percent, positionMs, durationMs, atMs }: ScrobbleRequest): Item {
  return {
    ...item,
    progress_percent: percent,
    ...(positionMs === undefined ? {} : { progress_ms: Math.round(positionMs) }),
    ...(durationMs === undefined || durationMs < 1 ? {} : { duration_ms: Math.round(durationMs) }),
    progress_at: new Date(atMs).toISOString().replace('.000Z', 'Z'),
  }
}
