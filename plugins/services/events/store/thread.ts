// Runs on the database thread: decodes batches, makes facts of them and stores them.
import type { SqlValue, ThreadDatabase, ThreadWork } from '@playhead/sdk'
import { type Fact, makeFact } from './facts.ts'
import { type EventBatch, decodeBatch } from './event-batch.ts'
import { FACET_FIELDS } from './facets.ts'
import { FACET_AT, createIntake } from './store-facts.ts'

interface Delivery {
  /** Unique per writer, so that facts of two processes are never considered equal. */
  readonly nonce: string
  readonly batches: readonly EventBatch[]
}

interface Receipt {
  /** Records that could not be turned into facts. */
  readonly unfit: number
  readonly error: string | null
}

const KNOWN_FACETS = 20_000
const FACET_COLUMNS = ['key', ...FACET_FIELDS, 'dry_run']
const INSERT_FACET = `INSERT OR IGNORE INTO facet (${FACET_COLUMNS.join(', ')}) VALUES (${FACET_COLUMNS.map(() => '?').join(', ')})`
const FACET_ID = 'SELECT id FROM facet WHERE key = ?'

// Facets are never deleted, so committed ids stay valid; the ids of the last call may have been rolled back.
const facets = new Map<string, number>()
const recent = new Set<string>()

function store(database: ThreadDatabase, { nonce, batches }: Delivery): Receipt {
  forgetUncommitted(database)
  const intake = createIntake(database)
  let unfit = 0
  let error: string | null = null
  for (const batch of batches) {
    let number = batch.first
    for (const recorded of decodeBatch(batch)) {
      let fact: Fact
      try {
        fact = makeFact(recorded, nonce + (number++).toString(16).padStart(16, '0'), batch.atMs)
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
