// The capability `anime-mapping`: applies the person's rules first, then the index on its thread.
import {
  type AiredAnswer,
  type AiredQuery,
  type AnimeMapping,
  type Coordinates,
  type Enriched,
  type EntryAnswer,
  type EntryQuery,
  type HostFacts,
  type MappingReason,
  PlayheadError,
} from '@playhead/sdk'
import type { Position } from './lookup/coordinates.ts'
import type { Work } from './lookup/enrich.ts'
import { IndexLost, type Slots } from './index-file/slots.ts'
import {
  AMBIGUOUS,
  isClaimed,
  nowhere,
  planOf,
  planOfAired,
  planOfEntry,
  unchanged,
  withoutClaimed,
  withRules,
  workOf,
} from './overrides/plan.ts'
import type { Rules, RuleStore } from './overrides/rules.ts'
import { ANY_PROVIDER, type Settings } from './settings.ts'
import type { BuiltIndex, StateStore } from './state.ts'
import { isReady } from './update/update.ts'

interface MappingOptions {
  readonly settings: () => Readonly<Settings>
  readonly state: StateStore
  readonly rules: RuleStore
  readonly slots: Slots
  readonly host: Pick<HostFacts, 'plugins'>
  /** The index file does not contain the index. */
  readonly onLost: (index: BuiltIndex, error: IndexLost) => Promise<void>
}

const MAX_ITEMS = 1_000
type Look = <Query, Answer>(
  name: 'enrich' | 'coordinates' | 'entries' | 'aired',
  queries: readonly (Query | null)[],
  without: (reason: MappingReason) => Answer,
) => Promise<readonly Answer[]>

export function createMapping({ settings, state, rules, slots, host, onLost }: MappingOptions): AnimeMapping {
  /** Queries the index for entries that are not null; results for null entries are not used. */
  const look: Look = async <Query, Answer>(
    name: 'enrich' | 'coordinates' | 'entries' | 'aired',
    queries: readonly (Query | null)[],
    without: (reason: MappingReason) => Answer,
  ) => {
    if (!settings().enabled) return queries.map(() => without('mapping_off'))
    const asked = queries.filter((query) => query !== null)
    const answers = await ask<Query, Answer>(name, asked)
    if (answers === null) return queries.map(() => without('no_index'))
    let next = 0
    return queries.map((query) => (query === null ? without('no_mapping') : (answers[next++] as Answer)))
  }

  async function ask<Query, Answer>(
    name: 'enrich' | 'coordinates' | 'entries' | 'aired',
    queries: readonly Query[],
  ): Promise<readonly Answer[] | null> {
    for (let tries = 0; ; tries += 1) {
      const { index } = await state.read()
      if (!isReady(index)) return null
      if (queries.length === 0) return []
      try {
        const argument = { build: index.build, queries }
        return (await slots.look(index, name, argument as never)) as readonly Answer[]
      } catch (error) {
        if (!(error instanceof IndexLost)) throw error
        // A newer index has replaced it, or there is none.
        if ((await state.read()).index?.build === index.build) await onLost(index, error)
        if (tries > 1) throw error
      }
    }
  }

  /** Rules apply without an index, and never while the mapping is off. */
  const activeRules = async (): Promise<Rules | null> => (settings().enabled ? await rules.rules() : null)

  return {
    async revision() {
      if (!settings().enabled) return null
      const { index } = await state.read()
      const { revision } = await rules.rules()
      const build = isReady(index) ? index.build : ''
      return build === '' && revision === '' ? null : `${build}.${revision}`
    },
    async scope() {
      const { enabled, use_for_pairs, features } = settings()
      return enabled ? { providers: providerIds(use_for_pairs, host), features: [...features] } : NO_SCOPE
    },
    async enrich(items) {
      limit(items)
      const own = await activeRules()
      const works = items.map((item) => workOf(item, own))
      const answers = await look<Work, Enriched>(
        'enrich',
        works.map((work) => work && { ids: work.ids, kind: work.kind, isAnime: work.isAnime }),
        (reason) => unchanged({}, reason),
      )
      return items.map((item, index) => {
        const work = works[index]
        const answer = answers[index] as Enriched
        if (work === null || work === undefined) return unchanged(item.ids, 'not_mappable')
        return withRules(item.ids, work, answer)
      })
    },
    async coordinates(episodes, { specials = false } = {}) {
      limit(episodes)
      const own = await activeRules()
      const planned = episodes.map((item) => planOf(item, own, specials))
      const answers = await look<Position, Coordinates>(
        'coordinates',
        planned.map((plan) => ('position' in plan ? plan.position : null)),
        (reason) => nowhere(reason),
      )
      return planned.map((plan, index) =>
        'position' in plan ? withoutClaimed(answers[index] as Coordinates, plan.position, own) : plan.answer,
      )
    },
    async toEntries(queries) {
      limit(queries)
      const own = await activeRules()
      const planned = queries.map((query) => planOfEntry(query, own))
      const answers = await look<EntryQuery, EntryAnswer>(
        'entries',
        planned.map((plan) => ('query' in plan ? plan.query : null)),
        (reason) => ({ found: false, reason }),
      )
      return planned.map((plan, index) => {
        if ('answer' in plan) return plan.answer
        const answer = answers[index] as EntryAnswer
        return answer.found && isClaimed(answer, plan.query, own) ? AMBIGUOUS : answer
      })
    },
    async toAired(queries) {
      limit(queries)
      const own = await activeRules()
      const planned = queries.map((query) => planOfAired(query, own))
      const answers = await look<AiredQuery, AiredAnswer>(
        'aired',
        planned.map((plan) => ('query' in plan ? plan.query : null)),
        (reason) => ({ found: false, reason }),
      )
      return planned.map((plan, index) => {
        if ('answer' in plan) return plan.answer
        const answer = answers[index] as AiredAnswer
        return answer.found && own?.claims(answer) === true ? AMBIGUOUS : answer
      })
    },
  }
}

const NO_SCOPE = { providers: [], features: [] }

function limit(items: readonly unknown[]): void {
  if (items.length > MAX_ITEMS)
    throw new PlayheadError('PLH_INVALID', `At most ${MAX_ITEMS} items are mapped at once; these are ${items.length}.`)
}

/** Settings name providers as the interface does; unknown ones are left out. */
function providerIds(names: readonly string[], { plugins }: Pick<HostFacts, 'plugins'>): readonly string[] {
  if (names.includes(ANY_PROVIDER)) return [ANY_PROVIDER]
  const known = plugins().flatMap(({ provider }) => provider ?? [])
  return names.flatMap((name) => known.find(({ id, token }) => isName(name, id, token))?.id ?? [])
}

export function isName(name: string, ...of: readonly string[]): boolean {
  return of.some((one) => one.toLowerCase() === name.toLowerCase())
}
