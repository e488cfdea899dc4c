import { translated } from '../language.ts'
export const origin = translated('origin', {
  own: {
    watchlist: 'You added it to the watchlist on {account}{when}.',
    history: 'You watched it on {account}{when}.',
    ratings: 'You rated it on {account}{when}.',
    rated: 'You rated it {value} on {account}{when}.',
    progress: 'You watched part of it on {account}{when}.',
    playlists: 'You added it to a list on {account}{when}.',
  },
  others: {
    watchlist: 'Added to the watchlist on {account}{when}.',
    history: 'Watched on {account}{when}.',
    ratings: 'Rated on {account}{when}.',
    rated: 'Rated {value} on {account}{when}.',
    progress: 'Partly watched on {account}{when}.',
    playlists: 'Added to a list on {account}{when}.',
  },
  removed: 'Removed on {account}{when}.',
  requested: 'Changed through Playhead on {account}{when}.',
  requestedRemoval: 'Removed through Playhead on {account}{when}.',
  undo: 'Undone on {account}{when}.',
  unknown: 'Found on {account}.',
  missing: 'No longer on {account}{when}.',
  dated: 'Found on {account}, dated {day}.',
  carried: '{act} {account} shows what Playhead wrote.',
  carriedRemoval: '{act} Playhead removed it from {account}.',
  when: { on: ', {day}', between: ', between {from} and {to}', after: ', after {from}', before: ', before {to}' },
})
