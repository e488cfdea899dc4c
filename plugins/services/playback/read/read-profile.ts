// Reads the positions of one profile: completely, or only changes since the last complete read.
import { defined, type Item, type LibraryService, type Remote, yieldToLoop } from '@playhead/sdk'
import { collectRead, type Provider, type ReadRequest } from '@playhead/sdk/provider'
import type { Profile } from '../profiles.ts'
import { type Entry, entryOf, remoteIdOf } from './entry.ts'

export type Entries = ReadonlyMap<string, Entry>

/** A complete read, which the next one can continue. */
export interface Known {
  readonly entries: Entries
  readonly account: string
  readonly checkpoint?: string
}

interface ReadOutcome {
  readonly entries: Entries
  /** Undefined for an incomplete read. */
  readonly known: Known | undefined
  /** Why the read is incomplete. */
  readonly reason?: string
}

/** No account has more positions than this; a longer read is incomplete. */
const MAX_ROWS = 20_000
/** Rows between two turns of the event loop. */
const CHUNK = 200
const MAX_KEYS = 500

/** Throws errors of the provider. */
export async function readProfile(
  provider: Pick<Remote<Provider>, 'read'>,
  profile: Profile,
  before: Known | undefined,
  signal: AbortSignal,
): Promise<ReadOutcome> {
  const request: ReadRequest = {
    feature: 'progress',
    ...(profile.libraries.length === 0 ? {} : { libraries: profile.libraries }),
  }
  const since = before?.checkpoint
  const read = (more: Partial<ReadRequest>) =>
    collectRead(provider.read(profile.instance, { ...request, ...more }, signal), MAX_ROWS)
  let { rows, end } = await read(since === undefined ? {} : { since })
  // Changes of another account do not apply to these rows.
  const isOther = before !== undefined && end.account !== before.account
  if (end.semantics !== 'present' && (before === undefined || isOther)) ({ rows, end } = await read({}))
  const start = end.semantics === 'present' || before === undefined ? new Map<string, Entry>() : new Map(before.entries)
  await apply(start, rows)
  for (const item of end.deleted ?? []) start.delete(remoteIdOf(item) ?? '')
  if (!end.complete) return { entries: start, known: undefined, reason: end.reason ?? 'incomplete' }
  const known = { entries: start, account: end.account, ...defined({ checkpoint: end.checkpoint }) }
  return { entries: start, known }
}

/** The rows that the sync engine read last. */
export async function storedEntries(
  library: Pick<Remote<LibraryService>, 'rows'>,
  { provider, instance }: Profile,
): Promise<Entries> {
  const entries = new Map<string, Entry>()
  for await (const page of library.rows(provider, instance, 'progress'))
    await apply(
      entries,
      page.map(({ item }) => item),
    )
  return entries
}

/** Adds the ratings that the person gave, as the sync engine read them last. */
export async function withRatings(
  library: Pick<Remote<LibraryService>, 'items'>,
  { provider, instance }: Profile,
  entries: Entries,
): Promise<Entries> {
  const rated = new Map(entries)
  const missing = [...entries.values()].filter(({ rating }) => rating === null)
  for (let start = 0; start < missing.length; start += MAX_KEYS) {
    const chunk = missing.slice(start, start + MAX_KEYS)
    const keys = [...new Set(chunk.map(({ key }) => key))]
    const rows = await library.items(provider, instance, 'ratings', keys)
    const ratings = new Map(rows.map(({ key, item }) => [key, item.rating]))
    for (const entry of chunk) {
      const rating = ratings.get(entry.key)
      if (rating !== undefined) rated.set(entry.remoteId, { ...entry, rating })
    }
  }
  return rated
}

async function apply(entries: Map<string, Entry>, rows: readonly Item[]): Promise<void> {
  for (const [index, row] of rows.entries()) {
    if (index > 0 && index % CHUNK === 0) await yieldToLoop()
    const entry = entryOf(row)
    if (entry !== undefined) entries.set(entry.remoteId, entry)
    // The row lost its position.
    else if (isItem(row)) entries.delete(remoteIdOf(row) ?? '')
  }
}

function isItem(row: unknown): row is Item {
  return typeof row === 'object' && row !== null && typeof (row as Item).ids === 'object' && (row as Item).ids !== null
}
