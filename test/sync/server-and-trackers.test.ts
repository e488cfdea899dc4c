// A media server and each service with watch history, in both directions, in the whole service. The server changes daily; the
// neighbouring files cover all combinations of providers.
import t from 'tap'
import { seed } from '../fast-check.ts'
import { readProofs } from '../proof.ts'
import { combinationSeed, convergesAs } from './combination-checks.ts'
import { startCombinationWorld } from './combination-world.ts'

t.setTimeout(900_000)

const SERVERS = ['Plex', 'Jellyfin', 'Emby']
const TRACKERS = ['Trakt', 'SIMKL', 'AniList', 'TMDB', 'MDBList', 'PublicMetaDB', 'Nuvio', 'Playhead tracker']

t.test('the table of test/PROOFS.md lists the same', async (t) => {
  const synced = Object.fromEntries((await readProofs()).map(({ provider, sync }) => [provider, sync]))
  const ofTracker = TRACKERS.map((label) => [label, 'with a server'])
  const ofServer = SERVERS.map((label) => [label, 'with each tracker, every third day'])
  t.same(synced, Object.fromEntries([...ofServer, ...ofTracker, ['Tautulli', '']]))
})

t.test('two-way, a media server and each tracker converge', async (t) => {
  await using world = await startCombinationWorld()
  const server = world.providers.find(({ label }) => label === SERVERS[seed % SERVERS.length])!
  for (const [index, label] of TRACKERS.entries()) {
    const tracker = world.providers.find((one) => one.label === label)!
    await t.test(`${server.label} and ${tracker.label}`, async (t) => {
      const accounts = [await world.account(server.id), await world.account(tracker.id)] as const
      const carried = await convergesAs(t, world, accounts, 'two_way', combinationSeed(3_000 + index))
      // Plex reads no id of AniList, and AniList has no other.
      t.equal(carried === 0, server.label === 'Plex' && label === 'AniList', `${carried} works were carried over`)
    })
  }
})
