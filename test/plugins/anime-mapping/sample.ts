// A small data set in the format of the real ones. All ids are invented.
import type { DataSets } from '../../upstreams/anime-data.ts'

export const MAPPINGS = {
  'tvdb_show:990200:s1': {
    'anidb:9001:R': { '1-39': '1-39' },
    'anilist:9101': { '1-39': '1-39' },
    'mal:9201': { '1-39': '1-39' },
    'tmdb_show:9902000:s1': { '1-39': '1-39' },
  },
  'tvdb_show:990200:s2': { 'anilist:9101': { '1-35': '40-74' }, 'mal:9201': { '1-35': '40-74' } },
  'tvdb_show:990300:s4': { 'anilist:9107': { '17-28': '1-12' } },
  'tvdb_show:990200:s0': { 'anilist:9150': { '1': '1' }, 'anidb:9050:R': { '1': '1' } },
  'mal:9300': { 'tmdb_movie:9900777': {} },
}

export const IDENTITIES = [
  'title\tanidb\tanilist\tmyanimelist\tsimkl\tkitsu\ttrakt',
  'Long Show\t9001\t9101\t9201\t77001\t88001\t1',
  '"A ""quoted"" film"\t\t\t9300\t77300\t88300\t2',
  'Twice, first\t9400\t\t\t77401\t\t3',
  'Twice, second\t9400\t\t\t77402\t\t4',
  'a row with too few columns\t1\t2',
  '',
].join('\n')

export const STATS = { meta: { generated_on: '2026-07-01T03:00:00Z' }, entries: 5 }

export const SAMPLE: DataSets = { stats: STATS, mappings: MAPPINGS, identities: IDENTITIES }
