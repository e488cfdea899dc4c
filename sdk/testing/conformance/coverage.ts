// What a provider declares and no check ever exercised: kinds of a feature, operations, whole parts.
import { kindOf } from '../../items/kind.ts'
import { FEATURES, type Provider, type ProviderDescription } from '../../provider/contract.ts'
import type { CheckResult } from './contract.ts'

const OPERATIONS = ['read', 'add', 'update', 'remove'] as const
const SAID = { read: 'read', add: 'added', update: 'updated', remove: 'removed' } as const
const DONE = ['applied', 'already']

/** Notes what was exercised: `<feature> <operation> <kind>`. */
export interface Coverage {
  /** The provider, with notes of rows that it gave and items that it wrote. */
  watch(provider: Provider): Provider
  /**
   * Declared and never exercised, a sentence each; empty if everything was.
   * @param results of all checks; without them only features and kinds are looked at
   */
  missing(description: ProviderDescription, results?: readonly CheckResult[]): readonly string[]
}

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

  return {
    watch(provider) {
      const own = { read: read(provider), write: write(provider) }
      return new Proxy(provider, {
        get: (target, name) =>
          name === 'read' || name === 'write' ? own[name] : (Reflect.get(target, name, target) as unknown),
      })
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
      const episodes = Object.values(features).some(({ kinds }) => kinds.includes('episode'))
      if (episodes && !specials) missing.push('no episode of season 0 was ever read')
      if (results === undefined) return missing
      const ran = (group: string) => results.some((result) => result.group === group && result.outcome !== 'left_out')
      if (playback?.watch !== undefined && !ran('playing')) missing.push('what is playing was never asked for')
      if (playback?.scrobble !== undefined && !ran('scrobble')) missing.push('no play was ever recorded')
      if (droppedShows === true && !ran('dropped')) missing.push('dropped shows were never asked for')
      if (lists !== undefined) missing.push('lists: the kit does not look at them')
      return missing
    },
  }
}
