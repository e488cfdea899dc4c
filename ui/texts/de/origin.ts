import type { origin as englishOrigin } from '../en/origin.ts'
import type { Translation } from '../language.ts'

export const origin: Translation<typeof englishOrigin> = {
  own: {
    watchlist: 'Du hast es bei {account} auf die Merkliste gesetzt{when}.',
    history: 'Du hast es bei {account} gesehen{when}.',
    ratings: 'Du hast es bei {account} bewertet{when}.',
    rated: 'Du hast es bei {account} mit {value} bewertet{when}.',
    progress: 'Du hast einen Teil davon bei {account} gesehen{when}.',
    playlists: 'Du hast es bei {account} auf eine Liste gesetzt{when}.',
  },
  others: {
    watchlist: 'Bei {account} auf die Merkliste gesetzt{when}.',
    history: 'Bei {account} gesehen{when}.',
    ratings: 'Bei {account} bewertet{when}.',
    rated: 'Bei {account} mit {value} bewertet{when}.',
    progress: 'Bei {account} zum Teil gesehen{when}.',
    playlists: 'Bei {account} auf eine Liste gesetzt{when}.',
  },
  removed: 'Bei {account} entfernt{when}.',
  requested: 'Durch Playhead bei {account} geändert{when}.',
  requestedRemoval: 'Durch Playhead bei {account} entfernt{when}.',
  undo: 'Bei {account} rückgängig gemacht{when}.',
  unknown: 'Bei {account} gefunden.',
  missing: 'Nicht mehr bei {account}{when}.',
  dated: 'Bei {account} gefunden, mit dem Datum {day}.',
  carried: '{act} {account} zeigt, was Playhead geschrieben hat.',
  carriedRemoval: '{act} Playhead hat es von {account} entfernt.',
  when: { on: ', {day}', between: ', zwischen {from} und {to}', after: ', nach {from}', before: ', vor {to}' },
}
