// A data export of Stremio for the checks of the format. Texts by the names of their files.

export const AT = '2025-03-23T21:31:53.450Z'
const title = (_id: string, type: string, name: string, state: object, more: object = {}) => ({
  ...{ _id, type, name, poster: `https://images.metahub.space/poster/medium/${_id}/img`, posterShape: 'poster' },
  ...{ removed: false, temp: false, _ctime: '2025-01-01T10:00:00.000Z', _mtime: AT, ...more },
  state: {
    ...{ lastWatched: AT, timeWatched: 0, timeOffset: 0, overallTimeWatched: 0, timesWatched: 0, flaggedWatched: 0 },
    ...{ duration: 0, video_id: '', watched: '', noNotif: false, ...state },
  },
})
export const library = [
  title('tt0133093', 'movie', 'The Matrix', { timesWatched: 1, flaggedWatched: 1 }, { removed: true, year: '1999' }),
  title('tt0078748', 'movie', 'Alien', { timeOffset: 600_000, duration: 7_020_000, video_id: 'tt0078748' }),
  title('tt0113277', 'movie', 'Heat', { timesWatched: 2, timeOffset: 60_000 }, { removed: true, temp: true }),
  title('tt0306414', 'series', 'The Wire', {
    ...{ video_id: 'tt0306414:1:2', flaggedWatched: 1, watched: 'tt0306414:1:2:2:eJxjBgAABAAE' },
  }),
  title('tt0944947', 'series', 'Next', { video_id: 'tt0944947:1:3', timeOffset: 1 }, { removed: true, temp: true }),
  title('yt_id:UCabc', 'channel', 'A channel', {}),
]
const exported = {
  user: { _id: '5f1d7a', email: 'ann@example.org', registered_at: 'stremio' },
  addons: [],
  library: [...library, library[0]].map((d) => ({ __id: d!._id, _id: '65ff4a49', _mtime: AT, _mtimestamp: 1, d })),
}

export default { 'stremioExport.json': JSON.stringify(exported, null, 2) }
