// When what changed last: one small answer that spares reading what is as it was. The features of a run share it.
import {
  type Memo,
  type Stamps,
  Type,
  type UpstreamAccount,
  createCheckpoints,
  createMemo,
  parseTime,
  stampsFor,
} from '@playhead/sdk'
import { Fields } from '../wire.ts'

// Long enough for the features of a run; a look at the account, with which a run begins, starts anew.
const SHARED_MS = 5_000

/** `watched_at` and the like. What is known is dropped when something is written. */
export type Activities = Memo<Stamps>

export function createActivities(
  upstream: UpstreamAccount,
  now: () => number,
  owner: () => Promise<string>,
): Activities {
  return createMemo({ load: () => readStamps(upstream), keptMs: SHARED_MS, now, owner })
}

async function readStamps(upstream: UpstreamAccount): Promise<Stamps> {
  const body = await upstream.json({ path: '/sync/last_activities' }, Fields)
  return Object.fromEntries(
    Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** The service tells changes by the second: what happens in the same one cannot be told apart. */
const TOO_FRESH_MS = 2_000
/** Knows of removals, where the service tells it. */
const JOURNAL = ['journal_at']

export const checkpoints = createCheckpoints(Type.Object({ stamps: Type.Record(Type.String(), Type.String()) }))

/** The stamps of a feature; undefined when nothing can be told by them. */
export function stampsOf(stamps: Stamps, names: readonly string[]): Stamps | undefined {
  return stampsFor(stamps, names, JOURNAL)
}

/** Whether something changed so lately that the next change could have the same time. */
export function isFresh(stamps: Stamps, nowMs: number): boolean {
  return Object.values(stamps).some((text) => Math.abs(nowMs - (parseTime(text)?.atMs ?? nowMs)) < TOO_FRESH_MS)
}
