// A household's days as a property: plays that the scrobbler counts equal plays that people watched, whether watchers,
// webhooks or both report them.
import t from 'tap'
import fc from '../../fast-check.ts'
import type { Lane } from '../../../plugins/services/scrobble/contract.ts'
import { createDecisions } from '../../../plugins/services/scrobble/decide/decisions.ts'
import { createViewings } from '../../../plugins/services/scrobble/decide/viewings.ts'
import type { Delivery } from '../../../plugins/services/scrobble/store/delivery.ts'
import type { StoredViewing } from '../../../plugins/services/scrobble/store/store.ts'
import { live, type Report, sitting, wire } from './household.ts'
import { LANE } from './support.ts'

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

/** @param restartEvery reports after which the service starts again, from what it stored */
async function scrobble(reports: readonly Report[], restartEvery = Infinity): Promise<readonly Delivery[]> {
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
  for (const [n, { atMs, observation }] of reports.entries()) {
    if (n > 0 && n % restartEvery === 0) decisions = start()
    nowMs = atMs
    await decisions.settle(lanes)
    await decisions.take(
      observation,
      lanes.filter(({ source }) => source.provider === observation.source.provider),
    )
  }
  nowMs += 7 * 3_600_000
  await decisions.settle(lanes)
  return plays
}

const named = (plays: readonly { readonly person: number; readonly film: number }[]) =>
  plays.map(({ person, film }) => `p${person} film ${film}`).sort()
const recorded = (deliveries: readonly Delivery[]) =>
  named(
    deliveries.map(({ sink, item }) => ({
      person: Number(sink.instance.slice(1)),
      film: Number(item.title?.slice(5)) - 1,
    })),
  )

t.test('plays recorded equal plays watched', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(sitting, { minLength: 1, maxLength: 8 }), wire, async (sittings, way) => {
      const { reports, plays, isAmbiguous } = live(sittings, way)
      fc.pre(!isAmbiguous)
      const found = recorded(await scrobble(reports))
      if (JSON.stringify(found) !== JSON.stringify(named(plays)))
        throw new Error(`watched ${named(plays).join(', ')}; recorded ${found.join(', ')}`)
    }),
    { numRuns: 150 },
  )
  t.pass()
})

t.test('the same with a service that starts again and again', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sitting, { minLength: 1, maxLength: 6 }),
      wire,
      fc.integer({ min: 1, max: 400 }),
      async (sittings, way, every) => {
        const { reports, plays, isAmbiguous } = live(sittings, way)
        fc.pre(!isAmbiguous)
        const found = recorded(await scrobble(reports, every))
        if (JSON.stringify(found) !== JSON.stringify(named(plays)))
          throw new Error(`watched ${named(plays).join(', ')}; recorded ${found.join(', ')}`)
      },
    ),
    { numRuns: 50 },
  )
  t.pass()
})
