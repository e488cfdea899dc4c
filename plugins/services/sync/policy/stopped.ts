// Titles that a person stopped: their ids, and where they apply.
import { PlayheadError, type StoppedTitle, type StopOrder, type Tables } from '@playhead/sdk'
import { type Item, parseKey, tokensOf, workOf } from '@playhead/sdk/items'
import { appliesTo, deleteStopped, insertStopped, stoppedRows } from '../store/stopped-titles.ts'
import { clearUnresolvedOf } from '../store/unresolved.ts'
import type { FeatureRun } from '../feature-run.ts'

const MAX_STOPPED = 10_000
const MAX_NAMES = 500

export async function stopTitle(db: Tables, order: StopOrder, atMs: number): Promise<StoppedTitle> {
  const given = order.names.flatMap(idOf)
  if (given.length === 0)
    throw new PlayheadError('PLH_INVALID', 'The title has no id by which other services know it.', {
      wire: 'missing_ids',
    })
  return db.transaction().execute(async (transaction) => {
    const known = await stoppedRows(transaction)
    const before = known.filter(({ names }) => names.some((name) => given.includes(name)))
    if (known.length - before.length >= MAX_STOPPED)
      throw new PlayheadError('PLH_INVALID', `No more than ${MAX_STOPPED} titles can be stopped.`, {
        wire: 'too_many_stopped',
      })
    const names = [...new Set([...given, ...before.flatMap((stop) => stop.names)])].slice(0, MAX_NAMES)
    for (const { id } of before) await deleteStopped(transaction, id)
    const stop = { ...order, names }
    const id = await insertStopped(transaction, stop, atMs)
    const isOf = isOneOf(new Set(names))
    await clearUnresolvedOf(transaction, ({ pair_id: pairId, feature, provider, instance, item }) => {
      const scope = { pairId, feature, accounts: [{ provider, instance }] }
      return appliesTo(stop, scope) && isOf(JSON.parse(item) as Item)
    })
    return { ...stop, id, kind: names[0]!.startsWith('movie:') ? 'movie' : 'show', stoppedAtMs: atMs }
  })
}

/** The name without the provider that the library puts before ids of one provider; nothing for a name without an id. */
function idOf(name: string): readonly string[] {
  const id = name.slice(name.lastIndexOf(' ') + 1)
  const key = parseKey(id)
  // Services have slugs of their own.
  return key.ok && key.value.part === undefined && key.value.base.by === 'id' && key.value.base.scheme !== 'slug'
    ? [id]
    : []
}

interface StoppedIn {
  /** An input of the unchanged proof; empty if no title is stopped. */
  readonly mark: string
  readonly names: ReadonlySet<string>
}

/** The titles that the run leaves alone. */
export async function stoppedIn({ engine, pair, feature, sides }: FeatureRun): Promise<StoppedIn> {
  const scope = { pairId: pair.id, feature, accounts: [sides.a, sides.b] }
  const own = (await stoppedRows(engine.db)).filter((stop) => appliesTo(stop, scope))
  return { mark: own.map(({ id }) => ` ${id}`).join(''), names: new Set(own.flatMap(({ names }) => names)) }
}

/** Whether an item is of one of the works. */
export function isOneOf(names: ReadonlySet<string>): (item: Item | undefined) => boolean {
  if (names.size === 0) return () => false
  return (item) => item !== undefined && tokensOf(workOf(item), { within: 'provider' }).some((name) => names.has(name))
}
