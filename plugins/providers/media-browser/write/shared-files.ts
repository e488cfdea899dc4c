// Files of several episodes: the server has one mark for all of them. The mark is set once each episode was watched elsewhere, and
// cleared once each is to be removed; until then an episode waits. Requests are stored, because the episodes rarely come in one
// batch. A request that is not repeated for a month expires.
import type { ItemOutcome, WriteItem, WriteRequest } from '@playhead/sdk'
import { parseTime, partOf } from '@playhead/sdk/items'
import type { Session } from '../session.ts'
import type { Target, Targets } from './targets.ts'

interface SharedFiles {
  /** Writes the mark of the file once for all its episodes, with their latest time (`''` without one). */
  write(target: Target, send: (time: string) => Promise<ItemOutcome>): Promise<ItemOutcome>
}

/** Times by number of the episode. */
type Asked = Readonly<Record<string, string>>

const REMEMBERED_MS = 31 * 86_400_000
const WAITS = {
  add: { outcome: 'not_found', reason: 'shared_file' },
  update: { outcome: 'not_found', reason: 'shared_file' },
  remove: { outcome: 'rejected', reason: 'shared_file' },
} as const

export async function sharedFiles(
  { store }: Pick<Session, 'store'>,
  userId: string,
  { op, items }: WriteRequest,
  found: Targets,
): Promise<SharedFiles> {
  const asked = new Map<string, { readonly target: Target; readonly times: Record<string, string> }>()
  for (const write of items) {
    const place = found.get(write.key)
    if (place === undefined || 'reason' in place) continue
    for (const target of place.targets) {
      const { id, episodes } = target.entry
      if (episodes.length < 2) continue
      const one = asked.get(id) ?? { target, times: {} }
      asked.set(id, one)
      one.times[numberIn(write, target)] = write.item.watched_at ?? ''
    }
  }
  const complete = new Map<string, string>()
  for (const [id, { target, times }] of asked) {
    const isDone = (target.data.Played === true) === (op !== 'remove')
    const name = `file/${userId}/${op === 'remove' ? op : 'add'}/${id}`
    const all: Asked = { ...(isDone ? {} : await store.get<Asked>(name)), ...times }
    const isAll = target.entry.episodes.every((episode) => all[episode] !== undefined)
    if (isAll) {
      complete.set(id, latestOf(Object.values(all)))
      await store.delete(name)
    } else if (!isDone) await store.set(name, all, REMEMBERED_MS)
  }
  const sent = new Map<string, Promise<ItemOutcome>>()

  return {
    async write({ entry: { id }, data }, send) {
      const time = complete.get(id)
      if (time !== undefined) return sent.getOrInsertComputed(id, () => send(time))
      const isThere = op === 'add' ? data.Played === true : op === 'remove' && data.Played !== true
      return isThere ? { outcome: 'already' } : WAITS[op]
    },
  }
}

/** The file has the ids of its first episode, so an item found by those ids is the first episode. */
function numberIn({ item }: WriteItem, { entry: { episode, episodes } }: Target): number {
  const number = partOf(item)?.episode
  return number !== undefined && episodes.includes(number) ? number : (episode ?? 0)
}

function latestOf(times: readonly string[]): string {
  return times.reduce(
    (latest, time) => ((parseTime(time)?.atMs ?? 0) > (parseTime(latest)?.atMs ?? 0) ? time : latest),
    '',
  )
}
