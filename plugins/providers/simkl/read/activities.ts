// Last change times per list, from one small request that must come first. Shared by the features of a run.
import { Type, type UpstreamAccount } from '@playhead/sdk'
import { type Memo, type Stamps, createCheckpoints, sameStamps } from '@playhead/sdk/provider'
import { Activities as Answer } from '../wire.ts'

/**
 * Times have a precision of seconds, so changes within one second cannot be told apart; also allows for clock
 * differences.
 */
const SETTLED_MS = 5_000
const UNSETTLED = '~'

/** Change times such as `movies.plantowatch`; empty for never. A time that is too recent to be final ends in `~`. */
export type Activities = Memo<Stamps>

export async function readStamps(upstream: UpstreamAccount): Promise<Stamps> {
  const answer = await upstream.json({ path: '/sync/activities' }, Answer)
  const newestSure = Date.now() - SETTLED_MS
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

/** The time as written by the service. */
export function timeOf(stamp: string): string {
  return isSettled(stamp) ? stamp : stamp.slice(0, -UNSETTLED.length)
}

/** The stamps with matching names. */
export function stampsOf(stamps: Stamps, concerns: (group: string, name: string) => boolean): Stamps {
  return Object.fromEntries(
    Object.entries(stamps).filter(([key]) => {
      const [group = '', name = ''] = key.split('.')
      return concerns(group, name)
    }),
  )
}

/** True when later changes must have another time. */
export function areSettled(stamps: Stamps): boolean {
  const times = Object.values(stamps)
  return times.length > 0 && times.every(isSettled)
}

/** True if no change can have happened between the two. */
export function isSame(a: Stamps, b: Stamps): boolean {
  return areSettled(a) && sameStamps(a, b)
}

export const checkpoints = createCheckpoints(Type.Object({ stamps: Type.Record(Type.String(), Type.String()) }))
