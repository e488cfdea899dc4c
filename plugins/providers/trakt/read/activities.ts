// When what changed last: one small answer that spares reading what is as it was. The features of a run share it.
import {
  type Memo,
  type Stamps,
  type Static,
  Type,
  type UpstreamAccount,
  createCheckpoints,
  createMemo,
} from '@playhead/sdk'
import { readJson } from '../requests.ts'
import { LastActivities } from '../wire.ts'

// Long enough for the features of a run; a look at the account, with which a run begins, starts anew.
const SHARED_MS = 5_000

/** `movies.watched_at` and the like. What is known is dropped when something is written. */
export type Activities = Memo<Stamps>

export function createActivities(
  upstream: UpstreamAccount,
  now: () => number,
  owner: () => Promise<string>,
): Activities {
  return createMemo({ load: () => readStamps(upstream), keptMs: SHARED_MS, now, owner })
}

async function readStamps(upstream: UpstreamAccount): Promise<Stamps> {
  const { body } = await readJson(upstream, { path: '/sync/last_activities' }, LastActivities)
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
  /** History: how many plays there were, and the ids of the newest. */
  plays: Type.Optional(Type.Object({ total: Type.Number(), newest: Type.Array(Type.String()) })),
})
export type Checkpoint = Static<typeof Fields>

export const checkpoints = createCheckpoints(Fields)
