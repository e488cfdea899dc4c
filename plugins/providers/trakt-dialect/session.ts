// State shared by the readers and writers of one profile.
import type { UpstreamAccount } from '@playhead/sdk'
import { type AccountContext, createMemo, type Memo, type Stamps } from '@playhead/sdk/provider'
import { readChangeTimes } from './read/change-times.ts'

// Covers the features of one run; a probe, with which a run starts, drops it.
const ACTIVITIES_MS = 5_000
const FACTS_MS = 600_000

/** Settings that all trackers have. */
export interface TrackerProfile {
  /** Longest wait for an answer, in seconds. */
  readonly timeout: number
  readonly watchlist_batch_size: number
  readonly ratings_chunk_size: number
  readonly history_chunk_size: number
}

export interface TrackerSession<
  Profile extends TrackerProfile = TrackerProfile,
  Facts extends { readonly account: string } = { readonly account: string },
> {
  readonly account: AccountContext<Profile>
  readonly upstream: UpstreamAccount
  /** As `upstream`, with the meanings of statuses in responses to writes. */
  readonly writes: UpstreamAccount
  /** Identity of the current sign-in. */
  readonly lineage: () => Promise<string>
  /** Change times such as `movies.watched_at`, from one small request. Dropped after a write. */
  readonly activities: Memo<Stamps>
  /** The owner of the account, its plan and limits. */
  readonly facts: Memo<Facts>
  /** Epoch milliseconds. */
  readonly now: () => number
}

export function openTracker<Profile extends TrackerProfile, Facts extends { readonly account: string }>({
  account,
  upstream,
  writes = upstream,
  lineage,
  readTimes = readChangeTimes,
  readFacts,
}: {
  readonly account: AccountContext<Profile>
  readonly upstream: UpstreamAccount
  readonly writes?: UpstreamAccount
  readonly lineage: () => Promise<string>
  /** For a service with change times of another form. */
  readonly readTimes?: (upstream: UpstreamAccount) => Promise<Stamps>
  readonly readFacts: (upstream: UpstreamAccount, signal: AbortSignal) => Promise<Facts>
}): TrackerSession<Profile, Facts> {
  const now = () => Date.now()
  return {
    account,
    upstream,
    writes,
    lineage,
    activities: createMemo({ load: () => readTimes(upstream), ttlMs: ACTIVITIES_MS, now, owner: lineage }),
    facts: createMemo({ load: (signal) => readFacts(upstream, signal), ttlMs: FACTS_MS, now, owner: lineage }),
    now,
  }
}
