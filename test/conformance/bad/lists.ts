// Providers that handle lists incorrectly. Each fails exactly the checks of its fault.
import { isPlayheadError, type List, type ListProvider, type Provider } from '@playhead/sdk'
import trakt from '../../../plugins/providers/trakt/index.ts'
import traktAdapter from '../adapters/trakt.ts'
import { type Bad, spoil } from './spoil.ts'

const checks = ['lists.entries', 'lists.moved', 'lists.own', 'lists.failing', 'lists.unconfigured']
const of = { folder: 'trakt', adapter: traktAdapter, checks }

const bad = (habit: string, fails: readonly string[], change: (good: ListProvider) => Partial<ListProvider>): Bad => ({
  habit,
  fails,
  of,
  plugin: spoil(trakt, { provider: (good) => change(good as unknown as ListProvider) as Partial<Provider> }),
})

export const badListKeepers: readonly Bad[] = [
  bad('says that it added to a list, and did not', ['lists.entries', 'lists.moved', 'lists.own'], (good) => ({
    writeList: async (instance, request, signal) =>
      request.op === 'add'
        ? { outcomes: request.items.map(({ key }) => ({ key, outcome: 'applied' })) }
        : good.writeList(instance, request, signal),
  })),
  bad('empties a list to remove one entry', ['lists.entries'], (good) => ({
    async writeList(instance, request, signal) {
      if (request.op !== 'remove') return good.writeList(instance, request, signal)
      const list = await found(good, instance, request.list)
      await good.clearList(
        instance,
        { list, count: list.count ?? 0, confirm: ['entries', 'order', 'added_at'] },
        signal,
      )
      return { outcomes: request.items.map(({ key }) => ({ key, outcome: 'applied' })) }
    },
  })),
  bad('says that it moved an entry, and did not', ['lists.moved'], (good) => ({
    writeList: async (instance, request, signal) =>
      request.op === 'move'
        ? { outcomes: request.items.map(({ key }) => ({ key, outcome: 'applied' })) }
        : good.writeList(instance, request, signal),
  })),
  bad('deletes all lists of the account with one', ['lists.own'], (good) => ({
    async deleteList(instance, removal, signal) {
      for (const list of await good.lists(instance, signal))
        await good.deleteList(instance, { ...removal, list, count: list.count ?? 0 }, signal)
    },
  })),
  bad('takes a failure for an account without lists', ['lists.failing'], (good) => ({
    lists: (...args) =>
      good.lists(...args).catch((error: unknown) => noneWhere(error, (code) => code !== 'PLH_NOT_READY')),
  })),
  bad('takes a failure for the end of a list', ['lists.failing'], (good) => ({
    async *readList(...args) {
      try {
        yield* good.readList(...args)
      } catch {
        yield { type: 'end', end: { complete: true, semantics: 'present', account: 'somebody' } }
      }
    },
  })),
  bad('takes a profile without a sign-in for one without lists', ['lists.unconfigured'], (good) => ({
    lists: (...args) =>
      good.lists(...args).catch((error: unknown) => noneWhere(error, (code) => code === 'PLH_NOT_READY')),
  })),
]

async function found(good: ListProvider, instance: string, { id }: List): Promise<List> {
  return (await good.lists(instance)).find((list) => list.id === id) as List
}

function noneWhere(error: unknown, isMeant: (code: string) => boolean): readonly List[] {
  if (isPlayheadError(error) && isMeant(error.code)) return []
  throw error
}
