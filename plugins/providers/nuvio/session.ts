// What the readers and writers of one profile share.
import { type AccountContext, createMemo, type Feature, type Memo, type UpstreamAccount } from '@playhead/sdk'
import type { Mirror } from './write/mirror.ts'
import { type Facts, readFacts } from './sign-in/people.ts'
import type { Profile } from './settings.ts'
import { lineageOf } from './sign-in/tokens.ts'
import { openUpstream } from './upstream.ts'

/** Long enough for the features of a run. */
const FACTS_KEPT_MS = 5_000
const ORIGIN = 'origin_client_id'

export interface Session {
  readonly account: AccountContext<Profile>
  readonly upstream: UpstreamAccount
  /** Number of the profile, as the functions want it. */
  readonly profileId: number
  /** Which sign-in the requests are made with now. */
  readonly lineage: () => Promise<string>
  readonly facts: Memo<Facts>
  /** Functions that the service turned out not to have. */
  readonly absent: Set<string>
  /** The rows that the account holds, as known from the last read or write. */
  readonly mirrors: Map<Feature, Mirror>
  /** Under which the service knows our own changes. */
  readonly origin: () => Promise<string>
  /** Runs one piece of work after the other. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
  readonly now: () => number
}

export function openSession(account: AccountContext<Profile>): Session {
  const upstream = openUpstream(account)
  const now = () => Date.now()
  const lineage = lineageOf(account).current
  const { profile_id: profileId } = account.profile
  let last: Promise<unknown> = Promise.resolve()
  return {
    account,
    upstream,
    lineage,
    now,
    profileId: profileId === '' ? 0 : profileId,
    facts: createMemo({
      load: (signal) => readFacts(upstream, profileId, signal),
      keptMs: FACTS_KEPT_MS,
      now,
      owner: lineage,
    }),
    absent: new Set(),
    mirrors: new Map(),
    origin: () => originOf(account),
    inTurn(work) {
      // Whoever failed before was told; the next one begins anyway.
      const mine = last.then(work, work)
      last = mine
      mine.catch(() => {})
      return mine
    },
  }
}

async function originOf({ store }: AccountContext<Profile>): Promise<string> {
  const known = await store.get<string>(ORIGIN)
  if (known !== undefined) return known
  const made = `playhead-${crypto.randomUUID()}`
  await store.set(ORIGIN, made)
  return made
}
