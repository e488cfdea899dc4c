// When what changed last: one small answer that spares reading what is as it was. The features of a run share it.
import { createMemo, type Memo, type Stamps, type UpstreamAccount } from '@playhead/sdk'
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
