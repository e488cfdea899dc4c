// When what changed last: one small answer that has to be asked for before anything else. The features of a run share
// it.
import { type Memo, type Stamps, Type, createCheckpoints, createMemo, sameStamps } from '@playhead/sdk'
import type { Api } from '../requests.ts'
import { Activities as Answer } from '../wire.ts'

// Long enough for the features of a run; a look at the account, with which a run begins, starts anew.
const SHARED_MS = 5_000
/** Times are told in whole seconds: what happens within the same one leaves no trace, and clocks differ a little. */
const SETTLED_MS = 5_000
const UNSETTLED = '~'

/** `movies.plantowatch` and the like; empty for never. A time that is too new to be sure ends in `~`. */
export type Activities = Memo<Stamps>

export function createActivities(api: Api, now: () => number): Activities {
  return createMemo({ load: () => readStamps(api, now), keptMs: SHARED_MS, now })
}

async function readStamps(api: Api, now: () => number): Promise<Stamps> {
  const answer = await api.json({ path: '/sync/activities' }, Answer)
  const newestSure = now() - SETTLED_MS
  const mark = (at: unknown) => (typeof at !== 'string' ? '' : Date.parse(at) > newestSure ? at + UNSETTLED : at)
  return Object.fromEntries(
    Object.entries(answer).flatMap(([group, names]) =>
      typeof names === 'object' && names !== null
        ? Object.entries(names as object).map(([name, at]) => [`${group}.${name}`, mark(at)] as const)
        : [],
    ),
  )
}

export function isSettled(stamp: string): boolean {
  return !stamp.endsWith(UNSETTLED)
}

/** The time as the service wrote it. */
export function timeOf(stamp: string): string {
  return isSettled(stamp) ? stamp : stamp.slice(0, -UNSETTLED.length)
}

/** The stamps whose names are in question. */
export function stampsOf(stamps: Stamps, concerns: (group: string, name: string) => boolean): Stamps {
  return Object.fromEntries(
    Object.entries(stamps).filter(([key]) => {
      const [group = '', name = ''] = key.split('.')
      return concerns(group, name)
    }),
  )
}

/** Whatever happens from now on has another time. */
export function areSettled(stamps: Stamps): boolean {
  const times = Object.values(stamps)
  return times.length > 0 && times.every(isSettled)
}

/** Nothing happened between the two, for certain. */
export function isSame(a: Stamps, b: Stamps): boolean {
  return areSettled(a) && sameStamps(a, b)
}

export const checkpoints = createCheckpoints(Type.Object({ stamps: Type.Record(Type.String(), Type.String()) }))
