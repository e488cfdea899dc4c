// Last change times per list, from one small request shared by the features of a run.
import { Type, type UpstreamAccount } from '@playhead/sdk'
import { parseTime } from '@playhead/sdk/items'
import { type Memo, type Stamps, createCheckpoints, createMemo, stampsFor } from '@playhead/sdk/provider'
import { Fields } from '../wire.ts'

// Covers the features of one run; a probe, with which a run starts, drops it.
const CACHE_MS = 5_000

/** Change times such as `watched_at`. Dropped after a write. */
export type Activities = Memo<Stamps>

export function createActivities(
  upstream: UpstreamAccount,
  now: () => number,
  owner: () => Promise<string>,
): Activities {
  return createMemo({ load: () => readStamps(upstream), ttlMs: CACHE_MS, now, owner })
}

async function readStamps(upstream: UpstreamAccount): Promise<Stamps> {
  const body = await upstream.json({ path: '/sync/last_activities' }, Fields)
  return Object.fromEntries(
    Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** Times have a precision of seconds, so changes within one second cannot be told apart. */
const TOO_FRESH_MS = 2_000
/** Changes with removals, where the service reports it. */
const JOURNAL = ['journal_at']

export const checkpoints = createCheckpoints(Type.Object({ stamps: Type.Record(Type.String(), Type.String()) }))

/** The stamps of a feature; undefined when one is missing. */
export function stampsOf(stamps: Stamps, names: readonly string[]): Stamps | undefined {
  return stampsFor(stamps, names, JOURNAL)
}

/** Whether the last change is so recent that the next one could have the same stamp. */
export function isFresh(stamps: Stamps, nowMs: number): boolean {
  return Object.values(stamps).some((text) => Math.abs(nowMs - (parseTime(text)?.atMs ?? nowMs)) < TOO_FRESH_MS)
}
