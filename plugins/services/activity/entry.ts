// Normalizes deliveries, with an id and a likeness key that groups deliveries of one watch event.
import { createHash } from 'node:crypto'
import { type ActivityEntry, DEFAULT_PROFILE } from '@playhead/sdk'
import { foldText } from '@playhead/sdk/items'
import type { StoredEvent, StoredTarget } from './tables.ts'

export interface Delivery {
  readonly target: Omit<StoredTarget, 'fanout_id'>
  readonly event: Omit<StoredEvent, 'id' | 'fanout_id' | 'search'>
  readonly fanoutId: string | null
}

const MAX_LENGTH = 500

/** Undefined when the entry is not recorded. */
export function deliveryOf(entry: ActivityEntry, nowMs: number): Delivery | undefined {
  const isEpisode = entry.media_type === 'episode'
  const [source, target] = [word(entry.source), word(entry.target)]
  if ((!isEpisode && entry.media_type !== 'movie') || source === '' || target === '') return undefined
  const captured = toSeconds(entry.capturedAtMs ?? nowMs)
  const watched = entry.watchedAtMs === undefined ? captured : toSeconds(entry.watchedAtMs)
  const common = {
    kind: entry.kind ?? 'activity',
    method: word(entry.method),
    event: word(entry.event),
    status: word(entry.status) || 'ok',
    source,
    source_instance: text(entry.source_instance) || DEFAULT_PROFILE,
    media_type: entry.media_type,
    title: text(entry.title) || 'Untitled',
    year: number(entry.year),
    season: isEpisode ? number(entry.season) : null,
    episode: isEpisode ? number(entry.episode) : null,
    account: text(entry.account),
  }
  const ids = JSON.stringify(entry.ids ?? {})
  const progress = entry.progress === undefined ? null : Math.round(Math.min(100, Math.max(0, entry.progress)))
  // Stop events vary slightly in position, and sometimes in ids.
  const exact =
    common.event === 'scrobble_stop' ? [] : [progress, ids, entry.watchedAtMs === undefined ? null : watched]
  const targetInstance = text(entry.target_instance) || DEFAULT_PROFILE
  const { account: _account, ...identity } = common
  return {
    target: {
      id:
        text(entry.id) ||
        digest([...Object.values(identity), target, targetInstance, watched, ids, Math.floor(captured / 60)]),
      target,
      target_instance: targetInstance,
    },
    event: {
      ...common,
      ids,
      progress,
      watched_at: watched,
      captured_at: captured,
      watched_on: text(entry.watchedOn) || null,
      runtime_minutes:
        entry.runtime_minutes === undefined || entry.runtime_minutes <= 0 ? null : Math.round(entry.runtime_minutes),
      likeness: digest([...Object.values(common), ...exact]),
    },
    fanoutId: text(entry.fanout_id) || null,
  }
}

/** The searchable text of a row. */
export function searchOf(
  { title, source, account, media_type, event, method, source_instance }: Delivery['event'],
  targets: readonly Pick<StoredTarget, 'target' | 'target_instance'>[],
): string {
  const targetNames = targets.flatMap((one) => [one.target, one.target_instance])
  return foldText([title, source, account, media_type, event, method, source_instance, ...targetNames].join('\n'))
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha1').update(JSON.stringify(parts)).digest('hex').slice(0, 24)
}

function word(value: string | undefined): string {
  return text(value).toLowerCase()
}

function text(value: string | null | undefined): string {
  return (value ?? '').trim().slice(0, MAX_LENGTH).toWellFormed()
}

function number(value: number | null | undefined): number | null {
  return value === undefined || value === null || !Number.isFinite(value) ? null : Math.trunc(value)
}

function toSeconds(atMs: number): number {
  return Math.floor(atMs / 1_000)
}
