// Both exports of AniList for the checks of the format: its own, and an answer of its interface. Texts by the names of their files.

/** AniList's own export. */
export const gdprOf = (lists: readonly object[]) =>
  JSON.stringify({
    user: { id: 5_001, display_name: 'ann', title_language: 1, score_type: 2, legacy_lists: 0 },
    lists: lists.map((one, index) => ({
      ...{ id: 300 + index, user_id: 5_001, series_type: 0, series_id: 1 + index, status: 0, score: 0, progress: 0 },
      ...{ progress_volume: 0, repeat: 0, priority: 0, private: 0, notes: null, custom_lists: '[]', hidden_default: 0 },
      ...{ started_on: 0, finished_on: 0, created_at: '2020-01-02 03:04:05', updated_at: '2020-01-02 03:04:05' },
      ...one,
    })),
    activity: [{ id: 1, object_id: 1, action_type: 1 }],
  })

const media = (id: number, more: object = {}) => ({
  ...{ id, idMal: id + 100, format: 'TV', episodes: 12, seasonYear: 2011, type: 'ANIME' },
  title: { romaji: `Title ${id}`, english: null, native: null },
  ...more,
})
const NONE = { year: null, month: null, day: null }
export const entry = (
  id: number,
  status: string,
  { of = {}, ...more }: { readonly of?: object; readonly [name: string]: unknown } = {},
) => ({
  ...{ id: 300 + id, mediaId: id, status, score: 0, progress: 0, repeat: 0, startedAt: NONE, completedAt: NONE },
  media: media(id, of),
  ...more,
})
export const collectionOf = (...entries: readonly object[]) =>
  JSON.stringify({ data: { MediaListCollection: { lists: [{ name: 'All', isCustomList: false, entries }] } } })

export default {
  'gdpr_data.json': gdprOf([{ progress: 2, score: 50 }, { status: 1 }]),
  // Other titles: one that is in both files is read once.
  'list.json': collectionOf(entry(11, 'COMPLETED', { score: 80 }), entry(12, 'PLANNING')),
}
