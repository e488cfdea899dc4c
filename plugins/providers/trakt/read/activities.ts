// Last change times per list, from one small request shared by the features of a run.
import { type Static, Type, type UpstreamAccount } from '@playhead/sdk'
import { type Memo, type Stamps, createCheckpoints, createMemo } from '@playhead/sdk/provider'
import { LastActivities } from '../wire.ts'

// Covers the features of one run; a probe, with which a run starts, drops it.
const CACHE_MS = 5_000

/** Change times such as `movies.watched_at`. Dropped after a write. */
export type Activities = Memo<Stamps>

export function createActivities(
  upstream: UpstreamAccount,
  now: () => number,
  owner: () => Promise<string>,
): Activities {
  return createMemo({ load: () => readStamps(upstream), ttlMs: CACHE_MS, now, owner })
}

async function readStamps(upstream: UpstreamAccount): Promise<Stamps> {
  const body = await upstream.json({ path: '/sync/last_activities' }, LastActivities)
  return Object.fromEntries(
    Object.entries(body).flatMap(([group, names]) =>
      typeof names === 'object' && names !== null
        ? Object.entries(names).flatMap(([name, at]) =>
            typeof at === 'string' ? [[`${group}.${name}`, at] as const] : [],
          )
        : [],
    ),
  )
}

const Fields = Type.Object({
  stamps: Type.Record(Type.String(), Type.String()),
  /** History: number of plays, and the ids of the newest ones. */
  plays: Type.Optional(Type.Object({ total: Type.Number(), newest: Type.Array(Type.String()) })),
})
export type Checkpoint = Static<typeof Fields>

export const checkpoints = createCheckpoints(Fields)
