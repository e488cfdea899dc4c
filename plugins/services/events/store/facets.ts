// The dictionary of facets, cached in memory without its counters.
import type { EventDomain, Tables } from '@playhead/sdk'
import { all, firstText, idsIn, fragment } from '../query/sql.ts'

export type Facet = {
  readonly [Field in Exclude<(typeof FACET_FIELDS)[number], 'domain' | 'event_type' | 'severity'>]: string | null
} & {
  readonly id: number
  readonly domain: EventDomain
  readonly event_type: string
  readonly severity: string
  readonly dry_run: boolean
  /** Bit in the `kinds` column of groups. */
  readonly kind_bit: number
}

/** A facet with its number of events, and of hidden ones. */
export interface CountedFacet extends Facet {
  readonly n: number
  readonly hidden: number
}

export interface Facets {
  /** All facets, counted now. */
  counted(): Promise<readonly CountedFacet[]>
  /** The facets of these ids. */
  of(ids: Iterable<number>): Promise<ReadonlyMap<number, Facet>>
  forget(): void
}

export function createFacets(reader: () => Promise<Tables>): Facets {
  let known = new Map<number, Facet>()

  async function load(ids: readonly number[]): Promise<void> {
    for (const row of await all(
      await reader(),
      fragment(`SELECT * FROM facet WHERE ${idsIn('id', ids).text}`, ...idsIn('id', ids).values),
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
      // Read as one JSON value, because rows are slow to pass between threads and every list starts here.
      const list = await firstText(
        await reader(),
        fragment('SELECT json_group_array(json_array(id, n, hidden_n)) FROM facet WHERE n > 0'),
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

/** Stored columns of a facet, in order: texts or null. */
export const FACET_FIELDS = [
  'domain',
  'event_type',
  'severity',
  'feature',
  'operation',
  'pair_key',
  'direction',
  'source_provider',
  'source_instance',
  'destination_provider',
  'destination_instance',
  'origin_provider',
  'origin_instance',
  'origin_confidence',
  'reason_code',
  'source_kind',
] as const
