// Finds declared features that no check exercised: kinds of a feature, operations, whole parts.
import { isAnimeScheme } from '../../items/anime-tokens.ts'
import { kindOf } from '../../items/kind.ts'
import type { Provider } from '../../provider/contract.ts'
import { FEATURES } from '../../provider/features.ts'
import type { ListKind, ListProvider } from '../../provider/lists/lists.ts'
import type { Coverage } from './contract.ts'

const OPERATIONS = ['read', 'add', 'update', 'remove'] as const
const SAID = { read: 'read', add: 'added', update: 'updated', remove: 'removed' } as const
const DONE = ['applied', 'already']

export function createCoverage(): Coverage {
  const seen = new Set<string>()
  let specials = false

  const read = (provider: Provider): Provider['read'] =>
    async function* (instance, request, signal) {
      for await (const part of provider.read(instance, request, signal)) {
        if (part.type === 'rows')
          for (const row of part.rows) {
            seen.add(`${request.feature} read ${kindOf(row)}`)
            if (row.type === 'episode' && row.season === 0) specials = true
          }
        yield part
      }
    }
  const write = (provider: Provider): Provider['write'] => {
    return async (instance, request, signal) => {
      const result = await provider.write(instance, request, signal)
      for (const { key, outcome } of result.outcomes) {
        const item = request.items.find((one) => one.key === key)?.item
        if (item !== undefined && DONE.includes(outcome)) seen.add(`${request.feature} ${request.op} ${kindOf(item)}`)
      }
      return result
    }
  }

  // A provider without lists has none of these methods, so they are looked up at each call.
  const listsOf = (lists: ListProvider): Partial<ListProvider> => {
    const note = (op: string, kind: ListKind) => void seen.add(`lists ${op} ${kind}`)
    return {
      readList(instance, request, signal) {
        note('read', request.list.kind)
        return lists.readList(instance, request, signal)
      },
      async writeList(instance, request, signal) {
        const result = await lists.writeList(instance, request, signal)
        if (result.outcomes.some(({ outcome }) => DONE.includes(outcome))) note(request.op, request.list.kind)
        return result
      },
      async createList(instance, list, signal) {
        const made = await lists.createList(instance, list, signal)
        note('create', list.kind)
        return made
      },
      async renameList(instance, list, title, signal) {
        await lists.renameList(instance, list, title, signal)
        note('rename', list.kind)
      },
      async deleteList(instance, removal, signal) {
        await lists.deleteList(instance, removal, signal)
        note('delete', removal.list.kind)
      },
      async clearList(instance, removal, signal) {
        const result = await lists.clearList(instance, removal, signal)
        note('clear', removal.list.kind)
        return result
      },
    }
  }

  return {
    watch(provider) {
      const own: Readonly<Record<string | symbol, unknown>> = {
        read: read(provider),
        write: write(provider),
        ...listsOf(provider as unknown as ListProvider),
      }
      return new Proxy(provider, { get: (target, name) => own[name] ?? (Reflect.get(target, name, target) as unknown) })
    },
    missing({ features, playback, droppedShows, lists }, results) {
      const missing: string[] = []
      for (const feature of FEATURES) {
        const support = features[feature]
        if (support === undefined) continue
        for (const kind of support.kinds) {
          const left = OPERATIONS.filter((name) => support[name] && !seen.has(`${feature} ${name} ${kind}`))
          if (left.length > 0)
            missing.push(`${feature}: no ${kind} was ever ${left.map((name) => SAID[name]).join(', ')}`)
        }
      }
      // Entries of anime services have no seasons: a special is an entry of its own.
      const episodes = Object.values(features).some(
        ({ kinds, needsAnyId }) => kinds.includes('episode') && needsAnyId?.every(isAnimeScheme) !== true,
      )
      if (episodes && !specials) missing.push('no episode of season 0 was ever read')
      for (const [kind, { can }] of Object.entries(lists ?? {})) {
        const left = ['read', ...can].filter((op) => !seen.has(`lists ${op} ${kind}`))
        if (left.length > 0) missing.push(`lists (${kind}): never done: ${left.join(', ')}`)
      }
      if (results === undefined) return missing
      const ran = (group: string) => results.some((result) => result.group === group && result.outcome !== 'left_out')
      if (playback?.watch !== undefined && !ran('playing')) missing.push('what is playing was never asked for')
      if (playback?.scrobble !== undefined && !ran('scrobble')) missing.push('no play was ever recorded')
      if (droppedShows === true && !ran('dropped')) missing.push('dropped shows were never asked for')
      return missing
    },
  }
}
