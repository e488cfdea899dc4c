// The short name of an episode.
import t from 'tap'
import { episodeCode } from '../../../sdk/items/episode-code.ts'

t.test('numbers have two digits or more', async () => {
  t.equal(episodeCode({ season: 1, episode: 2 }), 'S01E02')
  t.equal(episodeCode({ season: 0, episode: 104 }), 'S00E104')
  t.equal(episodeCode({ season: 12 }), 'S12')
  t.equal(episodeCode({ season: 12, episode: null }), 'S12')
})

t.test('an episode without its season has no code', async () => {
  t.equal(episodeCode({ season: null, episode: 2 }), '')
  t.equal(episodeCode({}), '')
})
