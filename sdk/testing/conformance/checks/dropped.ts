// Checks of dropped shows: current and complete with ids, and an error instead of an empty list.
import { createTokenIndex } from '../token-index.ts'
import type { Item } from '../../../items/item.ts'
import { DEFAULT_PROFILE } from '../../../provider/profiles/profile-ids.ts'
import type { Bench, Check, Dropped, Person, Subject } from '../contract.ts'
import { must, mustNotAnswer, mustSaySignedOut } from './support.ts'

const group = 'dropped'
/** Limit for one call on a short list, including its setup. */
const MAX_REQUESTS = 25

const tells = ({ description, can }: Subject): true | string =>
  description.droppedShows !== true ? 'it tells no dropped shows' : can.drop || 'nobody drops anything at its stand-in'

async function droppedOf({ provider }: Bench, instance = DEFAULT_PROFILE): Promise<readonly Item[]> {
  must(provider.droppedShows !== undefined, 'it says that it tells dropped shows, and has nothing that does')
  // As at the start of a run: resets shared caches.
  await provider.probe(instance)
  return provider.droppedShows(instance)
}

async function givenUp({ simulator }: Bench, person: Person): Promise<Dropped> {
  const show = await simulator.drop?.(person)
  must(show !== undefined, 'nobody drops anything at its stand-in')
  return show
}

function mustBe(found: readonly Item[], shows: readonly Dropped[]): void {
  must(found.length === shows.length, `${shows.length} shows were dropped, and ${found.length} are told`)
  const index = createTokenIndex<Item>((row) => row)
  for (const show of found) index.add(show)
  for (const { item } of shows)
    must(index.find(item).outcome === 'match', `${JSON.stringify(item.ids)} was dropped, and is not told`)
}

export const dropped: readonly Check[] = [
  {
    id: 'dropped.told',
    group,
    title: 'it reports all shows that the person dropped, with their ids, until they are resumed',
    points: 3,
    applies: tells,
    async run(subject) {
      await using bench = await subject.open()
      await givenUp(bench, 1)
      mustBe(await droppedOf(bench), [])
      const [first, second] = [await givenUp(bench, 0), await givenUp(bench, 0)]
      const before = bench.requests().length
      const found = await droppedOf(bench)
      mustBe(found, [first, second])
      const asked = bench.requests().length - before
      must(asked <= MAX_REQUESTS, `${asked} requests for two shows`)
      must(
        JSON.stringify(await droppedOf(bench)) === JSON.stringify(found),
        'the same list is told otherwise the second time',
      )
      must(!bench.requests().some((request) => bench.isWrite(request)), 'asking changes something at the service')
      await first.resume()
      mustBe(await droppedOf(bench), [second])
      return undefined
    },
  },
  {
    id: 'dropped.failing',
    group,
    title: 'a failing service is never reported as one where nothing was dropped',
    points: 3,
    applies: tells,
    async run(subject) {
      await mustNotAnswer(subject, (bench) => givenUp(bench, 0), droppedOf)
      return undefined
    },
  },
  {
    id: 'dropped.unconfigured',
    group,
    title: 'without a sign-in it says so, and does not say that nothing was dropped',
    applies: tells,
    async run(subject) {
      await mustSaySignedOut(subject, droppedOf)
      return undefined
    },
  },
]
