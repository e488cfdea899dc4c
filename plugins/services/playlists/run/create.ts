// Creates the list of an endpoint together with its first item.
import { defined, isPlayheadError, type Item, type List, type MappingOutcome } from '@playhead/sdk'
import { factsOf, findList, wireId } from '../config/lists.ts'
import type { Parts } from '../parts.ts'
import type { Endpoint } from '../settings.ts'
import { CAUSE, isJudgement } from './apply.ts'
import { providerError } from './failures.ts'
import type { Planned } from './planner.ts'
import type { Side } from './read.ts'

/** An item that is not in the library cannot be the first. A run tries this many candidates. */
const MAX_TRIES = 20
/** Errors that the item causes, as opposed to the account. */
const OF_ITEM: readonly string[] = ['PLH_NOT_FOUND', 'PLH_INVALID']

interface Created {
  /** Null if none of the items could be the first. */
  readonly endpoint: Endpoint | null
  readonly outcome: MappingOutcome
}

/**
 * Creates the list, with the first item of its plan that the service accepts if it creates no empty lists. A list from an interrupted run is recognized by its
 * title among the lists that did not exist before.
 */
export async function createFromPlan(
  parts: Parts,
  { plan }: Planned,
  { endpoint, support }: Side,
  signal: AbortSignal,
): Promise<Created> {
  const { lists, store } = parts
  const { provider, instance, playlist_type: kind, playlist_name: title, id } = endpoint
  const account = { provider, instance }
  const adds = plan.targets.find(({ list }) => list === id)?.adds ?? []
  const refused: { key: string; reason: string }[] = []
  const outcome = (done: readonly string[]): MappingOutcome => ({
    list: id,
    done: { adds: done, removes: [] },
    refused,
  })
  const failed = (error: unknown) => providerError(error, endpoint, 'target')

  const before = await store.creation(id)
  signal.throwIfAborted()
  const all = await lists.all(account, signal).catch((error: unknown) => Promise.reject(failed(error)))
  const own = all.filter((list) => list.kind === kind)
  if (before !== null) {
    const made = own.filter((list) => list.title === before.title && !before.known.includes(list.id))
    const first = adds.filter(({ key }) => key === before.key).map(({ key }) => key)
    if (made.length === 1)
      return { endpoint: await adopt(parts, endpoint, made[0] as List, support), outcome: outcome(first) }
  }
  const make = async (key: string, first?: Item) => {
    await store.setCreation(id, { title, key, known: own.map((list) => list.id) })
    signal.throwIfAborted()
    const list = { kind, title, kinds: support?.kinds ?? [], ...defined({ first }) }
    return await adopt(parts, endpoint, await lists.create({ ...account, list, cause: CAUSE }), support)
  }
  try {
    return { endpoint: await make(''), outcome: outcome([]) }
  } catch (error) {
    if (!isPlayheadError(error) || error.wire !== 'first_entry_required') throw failed(error)
  }
  for (const { key, item } of adds.slice(0, MAX_TRIES)) {
    try {
      return { endpoint: await make(key, item), outcome: outcome([key]) }
    } catch (error) {
      if (!isPlayheadError(error) || !OF_ITEM.includes(error.code)) throw failed(error)
      // The next run asks the plugin again.
      if (!isJudgement(error.wire)) refused.push({ key, reason: error.wire })
    }
  }
  await store.setCreation(id, null)
  return { endpoint: null, outcome: outcome([]) }
}

/** Stores the endpoint with its list. */
async function adopt(parts: Parts, endpoint: Endpoint, list: List, support: Side['support']): Promise<Endpoint> {
  const next: Endpoint = { ...endpoint, ...factsOf(list, support), last_synced: Math.floor(parts.now() / 1_000) }
  await parts.change((config) => {
    // A person may have chosen another list meanwhile.
    const endpoints = config.endpoints.map((one) =>
      one.id === endpoint.id && one.playlist_id === '' ? { ...one, ...next, name: one.name } : one,
    )
    return { change: { endpoints }, value: undefined }
  })
  await parts.store.setCreation(endpoint.id, null)
  parts.log.info(
    { provider: endpoint.provider, instance: endpoint.instance, list: wireId(list) },
    'a list was created with its first item',
  )
  return next
}

/** The list of an endpoint among those of its account. */
export async function findListOf(
  { lists }: Parts,
  endpoint: Pick<Endpoint, 'provider' | 'instance' | 'playlist_id'>,
  signal: AbortSignal,
): Promise<List | undefined> {
  const all = await lists
    .all(endpoint, signal)
    .catch((error: unknown) => Promise.reject(providerError(error, endpoint)))
  return findList(all, endpoint.playlist_id)
}
