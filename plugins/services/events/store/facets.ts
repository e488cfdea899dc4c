// The dictionary of what facts have in common, kept in memory but for its counters.
import type { EventDomain, Tables } from '@playhead/sdk'
import { all, firstText, idsIn, piece } from '../look/query.ts'
import type { FACET_FIELDS } from './facet-fields.ts'

export type Facet = {
  readonly [Field in Exclude<(typeof FACET_FIELDS)[number], 'domain' | 'event_type' | 'severity'>]: string | null
} & {
  readonly id: number
  readonly domain: EventDomain
  readonly event_type: string
  readonly severity: string
  readonly dry_run: boolean
  /** In the `kinds` of groups. */
  readonly kind_bit: number
}

/** A facet with its events, and those of them that are hidden. */
export interface CountedFacet extends Facet {
  readonly n: number
  readonly hidden: number
}

export interface Facets {
  /** All of them, counted now. */
  counted(): Promise<readonly CountedFacet[]>
  /** Those that rows name. */
  of(ids: Iterable<number>): Promise<ReadonlyMap<number, Facet>>
  forget(): void
}

export function createFacets(reader: () => Promise<Tables>): Facets {
  let known = new Map<number, Facet>()

  async function load(ids: readonly number[]): Promise<void> {
    for (const row of await all(
      await reader(),
      piece(`SELECT * FROM facet WHERE ${idsIn('id', ids).text}`, ...idsIn('id', ids).values),
    )) {
      const { key: _key, n: _n, hidden_n: _hidden, dry_run: dryRun, ...rest } = row
      known.set(Number(row['id']), { ...rest, dry_run: dryRun === 1 } as unknown as Facet)
    }
  }

  async function of(ids: Iterable<number>): Promise<ReadonlyMap<number, Facet>> {
    const missing = [...new Set(ids)].filter((id) => !known.has(id))
    if (missing.length > 0) await load(missing)
    return known
  }

  return {
    of,
    async counted() {
      // As one value, which crosses between the threads in less time than rows: every list begins here.
      const list = await firstText(
        await reader(),
        piece('SELECT json_group_array(json_array(id, n, hidden_n)) FROM facet WHERE n > 0'),
      )
      const counts = JSON.parse(list) as readonly (readonly [id: number, n: number, hidden: number])[]
      const facets = await of(counts.map(([id]) => id))
      return counts.flatMap(([id, n, hidden]) => {
        const facet = facets.get(id)
        return facet === undefined ? [] : [{ ...facet, n, hidden }]
      })
    },
    forget() {
      known = new Map()
    },
  }
}
