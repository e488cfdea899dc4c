// An export of Ryot for the checks of the format. Texts by the names of their files.

const seen = (more: object) => ({
  ...{ anime_episode_number: null, manga_chapter_number: null, manga_volume_number: null, manual_time_spent: null },
  ...{ podcast_episode_number: null, providers_consumed_on: ['Jellyfin'], started_on: null },
  ...{ show_episode_number: null, show_season_number: null, progress: '100', state: 'completed', ...more },
})
const title = (lot: string, source: string, identifier: string, source_id: string, more: object) => ({
  ...{ collections: [], identifier, lot, reviews: [], seen_history: [], source, source_id },
  ...more,
})
const inCollection = (collection_name: string) => ({
  ...{ collection_id: 'col_1', collection_name, created_on: '2025-05-01T10:00:00Z', creator_user_id: 'usr_1' },
  ...{ information: null, last_updated_on: '2025-05-02T10:00:00Z', rank: '1' },
})
const review = (rating: string | null, more: object = {}) => ({
  ...{ anime_episode_number: null, comments: [], rating, show_season_number: null, show_episode_number: null },
  review: { date: '2025-06-01T09:08:07.654321Z', spoiler: false, text: 'Good', visibility: 'public' },
  ...more,
})
const WIRE = { show_season_number: 1, show_episode_number: 2 }
const document = {
  metadata: [
    title('movie', 'tmdb', '603', 'The Matrix', {
      seen_history: [seen({ ended_on: '2024-11-02T20:30:00Z' }), seen({ ended_on: null, state: null, progress: null })],
      reviews: [review('85'), review(null)],
      collections: [inCollection('Completed')],
    }),
    title('show', 'tmdb', '1438', 'The Wire', {
      seen_history: [
        seen({ ...WIRE, ended_on: '2024-11-03T20:30:00Z' }),
        seen({ show_season_number: 0, show_episode_number: 1, ended_on: '2024-11-04T20:30:00Z' }),
        seen({ show_season_number: 1, show_episode_number: 3, ended_on: null, state: 'in_progress', progress: '42.5' }),
        seen({ ended_on: '2024-11-05T20:30:00Z' }),
        seen({ show_season_number: 1, show_episode_number: 4, ended_on: null, state: 'dropped', progress: '10' }),
      ],
      reviews: [review('90'), review('70', WIRE), review('60', { show_season_number: 2 })],
      collections: [inCollection('Watchlist'), inCollection('Owned')],
    }),
    title('show', 'tvdb', '79126', 'Of TVDB', { collections: [inCollection('Watchlist')] }),
    title('movie', 'custom', 'met_xyz', 'Home video', { seen_history: [seen({ ended_on: null })] }),
    title('book', 'openlibrary', 'OL1M', 'A book', { seen_history: [seen({ ended_on: null })] }),
    title('movie', 'tmdb', '604', 'Only owned', { collections: [inCollection('Owned')] }),
  ],
  metadata_groups: [],
  people: [],
  collections: [{ id: 'col_1', name: 'Watchlist', is_default: true }],
  exercises: null,
  measurements: null,
  workouts: null,
  workout_templates: null,
}

export default { 'ryot-export.json': JSON.stringify(document) }
