// Last change times per list, and checkpoints of them.
import { Type, type UpstreamAccount } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import { createCheckpoints, type Stamps } from '@playhead/sdk/provider'

const Answer = Type.Record(Type.String(), Type.Unknown())

/** For members that are not objects, the name is that of the member. */
export async function readChangeTimes(upstream: UpstreamAccount): Promise<Stamps> {
  const body = await upstream.json({ path: '/sync/last_activities' }, Answer)
  return Object.fromEntries(
    Object.entries(body).flatMap(([group, names]) =>
      Object.entries(isRecord(names) ? names : { '': names }).flatMap(([name, at]) =>
        typeof at === 'string' ? [[name === '' ? group : `${group}.${name}`, at] as const] : [],
      ),
    ),
  )
}

export const checkpoints = createCheckpoints(Type.Object({ stamps: Type.Record(Type.String(), Type.String()) }))
