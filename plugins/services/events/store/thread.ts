// What the archive does on its database's thread: makes facts of what was handed over, and stores them.
import type { SqlValue, ThreadDatabase, ThreadWork } from '@playhead/sdk'
import { type Fact, makeFact } from './facts.ts'
import { type Parcel, unpack } from './parcel.ts'
import { FACET_FIELDS } from './facet-fields.ts'
import { FACET_AT, createIntake } from './store-facts.ts'

export interface Delivery {
  /** Unlike that of any other who writes to the archive: facts of a running process are never the same fact. */
  readonly nonce: string
  readonly parcels: readonly Parcel[]
}

export interface Receipt {
  /** How many no fact could be made of. */
  readonly unfit: number
  readonly error: string | null
}

const KNOWN_FACETS = 20_000
const FACET_COLUMNS = ['key', ...FACET_FIELDS, 'dry_run']
const INSERT_FACET = `INSERT OR IGNORE INTO facet (${FACET_COLUMNS.join(', ')}) VALUES (${FACET_COLUMNS.map(() => '?').join(', ')})`
const FACET_ID = 'SELECT id FROM facet WHERE key = ?'

// Facets are never deleted, so what is known of committed ones stays right; those of the last call may not have been
// committed.
const facets = new Map<string, number>()
const recent = new Set<string>()

function store(database: ThreadDatabase, { nonce, parcels }: Delivery): Receipt {
  forgetUncommitted(database)
  const intake = createIntake(database)
  let unfit = 0
  let error: string | null = null
  for (const parcel of parcels) {
    let number = parcel.first
    for (const recorded of unpack(parcel)) {
      let fact: Fact
      try {
        fact = makeFact(recorded, nonce + (number++).toString(16).padStart(16, '0'), parcel.atMs)
      } catch (thrown) {
        unfit += 1
        error ??= String(thrown)
        continue
      }
      intake.take(fact.values.with(FACET_AT, facetOf(database, fact)), fact)
    }
  }
  intake.end()
  return { unfit, error }
}

function facetOf(database: ThreadDatabase, { facetKey, facet }: Fact): SqlValue {
  const known = facets.get(facetKey)
  if (known !== undefined) return known
  if (facets.size > KNOWN_FACETS) facets.clear()
  database.run(INSERT_FACET, facetKey, ...facet)
  const id = Number(database.all(FACET_ID, facetKey)[0]?.[0])
  facets.set(facetKey, id)
  recent.add(facetKey)
  return id
}

function forgetUncommitted(database: ThreadDatabase): void {
  for (const key of recent) {
    if (database.all(FACET_ID, key)[0]?.[0] !== facets.get(key)) facets.delete(key)
  }
  recent.clear()
}

export default { store } satisfies ThreadWork
