// The decisions of the scrobbler for a household, without a service: reports go in, plays come out.
import type { Lane, Observation } from '../../../plugins/services/scrobble/contract.ts'
import { createDecisions } from '../../../plugins/services/scrobble/decide/decisions.ts'
import { createViewings } from '../../../plugins/services/scrobble/decide/viewings.ts'
import type { Delivery } from '../../../plugins/services/scrobble/store/delivery.ts'
import type { StoredViewing } from '../../../plugins/services/scrobble/store/store.ts'
import type { Report } from './household.ts'
import { LANE } from './support.ts'

/** After this no session is open. */
const SILENCE_MS = 7 * 3_600_000

// Two servers, and each person has a tracker account of their own.
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
  /** What is reported at a time; silence before it is noticed. */
  take(atMs: number, observation: Observation): Promise<void>
  /** Starts again, from what it stored. */
  restart(): void
  /** Plays that were counted so far. */
  plays(): readonly Delivery[]
  /** Everything is over; the plays that were counted. */
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
 * The plays that reports make.
 * @param restartEvery reports after which the service starts again
 */
export async function scrobble(reports: readonly Report[], restartEvery = Infinity): Promise<readonly Delivery[]> {
  const scrobbler = createScrobbler()
  for (const [n, { atMs, observation }] of reports.entries()) {
    if (n > 0 && n % restartEvery === 0) scrobbler.restart()
    await scrobbler.take(atMs, observation)
  }
  return await scrobbler.end()
}

/** Of each play its person and film, sorted. */
export const named = (plays: readonly { readonly person: number; readonly film: number }[]) =>
  plays.map(({ person, film }) => `p${person} film ${film}`).sort()

export const recorded = (deliveries: readonly Delivery[]) =>
  named(
    deliveries.map(({ sink, item }) => ({
      person: Number(sink.instance.slice(1)),
      film: Number(item.title?.slice(5)) - 1,
    })),
  )
