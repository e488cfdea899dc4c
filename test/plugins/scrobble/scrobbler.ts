// The scrobbler's decisions for a household, without a service: reports in, plays out.
import type { Lane, Observation } from '../../../plugins/services/scrobble/contract.ts'
import { createDecisions } from '../../../plugins/services/scrobble/decide/decisions.ts'
import { createViewings } from '../../../plugins/services/scrobble/decide/viewings.ts'
import type { Delivery } from '../../../plugins/services/scrobble/store/delivery.ts'
import type { StoredViewing } from '../../../plugins/services/scrobble/store/store.ts'
import type { Report } from './household.ts'
import { LANE } from './support.ts'

/** After this time no session is open. */
const SILENCE_MS = 7 * 3_600_000

// Two servers, and each person has their own tracker account.
const lanes: readonly Lane[] = ['MEDIAA', 'MEDIAB'].flatMap((provider) =>
  [0, 1].map((person) => ({
    ...LANE,
    id: `${provider} ${person}`,
    source: { provider, instance: 'default' },
    sink: { provider: 'TRACKA', instance: `p${person}` },
    filters: { ...LANE.filters, username_whitelist: [`id:p${person}`] },
  })),
)

const filter = ({ account }: { readonly account: { readonly id?: string } }, { filters }: Lane) =>
  filters.username_whitelist.includes(`id:${account.id}`) ? undefined : 'account_not_allowed'

export interface Scrobbler {
  /** Processes a report at a time, after the preceding silence. */
  take(atMs: number, observation: Observation): Promise<void>
  /** Restarts from the stored state. */
  restart(): void
  /** The counted plays so far. */
  plays(): readonly Delivery[]
  /** Ends everything and returns the counted plays. */
  end(): Promise<readonly Delivery[]>
}

export function createScrobbler(): Scrobbler {
  const stored = new Map<string, StoredViewing>()
  const plays: Delivery[] = []
  let nowMs = 0
  const start = () =>
    createDecisions({
      viewings: createViewings([...stored.values()].map((one) => structuredClone(one))),
      store: {
        async commit({ viewings = [], deliveries = [] }) {
          for (const one of viewings) stored.set(`${one.destination} ${one.key}`, one)
          plays.push(...deliveries.filter(({ completed }) => completed))
        },
      },
      filter,
      support: () => undefined,
      sinkAccount: () => undefined,
      deliver: () => {},
      decided: () => {},
      now: () => nowMs,
    })
  let decisions = start()
  return {
    async take(atMs, observation) {
      nowMs = atMs
      await decisions.settle(lanes)
      await decisions.take(
        observation,
        lanes.filter(({ source }) => source.provider === observation.source.provider),
      )
    },
    plays: () => plays,
    restart() {
      decisions = start()
    },
    async end() {
      nowMs += SILENCE_MS
      await decisions.settle(lanes)
      return plays
    },
  }
}

/**
 * The plays that result from reports.
 * @param restartEvery number of reports after which the service restarts
 */
export async function scrobble(reports: readonly Report[], restartEvery = Infinity): Promise<readonly Delivery[]> {
  const scrobbler = createScrobbler()
  for (const [n, { atMs, observation }] of reports.entries()) {
    if (n > 0 && n % restartEvery === 0) scrobbler.restart()
    await scrobbler.take(atMs, observation)
  }
  return await scrobbler.end()
}

/** Person and film of each play, sorted. */
export const named = (plays: readonly { readonly person: number; readonly film: number }[]) =>
  plays.map(({ person, film }) => `p${person} film ${film}`).sort()

export const recorded = (deliveries: readonly Delivery[]) =>
  named(
    deliveries.map(({ sink, item }) => ({
      person: Number(sink.instance.slice(1)),
      film: Number(item.title?.slice(5)) - 1,
    })),
  )
