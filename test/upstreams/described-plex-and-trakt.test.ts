// slow: simulators against their descriptions
// Checks the plugins' requests and the stand-ins' responses against the published descriptions of Plex and Trakt.
import t from 'tap'
import { checkExchanges, type Exceptions, nameOf, readDescription } from './descriptions/check.ts'
import { usePlexAndTrakt } from './descriptions/flows.ts'

const CLOUD = 'the description holds little of the cloud'
const FILTER = 'every field of the library can be compared in a query; the description names it as one parameter'
const PARTS = 'leaving out parts of rows is described in words, for every listing'

const OF_THE_CLOUD: Exceptions = {
  undescribed: {
    'POST /api/v2/pins': CLOUD,
    'GET /api/v2/pins/{id}': CLOUD,
    'DELETE /api/v2/users/signout': CLOUD,
    'GET /api/v2/home/users': CLOUD,
    // This address looks like a library of a media server, but belongs to another service.
    'GET /library/sections/watchlist/{filter}': CLOUD,
    'PUT /actions/addToWatchlist': CLOUD,
    'PUT /actions/removeFromWatchlist': CLOUD,
  },
}

const OF_THE_SERVER: Exceptions = {
  undescribed: {
    'GET /accounts': 'old, and all servers have it',
    'GET /:/progress': 'old, and all servers have it; nothing else takes a position away',
  },
  paths: { 'GET /library/sections': ['GET /library/sections/all', 'the same listing at its older address'] },
  queries: {
    'GET /library/metadata/{ids}': [['excludeElements', 'excludeFields'], PARTS],
    'GET /library/sections/{sectionId}/all': [
      ['type', 'sort', 'unwatched', 'viewOffset>>', 'userRating>>', 'excludeElements', 'excludeFields'],
      `${FILTER}; ${PARTS}`,
    ],
    'GET /status/sessions/history/all': [
      ['X-Plex-Container-Start', 'X-Plex-Container-Size'],
      'all listings are paged so',
    ],
    'POST /:/timeline': [['identifier'], 'players send it; a server does not need it'],
  },
  answers: {
    'GET /library/sections/all: /MediaContainer/Directory/*/hidden must be boolean {"type":"boolean"}':
      'a number, as in the examples of the description',
  },
}

const SHORT = 'the last parts of the path may be left out'

const OF_TRAKT: Exceptions = {
  paths: {
    'GET /sync/history': ['GET /sync/history/{type}/{id}', SHORT],
    'GET /sync/playback': ['GET /sync/playback/{type}', SHORT],
    'GET /sync/ratings/all': ['GET /sync/ratings/{type}/{rating}', SHORT],
  },
  statuses: {
    'POST /sync/history': [201, 200, 'Trakt answers 201 to what it adds, and describes it so for the other lists'],
  },
}

t.test('all requests to Plex and Trakt are described, and the responses of the stand-ins match', async (t) => {
  const { cloud, server, trakt } = await usePlexAndTrakt()
  const [plexDescription, traktDescription] = [await readDescription('plex'), await readDescription('trakt')]

  const ofCloud = await checkExchanges(plexDescription, cloud, OF_THE_CLOUD)
  const ofServer = await checkExchanges(plexDescription, server, OF_THE_SERVER)
  const ofTrakt = await checkExchanges(traktDescription, trakt, OF_TRAKT)

  t.same(ofCloud.complaints, [], 'the cloud of Plex')
  t.same(ofServer.complaints, [], 'the media server of Plex')
  t.same(ofTrakt.complaints, [], 'Trakt')
  t.same([...ofCloud.idle, ...ofServer.idle, ...ofTrakt.idle], [], 'every exception is needed')
  const usedOfPlex = ofCloud.used.union(ofServer.used)
  t.same(
    plexDescription.operations.map(nameOf).filter((name) => !usedOfPlex.has(name)),
    [],
    'every operation of Plex was used',
  )
  t.same(
    traktDescription.operations.map(nameOf).filter((name) => !ofTrakt.used.has(name)),
    ['POST /scrobble/start', 'POST /scrobble/stop'],
    'every operation of Trakt was used, but for those of what plays now, which have their own test',
  )
})
