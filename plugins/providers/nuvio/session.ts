// State shared by the readers and writers of one profile.
import type { UpstreamAccount } from '@playhead/sdk'
import { type AccountContext, createMemo, type Feature, type Memo } from '@playhead/sdk/provider'
import { type Facts, readFacts } from './sign-in/people.ts'
import type { Profile } from './settings.ts'
import { lineageOf } from './sign-in/tokens.ts'
import { openUpstream } from './as-person.ts'
import type { Row } from './wire.ts'

/** Covers the features of one run. */
const FACTS_CACHE_MS = 5_000
const ORIGIN = 'origin_client_id'

export interface Session {
  readonly account: AccountContext<Profile>
  readonly upstream: UpstreamAccount
  /** Profile number used by the functions. */
  readonly profileId: number
  /** Identity of the current sign-in. */
  readonly lineage: () => Promise<string>
  readonly facts: Memo<Facts>
  /** Functions that the service does not have. */
  readonly absent: Set<string>
  /** Rows of the account as of the last read or write. */
  readonly mirrors: Map<Feature, Mirror>
  /** Client id that the service stores with our changes. */
  readonly origin: () => Promise<string>
  /** Serializes asynchronous work. */
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
      ttlMs: FACTS_CACHE_MS,
      now,
      owner: lineage,
    }),
    absent: new Set(),
    mirrors: new Map(),
    origin: () => originOf(account),
    inTurn(work) {
      // An earlier failure was reported to its caller.
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

export interface Mirror {
  readonly lineage: string
  readonly byKey: ReadonlyMap<string, Row>
  readonly cursor: number
}
